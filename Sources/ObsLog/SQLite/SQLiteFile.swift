/// What makes a SQLite file one of ours.
struct SQLiteSchema: Sendable {
  var name: String
  /// `PRAGMA application_id`.
  var applicationID: Int64
  /// `PRAGMA user_version`.
  var version: Int64
  var tables: String
}

/// Opens SQLite files of the log as they all must be.
enum SQLiteFile {
  /// Opens a file and makes its tables when it is new; `create` then fills them, in the same transaction.
  static func open(
    _ path: String,
    vfs: String?,
    schema: SQLiteSchema,
    create: (Database) throws(SQLiteFailure) -> Void
  ) throws(LogError) -> Database {
    let database: Database
    let recognized: Recognized
    do throws(SQLiteFailure) {
      database = try Database(path, vfs: vfs)
      recognized = try recognize(database, schema)
    } catch {
      throw error.logError("opening \(path)")
    }
    switch recognized {
    case .readOnly: throw .readOnly(path)
    case .foreign: throw .foreign("\(path) is not a \(schema.name) of obs")
    case .newer(let version):
      throw .newerFormat(found: Int(version), known: Int(schema.version), path)
    case .new, .ours: break
    }
    do throws(SQLiteFailure) {
      if recognized == .new { try database.execute("PRAGMA auto_vacuum=INCREMENTAL") }
      try database.execute(settings)
      guard try database.texts("PRAGMA journal_mode=WAL") == ["wal"] else {
        throw SQLiteFailure.noWriteAheadLog
      }
      if recognized == .new {
        try database.execute("BEGIN IMMEDIATE; \(schema.tables)")
        try database.execute("PRAGMA application_id=\(schema.applicationID)")
        try database.execute("PRAGMA user_version=\(schema.version)")
        try create(database)
        try database.execute("COMMIT")
      }
      // What was read may only be in the system's cache, if an fsync failed before the last process died:
      // writing it to the file and syncing that makes sure.
      try database.checkpoint(truncating: true)
    } catch {
      throw error.logError("preparing \(path)")
    }
    return database
  }

  private static let settings = """
    PRAGMA synchronous=FULL; PRAGMA journal_size_limit=16777216;
    PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON; PRAGMA cache_size=-8192
    """

  private enum Recognized: Equatable {
    case new
    case ours
    case readOnly
    case foreign
    case newer(Int64)
  }

  private static func recognize(
    _ database: Database,
    _ schema: SQLiteSchema
  ) throws(SQLiteFailure) -> Recognized {
    if database.isReadOnly { return .readOnly }
    // One process has the file at a time, so the index of the write-ahead log can be in its own memory.
    try database.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF")
    let application = try database.integer("PRAGMA application_id")
    let version = try database.integer("PRAGMA user_version")
    let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
    if application == 0, version == 0, tables == 0 { return .new }
    guard application == schema.applicationID, version > 0 else { return .foreign }
    return version <= schema.version ? .ours : .newer(version)
  }
}
