import FoundationEssentials

/// The database of a ``SQLiteLog``, on its own thread.
actor SQLiteCore: EntryReader {
  /// What is there while the log is open.
  struct Open {
    let lock: DirectoryLock
    let mark: AckedMark
    let database: Database
    let statements: SQLiteStatements
  }

  /// The row of the table `head`.
  struct Head: Equatable {
    var log: UUID
    var base: Place
    var baseChain: Hash
    var last: Place
    var chain: Hash
    var time: Int64
  }

  nonisolated let counts = LogCounts()
  private nonisolated let executor: LogThreadExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  let directory: String
  let options: SQLiteLog.Options
  let arrivals: Arrivals

  // While the log is open.
  var current: Open?
  var head: Head?
  var writers = WriterTable()
  /// Why the log refuses to write.
  var failure: String?
  /// The write-ahead log is moved into the file when it has so many pages.
  var checkpointDue: Int

  init(
    _ directory: String,
    _ options: SQLiteLog.Options,
    _ arrivals: Arrivals
  ) throws(LogError) {
    executor = try LogThreadExecutor(name: "obs-log")
    self.directory = directory
    self.options = options
    self.arrivals = arrivals
    checkpointDue = options.checkpointPages
  }

  var path: String { directory + "/" + SQLiteSchema.log.name }

  func opened() throws(LogError) -> (Open, Head) {
    guard let current, let head else { throw .closed }
    return (current, head)
  }

  func open() throws(LogError) -> LogInfo {
    try SystemFile.makeDirectory(directory)
    let lock = try DirectoryLock(directory)
    let mark = try AckedMark(directory)
    try refuseMissing(mark)
    let database = try SQLiteFile.open(path, vfs: options.vfs, schema: .log, create: createHead)
    let statements: SQLiteStatements
    do throws(SQLiteFailure) {
      statements = try SQLiteStatements(database)
    } catch {
      throw error.logError("reading \(path)")
    }
    let head = try load(database, statements)
    try compare(mark, head, statements)
    current = Open(lock: lock, mark: mark, database: database, statements: statements)
    self.head = head
    arrivals.begin(head.last)
    return try info()
  }

  func close() {
    arrivals.finish()
    current = nil
    head = nil
    writers = WriterTable()
    failure = nil
    checkpointDue = options.checkpointPages
  }

  func info() throws(LogError) -> LogInfo {
    let (open, head) = try opened()
    let pages = try? open.database.integer("PRAGMA page_count")
    return LogInfo(
      id: head.log,
      base: head.base,
      baseChain: head.baseChain,
      last: head.last,
      chain: head.chain,
      time: head.time,
      survives: .power,
      largestMessage: options.largestMessage,
      bytes: (Int(pages ?? 0) + open.database.framesInLog) * SQLiteSchema.pageBytes
    )
  }
}
