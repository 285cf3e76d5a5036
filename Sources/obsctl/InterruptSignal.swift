internal import Dispatch
internal import Foundation

/// Ctrl-C as something to wait for, so that the program can close its connection and leave the terminal in order.
enum InterruptSignal {
  /// Returns when Ctrl-C was pressed or the task is cancelled.
  static func wait() async {
    // The source hears the signal only when the default action, which ends the process, is off.
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT)
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    source.setEventHandler { continuation.yield() }
    source.activate()
    for await _ in stream { break }
    source.cancel()
  }
}
