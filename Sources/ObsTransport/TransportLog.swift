import CWebsockets
import Synchronization

/// Where the lines go that libwebsockets would print to standard error.
///
/// Only errors and warnings are taken, at most ``linesPerSecond`` of them (trap 7: one exhausted resource writes hundreds of
/// thousands of lines). What was dropped is told with the next line that passes.
public enum TransportLog {
  /// One line of the library's log.
  public struct Line: Sendable {
    /// Whether the library calls it an error; otherwise it is a warning.
    public let isError: Bool
    /// The text without its time stamp.
    public let text: String
    /// How many lines were dropped since the last one.
    public let dropped: Int
  }

  /// The most lines that pass in one second.
  public static let linesPerSecond = 10

  private struct State {
    var handler: (@Sendable (Line) -> Void)?
    var windowStart: UInt64 = 0
    var inWindow = 0
    var dropped = 0
  }
  private static let state = Mutex(State())

  /// Sets who receives the lines; nil (the default) discards them.
  ///
  /// The handler is called on loop threads and must not block.
  public static func setHandler(_ handler: (@Sendable (Line) -> Void)?) {
    state.withLock { $0.handler = handler }
    install()
  }

  /// Takes the library's log away from standard error; once in a process.
  static func install() { _ = installed }

  private static let installed: Void = unsafe lws_set_log_level(
    Int32(LLL_ERR | LLL_WARN),
    logEntry
  )

  static func emit(isError: Bool, text: String) {
    let now = Clock.milliseconds()
    let (handler, dropped) = state.withLock {
      state -> ((@Sendable (Line) -> Void)?, Int) in
      guard let handler = state.handler else { return (nil, 0) }
      if now >= state.windowStart + 1000 {
        state.windowStart = now
        state.inWindow = 0
      }
      guard state.inWindow < linesPerSecond else {
        state.dropped += 1
        return (nil, 0)
      }
      state.inWindow += 1
      defer { state.dropped = 0 }
      return (handler, state.dropped)
    }
    handler?(Line(isError: isError, text: text, dropped: dropped))
  }
}

private func logEntry(_ level: Int32, _ line: UnsafePointer<CChar>?) {
  guard let line = unsafe line else { return }
  var text = unsafe String(cString: line)
  // The library ends its lines with a line break.
  while text.last?.isNewline == true { text.removeLast() }
  // It calls each adoption of a socket with bytes that were read before an error. Its buffer for lines is one for all threads.
  if text.isEmpty || text.hasSuffix("calling service") { return }
  TransportLog.emit(isError: level == LLL_ERR, text: text)
}
