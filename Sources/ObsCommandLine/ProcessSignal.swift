internal import Dispatch
internal import Foundation

/// SIGHUP, which asks a daemon to read its configuration again.
struct HangupSignal {
  /// One element a signal; several that come at once may be one.
  let stream: AsyncStream<Void>
  private let source: any DispatchSourceSignal

  /// Begins to hear; returns when no signal can be missed any more.
  static func hear() async -> HangupSignal {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    source.setEventHandler { continuation.yield() }
    source.setCancelHandler { continuation.finish() }
    await withCheckedContinuation { registered in
      source.setRegistrationHandler { registered.resume() }
      source.activate()
    }
    return HangupSignal(stream: stream, source: source)
  }

  /// Ends the stream; the handler that Dispatch has installed stays, so that further signals do nothing.
  func end() { source.cancel() }
}
