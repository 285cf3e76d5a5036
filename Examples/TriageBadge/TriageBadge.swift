public import ObsClient
public import Observation

/// Derived state outside views: a model that keeps a number which no field holds, computed from a live query.
///
/// It needs no API of its own. A handle is observable, and `Observations` turns what a closure reads into a sequence that
/// yields when any of it changes; the model reads through that and keeps the derived value itself. It yields once per
/// frame that changed what it read, and not for any other.
@MainActor @Observable
public final class TriageBadge {
  /// How many open items assigned to the viewer are pull requests.
  public private(set) var open = 0
  /// How often `open` was derived anew: once per frame that changed the assigned items.
  public private(set) var derivations = 0

  /// Keeps the data live as long as the model lives, as a view's storage would.
  private let retention: Retention
  private let lifeline = Lifeline()

  /// Begins to follow the query of a viewer, on any client.
  public init(client: Client, viewer: String) {
    let handle = client.handle(for: TriageQuery(viewer: viewer))
    retention = handle.retain()
    let lifeline = lifeline
    // The closure states no actor: it inherits this one, and Swift 6.3's compiler crashes when it is spelled out.
    // It captures no self, and ends by the lifeline: a cancelled iteration would leave its registrations behind.
    let counts = Observations<Int, Never>.untilFinished {
      lifeline.isOpen ? .next(Self.count(handle)) : .finish
    }
    Task { [weak self] in
      for await count in counts { self?.take(count) }
    }
  }

  isolated deinit {
    lifeline.isOpen = false
  }

  /// Reads the assigned items and no more, so a frame that changes only `mentions` goes unnoticed.
  private static func count(_ handle: Handle<TriageQuery>) -> Int {
    handle.read(\.assigned)?.count(where: \.isPullRequest) ?? 0
  }

  private func take(_ count: Int) {
    open = count
    derivations += 1
  }
}

/// Ends an iteration of `Observations`: the closure reads it first, and finishes when it is no longer open.
@MainActor @Observable
private final class Lifeline {
  var isOpen = true
}
