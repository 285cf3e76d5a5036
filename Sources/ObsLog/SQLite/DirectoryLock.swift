import Glibc

/// Keeps a directory for one process: a locked file `lock` with the number of that process in it.
///
/// The lock goes with the process, so nothing is left to clean up after a crash.
final class DirectoryLock {
  private let file: SystemFile

  init(_ directory: String) throws(LogError) {
    file = try SystemFile(directory + "/lock")
    guard try file.lock() else {
      let text = String(decoding: file.read(16), as: UTF8.self)
      throw .locked(pid: Int32(text.prefix { $0.isNumber }), directory)
    }
    file.cut(0)
    file.write(Array("\(getpid())\n".utf8))
  }
}
