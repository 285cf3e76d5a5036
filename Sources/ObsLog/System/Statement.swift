import CSQLite

/// A prepared statement; the values of a row hold until the next step.
@safe
final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  init(_ handle: OpaquePointer, of database: Database) {
    unsafe self.handle = handle
    self.database = database
  }

  deinit { unsafe sqlite3_finalize(handle) }

  // MARK: Values in; the first is 1

  func bind(_ value: Int64, at index: Int32) throws(SQLiteFailure) {
    try check(unsafe sqlite3_bind_int64(handle, index, value))
  }

  func bind(_ bytes: [UInt8], at index: Int32) throws(SQLiteFailure) {
    guard bytes.count <= Int(Int32.max) else { throw database.failure(SQLITE_TOOBIG) }
    let code = unsafe bytes.withUnsafeBytes { buffer in
      unsafe csqlite_bind_bytes(handle, index, buffer.baseAddress, Int32(buffer.count))
    }
    try check(code)
  }

  private func check(_ code: Int32) throws(SQLiteFailure) {
    guard code == SQLITE_OK else { throw database.failure(code) }
  }

  // MARK: Running

  /// Goes to the next row; false after the last, and then the statement can be used anew.
  func step() throws(SQLiteFailure) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let failure = code == SQLITE_DONE ? nil : database.failure(code)
    reset()
    if let failure { throw failure }
    return false
  }

  /// Runs a statement that answers nothing.
  func run() throws(SQLiteFailure) {
    while try step() {}
  }

  /// Ends reading before the last row.
  func reset() {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  // MARK: Values out; the first is 0

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
    return unsafe String(cString: start)
  }
}
