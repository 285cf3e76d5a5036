import ObsServer

/// An event of the stream `transitions`: a proposal is new, or has moved from state to state.
struct Transition: Codable, Hashable, Sendable {
  var id: String
  var title: String
  /// Nil when the proposal is new.
  var from: ProposalState?
  var to: ProposalState
  /// When it happened, such as `2015-11-03T16:20:39-08:00`.
  var at: String
}

/// Hands each transition to everybody who follows, in order.
@ObsActor
final class Transitions {
  private var followers: [Int: AsyncStream<Transition>.Continuation] = [:]
  private var lastFollower = 0

  /// The transitions from now on.
  ///
  /// The server takes them out at once and bounds what waits for a subscriber.
  func follow() -> AsyncStream<Transition> {
    let (stream, follower) = AsyncStream.makeStream(of: Transition.self)
    lastFollower += 1
    let number = lastFollower
    followers[number] = follower
    follower.onTermination = { _ in
      Task { @ObsActor in self.followers[number] = nil }
    }
    return stream
  }

  func emit(_ transition: Transition) {
    for follower in followers.values { follower.yield(transition) }
  }
}
