internal import ObsCommandLine
internal import Foundation

extension Output {
  /// Returns when nobody reads standard output any more, as after the first line of `obsctl … | head -1`, or the task is cancelled.
  ///
  /// Called once: its thread stays until then, or until the process ends.
  func waitForEnd() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    Thread.detachNewThread {
      // Asks for nothing, so it is told only that the other end is gone. Files have none.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
      continuation.yield()
    }
    for await _ in stream { break }
  }
}
