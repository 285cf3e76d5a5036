import ObsLog
import ObsModel
import ObsWire

/// What a log comes to: the document and the answers that are remembered.
///
/// The same on every node and after every replay.
@ObsActor
final class ReplicaState {
  let document: Document
  private var memory: AnswerMemory
  /// The newest entry that was applied.
  private(set) var place: Place
  private(set) var chain: Hash

  /// Whether it came of a snapshot, and not of the log alone.
  private let isRestored: Bool

  /// Begins with an empty document.
  init(at place: Place, _ chain: Hash) throws(CommitError) {
    document = try Document()
    memory = AnswerMemory()
    isRestored = false
    (self.place, self.chain) = (place, chain)
  }

  init(_ document: Document, _ memory: AnswerMemory, at place: Place, _ chain: Hash) {
    isRestored = true
    self.document = document
    self.memory = memory
    (self.place, self.chain) = (place, chain)
  }

  var rememberedAnswers: Int { memory.count }

  /// The answer that is remembered for a commit with a key; nil when it has to be applied.
  func answer(to record: CommitRecord) -> Result<Int64, WireError>? {
    guard let key = record.key,
      let answer = memory.answer(AnswerMemory.Name(caller: record.caller, key: key.text))
    else { return nil }
    guard answer.fingerprint == key.fingerprint else {
      return .failure(
        WireError(.keyReused, "the idempotency key `\(key.text)` was used for another commit")
      )
    }
    return .success(answer.seq)
  }

  /// Applies one commit of an entry: accepted, refused without a trace, or known already.
  func apply(_ record: CommitRecord) -> Result<Int64, WireError> {
    if let answer = answer(to: record) { return answer }
    do throws(CommitError) {
      let seq = try document.apply(record.commit, limits: record.limits).seq
      if let key = record.key {
        let name = AnswerMemory.Name(caller: record.caller, key: key.text)
        let expiry = memory.time + key.seconds * 1000
        memory.remember(
          name,
          AnswerMemory.Answer(fingerprint: key.fingerprint, seq: seq, expiry: expiry)
        )
      }
      return .success(seq)
    } catch {
      return .failure(error.wire)
    }
  }

  /// Begins an entry: its commits follow.
  func begin(_ entry: Entry) { memory.advance(to: entry.batch.time) }

  /// Ends an entry, whose commits were all applied.
  func end(_ entry: Entry) { (place, chain) = (entry.place, entry.chain) }

  /// Applies a whole entry of a replay.
  ///
  /// - Throws: `invalid-value` for bytes that are no commit.
  func replay(_ entry: Entry) throws(CommitError) {
    begin(entry)
    for bytes in entry.batch.commits {
      let json = try Ticketed.json(bytes)
      if json["begun"] != nil, !isRestored {
        throw CommitError(
          .invalidValue,
          "the log was begun with content, but the snapshot that holds it is not there, or damaged"
        )
      }
      if let record = try Ticketed.record(json) { _ = apply(record) }
    }
    end(entry)
  }
}

// MARK: As the lines of a snapshot (docs/LOG.md, "Snapshots")

extension ReplicaState {
  /// The form of the lines.
  static let snapshotFormat: UInt16 = 1

  /// A snapshot of the state that is being written.
  @ObsActor
  final class Lines {
    let place: Place
    let chain: Hash
    private var head: JSON?
    private let document: DocumentSnapshot
    private var answers: AnswerMemory.Lines
    private let hash = LineHash()
    private var isComplete = false

    fileprivate init(_ state: ReplicaState) {
      (place, chain) = (state.place, state.chain)
      document = state.document.beginSnapshot()
      head = ["obs": "snapshot", "seq": .int(document.seq)]
      answers = state.memory.lines
    }

    /// The next line; nil after the last, which has a hash of all others.
    func next() -> [UInt8]? {
      if let head {
        self.head = nil
        return hash.add(head.line)
      }
      if let line = document.next() ?? answers.next()?.line { return hash.add(line) }
      if isComplete { return nil }
      isComplete = true
      return JSON.object(["complete": .string(hash.value)]).line
    }

    /// Lets go of the state before the end.
    func end() { document.end() }
  }

