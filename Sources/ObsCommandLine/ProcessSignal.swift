internal import Dispatch

/// A signal as something to wait for, such as Ctrl-C or SIGHUP, instead of what ends the process.
public struct ProcessSignal {
  /// One element a signal; several that come at once may be one.
  ///
  /// Ends with ``end()``.
  public let stream: AsyncStream<Void>
  private let source: any DispatchSourceSignal

  /// Begins to hear; returns when no signal can be missed any more.
  ///
  /// Until then it ends the process.
  ///
  /// - Parameter number: such as `SIGHUP`.
  /// - Returns: what hears it, until ``end()``.
  public static func hear(_ number: Int32) async -> ProcessSignal {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    // Dispatch installs a handler of its own when it registers the source; ignoring the signal would undo that.
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { continuation.yield() }
    source.setCancelHandler { continuation.finish() }
    await withCheckedContinuation { registered in
      source.setRegistrationHandler { registered.resume() }
      source.activate()
    }
    return ProcessSignal(stream: stream, source: source)
  }

  /// Ends the stream; the handler that Dispatch has installed stays, so that further signals do nothing.
  public func end() { source.cancel() }
}
