import ObsWire

/// What commits with an idempotency key were answered, for as long as each wants to be remembered: a part of the replicated state.
///
/// Time is log time, so every replica forgets the same at the same place.
struct AnswerMemory: Sendable {
  /// The most answers that are remembered; the oldest go first.
  static let limit = 1_000_000

  struct Name: Hashable {
    let caller: String?
    let key: String

    // By bytes: `String` would take two spellings of `é` for one.
    static func == (left: Self, right: Self) -> Bool {
      UTF8Order.equal(left.key, right.key) && (left.caller == nil) == (right.caller == nil)
        && UTF8Order.equal(left.caller ?? "", right.caller ?? "")
    }
  }

  struct Answer: Hashable {
    let fingerprint: String
    let seq: Int64
    /// When it is forgotten, in milliseconds of log time.
    let expiry: Int64
  }

  struct Slot {
    let name: Name
    let answer: Answer
  }

  /// Slots in the order of arrival, in runs that are never changed when full, so that a copy of all costs little.
  private static let run = 1024
  private var runs: [[Slot]] = []
  /// How many slots of the first run are gone.
  private var gone = 0
  private var answers: [Name: Answer] = [:]
  /// Log time, in milliseconds since 1970.
  private(set) var time: Int64 = 0

  var count: Int { answers.count }

  /// The answer that is remembered for a key.
  func answer(_ name: Name) -> Answer? {
    answers[name].flatMap { $0.expiry > time ? $0 : nil }
  }

  mutating func remember(_ name: Name, _ answer: Answer) {
    if runs.last?.count ?? AnswerMemory.run == AnswerMemory.run { runs.append([]) }
    runs[runs.count - 1].append(Slot(name: name, answer: answer))
    answers[name] = answer
    while answers.count > AnswerMemory.limit { forgetOldest() }
  }

  /// Lets log time pass, which never goes back, and forgets what is over.
  mutating func advance(to time: Int64) {
    self.time = max(self.time, time)
    while let slot = oldest, slot.answer.expiry <= self.time { forgetOldest() }
  }

  private var oldest: Slot? { runs.first.flatMap { gone < $0.count ? $0[gone] : nil } }

  private mutating func forgetOldest() {
    guard let slot = oldest else { return }
    // A key whose time was over may have been used anew.
    if answers[slot.name] == slot.answer { answers[slot.name] = nil }
    gone += 1
    if gone == runs[0].count {
      runs.removeFirst()
      gone = 0
    }
  }
}

// MARK: In snapshots

extension AnswerMemory {
  /// Log time and all answers, oldest first: `{"time":…}`, then `{"answers":[[caller,key,fingerprint,seq,expiry],…]}`.
  struct Lines {
    private static let perLine = 500
    private let time: Int64
    private let runs: [[Slot]]
    private var run = 0
    private var index: Int
    private var isBegun = false

    fileprivate init(_ memory: AnswerMemory) {
      (time, runs, index) = (memory.time, memory.runs, memory.gone)
    }

    mutating func next() -> JSON? {
      guard isBegun else {
        isBegun = true
        return ["time": .int(time)]
      }
      var rows: [JSON] = []
      while rows.count < Lines.perLine, run < runs.count {
        if index == runs[run].count {
          (run, index) = (run + 1, 0)
          continue
        }
        let slot = runs[run][index]
        index += 1
        guard slot.answer.expiry > time else { continue }
        rows.append([
          slot.name.caller.map(JSON.string) ?? .null, .string(slot.name.key),
          .string(slot.answer.fingerprint), .int(slot.answer.seq), .int(slot.answer.expiry),
        ])
      }
      return rows.isEmpty ? nil : ["answers": .array(rows)]
    }
  }

  /// The lines of what is remembered now.
  var lines: Lines { Lines(self) }

  /// Takes a line; false for what is none.
  mutating func take(_ line: JSON) -> Bool {
    if let time = line["time"]?.intValue {
      self.time = time
      return true
    }
    guard let rows = line["answers"]?.arrayValue else { return false }
    for row in rows {
      guard let row = row.arrayValue, row.count == 5, let key = row[1].stringValue,
        let fingerprint = row[2].stringValue, let seq = row[3].intValue,
        let expiry = row[4].intValue
      else { return false }
      remember(
        Name(caller: row[0].stringValue, key: key),
        Answer(fingerprint: fingerprint, seq: seq, expiry: expiry)
      )
    }
    return true
  }
}
