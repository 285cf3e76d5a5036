public import ObsWire

/// Cuts a large value into commits, so that applying it never holds up the document's actor for long.
///
/// Objects are cut down to records, lists down to their elements; what is small, and every element, is added whole.
/// Members that the document has already are set, others stay; a list replaces what was there.
public struct ImportSlices: Sendable {
  /// Containers with at most this many values are not cut.
  private static let unit = 256

  private struct Frame {
    let place: JSONPointer
    let value: JSON
    var next = 0
  }

  /// How many values there are in all.
  public let total: Int
  /// How many of them the commits so far contain.
  public private(set) var done = 0

  /// Containers that are opened and not yet complete, outermost first.
  private var frames: [Frame] = []
  private var start: (place: JSONPointer, value: JSON)?

  /// Prepares the import of a value to a place, whose container must be there.
  ///
  /// Takes time of its own, for counting: not to be done on the document's actor.
  public init(_ json: JSON, at place: JSONPointer = JSONPointer(tokens: [])) {
    total = json.size
    start = (place, json)
  }

  /// The next commit, with about so many values; nil when everything is in one.
  ///
  /// - Throws: `number-range` for NaN and infinity.
  public mutating func next(values budget: Int) throws(CommitError) -> Commit? {
    if let (place, value) = start {
      start = nil
      return try open(value, at: place)
    }
    var operations: [PatchOperation] = []
    var left = budget
    while left > 0, let frame = frames.last {
      guard let (place, value) = Self.child(frame) else {
        frames.removeLast()
        continue
      }
      let size = value.size
      if case .object = frame.value, value.isContainer, size > Self.unit {
        // Opening a container is a commit of its own.
        guard operations.isEmpty else { break }
        frames[frames.count - 1].next += 1
        return try open(value, at: place)
      }
      frames[frames.count - 1].next += 1
      try value.checkNumbers(at: place)
      operations.append(PatchOperation(kind: .add(value, ifAbsent: false), path: place))
      done += size
      left -= size
    }
    return operations.isEmpty ? nil : Commit(operations)
  }

  private mutating func open(_ value: JSON, at place: JSONPointer) throws(CommitError) -> Commit {
    switch value {
    case .object:
      done += 1
      frames.append(Frame(place: place, value: value))
      return try Commit(merge: [:], at: place)
    case .array:
      done += 1
      frames.append(Frame(place: place, value: value))
      return Commit([PatchOperation(kind: .add([], ifAbsent: false), path: place)])
    case .null, .bool, .int, .double, .string:
      done += 1
      try value.checkNumbers(at: place)
      return Commit([PatchOperation(kind: .add(value, ifAbsent: false), path: place)])
    }
  }

  private static func child(_ frame: Frame) -> (place: JSONPointer, value: JSON)? {
    switch frame.value {
    case .object(let object) where frame.next < object.count:
      (frame.place.appending(object[frame.next].key), object[frame.next].value)
    case .array(let elements) where frame.next < elements.count:
      (frame.place.appending("-"), elements[frame.next])
    default:
      nil
    }
  }
}

extension Commit {
  fileprivate init(_ operations: [PatchOperation]) {
    change = .patch(operations)
    ifSeq = nil
  }
}

extension Document {
  /// Adds a large value in many commits, and lets others have the actor in between.
  ///
  /// Live queries see it grow. Other commits may come in between; one that takes away what is being filled ends the
  /// import with an error, and what is there by then stays.
  ///
  /// - Parameters:
  ///   - slices: the value and its place, made off the actor.
  ///   - slice: about how much CPU time one commit may take.
  ///   - limits: bounds of every commit.
  ///   - progress: called after every commit with the values that are in the document and all of them.
  /// - Throws: why a commit was refused.
  public func add(
    _ slices: ImportSlices,
    slice: Duration = .milliseconds(10),
    limits: CommitLimits = .unlimited,
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws(CommitError) {
    var slices = slices
    var done = 0
    let goal = max(1, Clocks.nanoseconds(slice))
    var values = 500
    while true {
      let start = Clocks.threadCPU()
      guard let commit = try slices.next(values: values) else { return }
      try apply(commit, limits: limits)
      let spent = max(1, Clocks.threadCPU() &- start)
      let made = slices.done - done
      done = slices.done
      // Aims lower than the goal: records differ. A commit of few values says nothing about the speed.
      let scaled = Int(Double(made) * Double(goal) / Double(spent) * 0.7)
      if made > values / 2 || scaled < values { values = min(max(scaled, 100), values * 2) }
      progress(slices.done, slices.total)
      await Task.yield()
    }
  }
}
