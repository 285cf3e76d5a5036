internal import ObsClient
internal import ObsModel
internal import ObsWire

/// Cuts a large JSON value into commits that a server takes, none of which holds it up for long.
///
/// An object's members are set one by one, and so are the records of those members that are collections (objects of
/// objects); what the document has besides stays. Everything else is replaced whole. That does not depend on sizes:
/// what is too large for one commit is set empty first, and then filled.
struct ImportPieces {
  /// How large a commit may be.
  struct Limits: Equatable {
    /// About how many bytes of JSON a commit has.
    var bytes = 64 * 1024
    var operations = 500
    /// The most bytes that one message may have.
    var message = 256 * 1024
  }

  /// A commit, and how many bytes of the value it brings.
  struct Piece: Equatable {
    var change: DocumentChange
    var bytes: Int
  }

  /// A container that is being filled.
  private struct Frame {
    let place: JSONPointer
    let value: JSON
    /// Whether members that are collections are filled and not replaced.
    let fillsCollections: Bool
    var next = 0

    var child: (place: JSONPointer, value: JSON)? {
      switch value {
      case .object(let object) where next < object.count:
        (place.appending(object[next].key), object[next].value)
      case .array(let elements) where next < elements.count:
        (place.appending("-"), elements[next])
      default: nil
      }
    }
  }

  /// How many bytes of JSON there are in all.
  let total: Int
  private let limits: Limits
  private var openings: ArraySlice<DocumentChange> = []
  private var frames: [Frame] = []
  /// A value that is no object is set as a whole.
  private var whole: (place: JSONPointer, value: JSON)?

  init(_ json: JSON, at place: JSONPointer, limits: Limits = Limits()) {
    self.limits = limits
    total = json.encoded.count
    guard case .object(let object) = json else {
      whole = (place, json)
      return
    }
    // The containers that are filled must be there; those that are there are left as they are.
    let collections = object.filter { $0.value.isCollection }.map(\.key)
    let starts = stride(from: 0, to: max(collections.count, 1), by: limits.operations)
    openings = ArraySlice(
      starts.map { first in
        let keys = collections[first..<min(first + limits.operations, collections.count)]
        return .merge(at: place.description, .object(JSON.Object(keys.map { ($0, [:]) })))
      }
    )
    frames = [Frame(place: place, value: json, fillsCollections: true)]
  }

  /// The next commit; nil when everything is in one.
  ///
  /// - Throws: ``Complaint`` for a single text or number that no message can hold.
  mutating func next() throws(Complaint) -> Piece? {
    if let opening = openings.popFirst() { return Piece(change: opening, bytes: 0) }
    var piece: [JSONPatchOperation] = []
    var bytes = 0
    if let (place, value) = whole {
      whole = nil
      try add(value, at: place, &piece, &bytes)
    }
    while bytes < limits.bytes, piece.count < limits.operations, let frame = frames.last {
      guard let (place, value) = frame.child else {
        frames.removeLast()
        continue
      }
      if frame.fillsCollections, value.isCollection {
        frames[frames.count - 1].next += 1
        frames.append(Frame(place: place, value: value, fillsCollections: false))
        continue
      }
      // What makes the commit too large waits for the next one.
      if !piece.isEmpty, bytes + value.encoded.count > limits.bytes { break }
      frames[frames.count - 1].next += 1
      try add(value, at: place, &piece, &bytes)
    }
    return piece.isEmpty ? nil : Piece(change: .patch(piece), bytes: bytes)
  }

  /// Sets a value, or sets it empty and goes on filling it.
  private mutating func add(
    _ value: JSON,
    at place: JSONPointer,
    _ piece: inout [JSONPatchOperation],
    _ bytes: inout Int
  ) throws(Complaint) {
    let size = value.encoded.count
    if size > limits.bytes, value.isContainer {
      piece.append(.add(place.description, value.arrayValue == nil ? [:] : []))
      // The place of an element that was just appended is only known by its number.
      frames.append(Frame(place: numbered(place), value: value, fillsCollections: false))
      return
    }
    guard size + place.description.utf8.count + 1024 <= limits.message else {
      throw Complaint(
        "the value at \"\(place)\" has \(Progress.bytes(size)); the server takes messages of up to "
          + "\(Progress.bytes(limits.message))",
        .badData
      )
    }
    piece.append(.add(place.description, value))
    bytes += size
  }

  /// The place of the element that `-` has just appended.
  private func numbered(_ place: JSONPointer) -> JSONPointer {
    guard place.tokens.last == "-", let frame = frames.last, frame.value.arrayValue != nil else {
      return place
    }
    return frame.place.appending(String(frame.next - 1))
  }
}

extension JSON {
  var isContainer: Bool {
    switch self {
    case .array, .object: true
    case .null, .bool, .int, .double, .string: false
    }
  }

  /// Whether this is an object of objects: records by key.
  var isCollection: Bool {
    guard case .object(let members) = self else { return false }
    return !members.isEmpty && members.allSatisfy { $0.value.objectValue != nil }
  }
}