  /// Begins a snapshot; one at a time.
  func lines() -> Lines { Lines(self) }

  /// Makes a state of lines.
  @ObsActor
  final class Restoration {
    private let place: Place
    private let chain: Hash
    private var document: DocumentRestoration?
    private var memory = AnswerMemory()
    private let hash = LineHash()
    private var isComplete = false

    init(at place: Place, _ chain: Hash) { (self.place, self.chain) = (place, chain) }

    /// Takes the next line, without its end.
    ///
    /// - Throws: `invalid-value` for a line that cannot stand here.
    func take(_ bytes: [UInt8]) throws(CommitError) {
      let line: JSON
      do throws(JSONError) { line = try JSON(parsing: bytes, limits: .unlimited) } catch {
        throw CommitError(.invalidValue, "a line is not JSON: \(error.message)")
      }
      guard !isComplete else { throw CommitError(.invalidValue, "a line stands behind the last") }
      if let complete = line["complete"] {
        guard complete == .string(hash.value) else {
          throw CommitError(.invalidValue, "the lines are not those that were written")
        }
        isComplete = true
        return
      }
      _ = hash.add(bytes + [UInt8(ascii: "\n")])
      guard let document else {
        guard line["obs"] == "snapshot", let seq = line["seq"]?.intValue else {
          throw CommitError(.invalidValue, "this is no snapshot of a document")
        }
        document = DocumentRestoration(seq: seq)
        return
      }
      if memory.take(line) { return }
      try document.take(line)
    }

    /// The state, after the last line.
    ///
    /// - Throws: `invalid-value` when lines are missing.
    func state() throws(CommitError) -> ReplicaState {
      guard let document, isComplete else {
        throw CommitError(.invalidValue, "it is not complete")
      }
      return ReplicaState(try document.document(), memory, at: place, chain)
    }
  }
}

/// A hash of the lines that were added.
private final class LineHash {
  private var hash = RunningHash()

  func add(_ line: [UInt8]) -> [UInt8] {
    hash.update(line)
    return line
  }

  /// The hash of all lines; asked once.
  var value: String {
    defer { hash = RunningHash() }
    return hash.finish().description
  }
}

extension JSON {
  fileprivate var line: [UInt8] { encoded + [UInt8(ascii: "\n")] }
}

extension Entry {
  /// - Throws: ``LogError/newerFormat(found:known:_:)`` for commits that this version cannot read.
  func checkFormat() throws(LogError) {
    guard batch.format > CommitRecord.format else { return }
    throw .newerFormat(
      found: Int(batch.format),
      known: Int(CommitRecord.format),
      "entry \(place) of the log"
    )
  }
}

/// The bytes of a commit in the log: a ticket, by which its sender knows it again, and the record as JSON.
enum Ticketed {
  static func bytes(_ ticket: UInt64, _ json: JSON) -> [UInt8] {
    var writer = JSONWriter(
      appendingTo: stride(from: 56, through: 0, by: -8).map {
        UInt8(truncatingIfNeeded: ticket >> $0)
      }
    )
    writer.write(json)
    return writer.bytes
  }

  static func ticket(_ bytes: [UInt8]) -> UInt64? {
    guard bytes.count >= 8 else { return nil }
    return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// What stands behind the ticket.
  ///
  /// - Throws: `invalid-value` for what is not JSON.
  static func json(_ bytes: [UInt8]) throws(CommitError) -> JSON {
    do throws(JSONError) {
      return try JSON(parsing: Array(bytes.dropFirst(8)), limits: .unlimited)
    } catch {
      throw CommitError(.invalidValue, "a commit of the log is not JSON: \(error.message)")
    }
  }

  /// The record; nil for a note, which changes nothing.
  ///
  /// - Throws: `invalid-value` for what is neither.
  static func record(_ json: JSON) throws(CommitError) -> CommitRecord? {
    json["probe"] == nil && json["begun"] == nil ? try CommitRecord(json) : nil
  }

  /// What is appended to learn whether the log takes commits again.
  static let probe: JSON = ["probe": true]
  /// The first entry of a log that begins with content: without the snapshot of place 0 it is damaged, not empty.
  static let begun: JSON = ["begun": true]
}
