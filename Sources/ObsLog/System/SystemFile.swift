import Glibc

/// A small file beside the database, by its descriptor.
final class SystemFile {
  let path: String
  private let descriptor: Int32

  /// Opens a file for reading and writing, and makes it when it is missing.
  init(_ path: String) throws(LogError) {
    self.path = path
    descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw SystemError.logError(errno, "opening", path) }
  }

  deinit { Glibc.close(descriptor) }

  /// Takes the file's lock, which goes with this object or the process; false when another holds it.
  func lock() throws(LogError) -> Bool {
    // A process that has just ended, or one that is being started by the last holder, has it for a moment yet.
    for attempt in 0..<10 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard errno == EWOULDBLOCK else { throw SystemError.logError(errno, "locking", path) }
      if attempt < 9 { usleep(20_000) }
    }
    return false
  }

  /// The first bytes, at most `count`.
  func read(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = unsafe max(0, pread(descriptor, buffer.baseAddress, count, 0))
    }
  }

  /// Replaces the first bytes; false when the system refuses.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { buffer in
      unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, 0) == buffer.count
    }
  }

  /// Cuts the file to a length.
  func cut(_ count: Int) { ftruncate(descriptor, off_t(count)) }

  /// The length of a file in bytes; nil when there is none.
  static func size(_ path: String) -> Int? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Makes a directory (not those above it) unless it is there, and has the disk remember it.
  static func makeDirectory(_ path: String) throws(LogError) {
    if unsafe mkdir(path, 0o750) == 0 {
      let parent = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
      let root = path.hasPrefix("/") ? "/" : "./"
      let descriptor = unsafe Glibc.open(
        root + parent.joined(separator: "/"),
        O_RDONLY | O_DIRECTORY | O_CLOEXEC
      )
      if descriptor >= 0 {
        fsync(descriptor)
        Glibc.close(descriptor)
      }
    } else if errno != EEXIST {
      throw SystemError.logError(errno, "making", path)
    }
  }

  /// Removes a file that may be missing.
  static func remove(_ path: String) { unsafe unlink(path) }
}
