public import FoundationEssentials

/// Why a log did not do what was asked.
public enum LogError: Error, Hashable, Sendable {
  /// Too much waits already; nothing was written.
  case busy(retryAfter: Duration)
  /// The log cannot be reached; nothing was written.
  case unavailable(retryAfter: Duration, String)
  /// The log does not know whether the entry is in: send the same (writer, n) again.
  case doubtful(String)
  /// The batch has more bytes than an entry may have; nothing was written.
  case tooLarge(bytes: Int, limit: Int)
  /// There is no room; nothing was written.
  case full(String)
  /// The entries that were asked for are gone; the first that is there is `first`.
  case truncated(first: Place)
  /// At this place the log holds something else, or nothing: what the caller knows is another history.
  case forked(at: Place)
  /// What is there is not a log, or another log.
  case foreign(String)
  /// A newer version wrote this; `known` is the newest that this build reads.
  case newerFormat(found: Int, known: Int, String)
  /// A batch is missing before this one: the next of this writer is `expected`; nothing was written.
  case outOfOrder(expected: UInt64)
  /// Another batch of the same number is in the log; nothing was written.
  case conflict(writer: UUID, n: UInt64)
  /// What is stored is not what was written, at a place where it is known.
  case damaged(at: Place?, String)
  /// Another process has the log open.
  case locked(pid: Int32?, String)
  /// The log may only be read; nothing was written.
  case readOnly(String)
  /// The system refused to read or write.
  case io(String)
  /// The log refuses to write since an earlier failure; reading goes on.
  case failed(String)
  /// The log is not open.
  case closed

  /// True when the entry may be in the log although the append failed.
  public var mayBeIn: Bool {
    switch self {
    case .doubtful: true
    default: false
    }
  }
}

extension LogError: CustomStringConvertible {
  /// What happened, where, and what to do.
  public var description: String {
    switch self {
    case .busy(let wait): "too many commits wait to be written; try again in \(wait)"
    case .unavailable(let wait, let what):
      "the log cannot be reached: \(what); try again in \(wait)"
    case .doubtful(let what):
      "\(what): whether the entry is in the log is unknown until it is opened again; send the same (writer, n) then"
    case .tooLarge(let bytes, let limit):
      "\(bytes) bytes are more than an entry may have (\(limit)); make the commits smaller"
    case .full(let what): "no room: \(what); free some and try again, nothing was written"
    case .truncated(let first): "the log begins at place \(first); load the newest snapshot"
    case .forked(let place):
      "the log does not hold at place \(place) what was seen there; load the newest snapshot, and find out who wrote"
    case .foreign(let what): "\(what); name another directory, nothing was changed"
    case .newerFormat(let found, let known, let what):
      "\(what) has version \(found), this build reads up to \(known); use a newer build, nothing was changed"
    case .outOfOrder(let expected): "a batch is missing: the next of this writer is \(expected)"
    case .conflict(let writer, let n): "another batch \(n) of writer \(writer) is in the log"
    case .damaged(let place, let what):
      "damaged\(place.map { " at place \($0)" } ?? ""): \(what); keep a copy of the directory and restore a backup"
    case .locked(let pid, let what):
      "\(what) is in use by \(pid.map { "process \($0)" } ?? "another process"); end it, or name another directory"
    case .readOnly(let what):
      "\(what) may only be read; give this user the right to write, nothing was written"
    case .io(let what): "\(what); look at the system's log, the disk may be failing"
    case .failed(let what):
      "closed for writing since an earlier failure (\(what)); open the log again when its cause is gone"
    case .closed: "the log is not open"
    }
  }
}
