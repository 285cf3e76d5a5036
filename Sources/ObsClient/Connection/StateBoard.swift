internal import Synchronization

/// Shows the newest connection state to anybody, and every change to those who follow.
final class StateBoard: Sendable {
  private struct Contents {
    var state: ConnectionState = .disconnected
    var followers: [Int: AsyncStream<ConnectionState>.Continuation] = [:]
    var lastFollower = 0
  }

  private let contents = Mutex(Contents())

  var state: ConnectionState { contents.withLock { $0.state } }

  /// Posts come from the loop's thread only, so followers see them in order although the lock is released first:
  /// finish() under it would come back through onTermination on the same thread.
  func post(_ state: ConnectionState) {
    let followers = contents.withLock { contents in
      contents.state = state
      return Array(contents.followers.values)
    }
    for follower in followers {
      follower.yield(state)
      if case .closed = state { follower.finish() }
    }
  }

  /// The state now, and then each change.
  ///
  /// A follower that is 64 changes behind misses the oldest.
  func follow() -> AsyncStream<ConnectionState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ConnectionState.self,
      bufferingPolicy: .bufferingNewest(64)
    )
    let (follower, state) = contents.withLock { contents in
      contents.lastFollower += 1
      contents.followers[contents.lastFollower] = continuation
      continuation.yield(contents.state)
      return (contents.lastFollower, contents.state)
    }
    // Holds the board as long as somebody follows; the client's end is the end of every stream.
    continuation.onTermination = { _ in self.forget(follower) }
    if case .closed = state { continuation.finish() }
    return stream
  }

  private func forget(_ follower: Int) {
    _ = contents.withLock { $0.followers.removeValue(forKey: follower) }
  }
}
