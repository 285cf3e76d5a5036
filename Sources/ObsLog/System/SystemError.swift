import Glibc

/// Texts of errno values.
enum SystemError {
  static func text(_ code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, unsafe strerror_r(code, base, 256) == 0 else {
        return "error \(code)"
      }
      return unsafe String(cString: base)
    }
  }

  /// The error of the log that says what the system did not do.
  static func logError(_ code: Int32, _ doing: String, _ path: String) -> LogError {
    let what = "\(doing) \(path): \(text(code))"
    return switch code {
    case ENOSPC, EDQUOT: .full(what)
    case EACCES, EPERM, EROFS: .readOnly("\(path) (\(doing): \(text(code)))")
    default: .io(what)
    }
  }
}
