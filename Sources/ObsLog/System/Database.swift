import CSQLite

/// What SQLite refused.
struct SQLiteFailure: Error {
  /// The extended result code.
  var code: Int32
  var text: String

  /// The result code without its details.
  var primary: Int32 { code & 0xFF }
}

/// One connection to one SQLite file, used by one thread at a time.
@safe
final class Database {
  private let handle: OpaquePointer
  private let frames: UnsafeMutablePointer<Int32>

  /// Opens a file, and makes it when it is missing.
  ///
  /// `vfs` names SQLite's file layer; nil is the system's.
  init(_ path: String, vfs: String?) throws(SQLiteFailure) {
    var handle: OpaquePointer?
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = unsafe sqlite3_open_v2(path, &handle, flags, vfs)
    guard code == SQLITE_OK, let handle = unsafe handle else {
      let failure = unsafe Database.failure(code, handle)
      unsafe sqlite3_close_v2(handle)
      throw failure
    }
    unsafe self.handle = handle
    unsafe frames = .allocate(capacity: 1)
    unsafe frames.initialize(to: 0)
    unsafe csqlite_watch_frames(handle, frames)
  }

  // Statements of this connection may outlive this call; SQLite waits for them.
  deinit {
    unsafe sqlite3_wal_hook(handle, nil, nil)
    unsafe sqlite3_close_v2(handle)
    unsafe frames.deallocate()
  }

  /// True when the file system lets this file only be read.
  var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

  /// The number of pages that wait in the write-ahead log, at the last commit.
  ///
  /// (`PRAGMA wal_autocheckpoint` would end this count; there is no need of it, the count replaces it.)
  var framesInLog: Int { Int(unsafe frames.pointee) }

  /// Runs statements that answer nothing.
  func execute(_ sql: String) throws(SQLiteFailure) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Undoes an open transaction; there may be none.
  func rollback() -> Bool {
    if unsafe sqlite3_get_autocommit(handle) != 0 { return true }
    return unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) == SQLITE_OK
  }

  /// Prepares a statement for many uses.
  func prepare(_ sql: String) throws(SQLiteFailure) -> Statement {
    var statement: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle,
      sql,
      -1,
      UInt32(SQLITE_PREPARE_PERSISTENT),
      &statement,
      nil
    )
    guard code == SQLITE_OK, let statement = unsafe statement else { throw failure(code) }
    return unsafe Statement(statement, of: self)
  }

  /// The integer in the first row of an answer; 0 when there is none.
  func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The texts in the first column of an answer.
  func texts(_ sql: String) throws(SQLiteFailure) -> [String] {
    let statement = try prepare(sql)
    var texts: [String] = []
    while try statement.step() { texts.append(statement.text(0)) }
    return texts
  }

  /// Moves what the write-ahead log holds into the file, and with `truncating` empties it.
  func checkpoint(truncating: Bool) throws(SQLiteFailure) {
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
    unsafe frames.pointee = 0
  }

  func failure(_ code: Int32) -> SQLiteFailure { unsafe Database.failure(code, handle) }

  private static func failure(_ code: Int32, _ handle: OpaquePointer?) -> SQLiteFailure {
    // The connection keeps the code and the text of its last failure; the system's error tells more.
    var text = unsafe String(cString: sqlite3_errstr(code))
    if let handle = unsafe handle {
      let message = unsafe String(cString: sqlite3_errmsg(handle))
      if unsafe sqlite3_extended_errcode(handle) == code, message != text { text = message }
      let system = unsafe sqlite3_system_errno(handle)
      if system != 0, code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN {
        text += " (\(SystemError.text(system)))"
      }
    }
    return SQLiteFailure(code: code, text: text)
  }
}
