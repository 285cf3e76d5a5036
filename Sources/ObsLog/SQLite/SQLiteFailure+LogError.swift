import CSQLite

extension SQLiteFailure {
  /// The error of the log: what was done, and at which place, when SQLite refused.
  func logError(_ doing: String, at place: Place? = nil) -> LogError {
    let what = "\(doing): \(text)"
    return switch primary {
    case SQLITE_FULL: .full(what)
    case SQLITE_READONLY, SQLITE_PERM: .readOnly(what)
    case SQLITE_BUSY, SQLITE_LOCKED: .locked(pid: nil, what)
    case SQLITE_CORRUPT: .damaged(at: place, what)
    case SQLITE_NOTADB: .foreign(what)
    default: .io(what)
    }
  }

  /// True when nothing of the transaction can be on disk, and the next one may go well.
  ///
  /// SQLITE_FULL comes from writing, never from fsync, and a write-ahead log without its last frame counts as nothing.
  var isHarmless: Bool { [SQLITE_FULL, SQLITE_READONLY, SQLITE_BUSY].contains(primary) }
}

extension SQLiteFailure {
  /// Damage that SQLite does not see.
  static func broken(_ text: String) -> SQLiteFailure {
    SQLiteFailure(code: SQLITE_CORRUPT, text: text)
  }

  /// A file system that cannot keep our promises.
  static let noWriteAheadLog = SQLiteFailure(
    code: SQLITE_IOERR,
    text: "there can be no write-ahead log on this file system"
  )
}
