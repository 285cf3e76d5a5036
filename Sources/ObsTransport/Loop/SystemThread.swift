import CUV
import CWebsockets
import Glibc

/// Starts operating system threads with a stack of a known size.
enum SystemThread {
  private final class Start {
    let name: String
    let body: @Sendable () -> Void
    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Names the calling thread; the kernel keeps 15 bytes.
  static func setName(_ name: String) { unsafe cuv_name_thread(name) }

  /// Runs `body` on a new detached thread.
  ///
  /// The name is cut to 15 bytes, as the kernel wants it. Swift's parser recursion and jansson's need the stack: 8 MiB.
  static func start(
    name: String,
    stackBytes: Int = 8 << 20,
    _ body: @escaping @Sendable () -> Void
  ) throws(TransportError) {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, stackBytes)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Balanced by takeRetainedValue in the thread, or by release below when there is no thread.
    let start = unsafe Unmanaged.passRetained(Start(name, body))
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread,
      &attributes,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        SystemThread.setName(start.name)
        start.body()
        return nil
      },
      start.toOpaque()
    )
    guard result == 0 else {
      unsafe start.release()
      throw TransportError(
        .loopFailed,
        "the thread \(name) could not be started",
        underlying: SystemError.text(result)
      )
    }
  }
}

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
}
