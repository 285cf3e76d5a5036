extension SQLiteSchema {
  /// The size of a page in all files.
  static let pageBytes = 4096

  /// The file of the log (docs/LOG.md, "Files").
  static let log = SQLiteSchema(
    name: "log.sqlite",
    applicationID: 0x6F62_734C,  // "obsL"
    version: 1,
    tables: """
      CREATE TABLE head (
        one INTEGER PRIMARY KEY CHECK (one = 1), log BLOB NOT NULL,
        base INTEGER NOT NULL, base_chain BLOB NOT NULL,
        last INTEGER NOT NULL, chain BLOB NOT NULL, time INTEGER NOT NULL) STRICT;
      CREATE TABLE entries (
        place INTEGER PRIMARY KEY, writer BLOB NOT NULL, n INTEGER NOT NULL, time INTEGER NOT NULL,
        format INTEGER NOT NULL, chain BLOB NOT NULL, body BLOB NOT NULL) STRICT;
      CREATE UNIQUE INDEX entries_writer ON entries (writer, n);
      CREATE TABLE writers (
        writer BLOB PRIMARY KEY, n INTEGER NOT NULL, place INTEGER NOT NULL,
        time INTEGER NOT NULL) WITHOUT ROWID, STRICT;
      """
  )

  /// The file of the snapshots.
  static let snapshots = SQLiteSchema(
    name: "snapshots.sqlite",
    applicationID: 0x6F62_7353,  // "obsS"
    version: 1,
    tables: """
      CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), log BLOB NOT NULL) STRICT;
      CREATE TABLE snapshots (
        id INTEGER PRIMARY KEY, place INTEGER NOT NULL UNIQUE, chain BLOB NOT NULL,
        digest BLOB NOT NULL, format INTEGER NOT NULL, chunks INTEGER NOT NULL,
        bytes INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
      CREATE TABLE chunks (
        snapshot INTEGER NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL,
        body BLOB NOT NULL, PRIMARY KEY (snapshot, number)) STRICT;
      """
  )
}

/// The statements of the log that run often.
final class SQLiteStatements {
  let begin: Statement
  let commit: Statement
  let insert: Statement
  let advance: Statement
  let noteWriter: Statement
  let after: Statement
  let chainAt: Statement
  let numbered: Statement

  init(_ database: Database) throws(SQLiteFailure) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    insert = try database.prepare(
      "INSERT INTO entries (place, writer, n, time, format, chain, body) VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    advance = try database.prepare("UPDATE head SET last = ?, chain = ?, time = ? WHERE one = 1")
    noteWriter = try database.prepare(
      "REPLACE INTO writers (writer, n, place, time) VALUES (?, ?, ?, ?)"
    )
    after = try database.prepare(
      """
      SELECT place, writer, n, time, format, chain, body FROM entries
      WHERE place > ? ORDER BY place LIMIT \(ReadLimit.entries)
      """
    )
    chainAt = try database.prepare("SELECT chain FROM entries WHERE place = ?")
    numbered = try database.prepare("SELECT place, body FROM entries WHERE writer = ? AND n = ?")
  }
}
