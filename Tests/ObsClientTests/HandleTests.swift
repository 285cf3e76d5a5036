import ObsClient
import ObsWire
import Observation
import Testing
import TriageBadge

/// The value of a handle that follows a number.
private struct CountOf: LiveQuery {
  typealias Value = Int
  static let operation = "count"
  var name: String
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct HandleTests {
  private func withClient(
    _ body: @MainActor (FakeServer, Client, ManualTiming) async throws -> Void
  ) async throws {
    let timing = ManualTiming()
    try await FakeServer.with { server in
      let client = Client(server.url, .manual(timing))
      let result: Result<Void, any Error>
      do {
        result = .success(try await body(server, client, timing))
      } catch { result = .failure(error) }
      await client.close()
      try result.get()
    }
  }

  @Test("it loads when it is retained, and not before")
  func loading() async throws {
    try await withClient { server, client, _ in
      let handle = client.handle(for: CountOf(name: "a"))
      #expect(handle.phase == .loading)
      #expect(!handle.isStale)
      // The first thing that the server hears is this call, not the query.
      async let marker = client.call("marker", as: Int.self)
      let call = try await server.subscribe()
      #expect(call.payload.operationName == "marker")
      server.next(call, 0)
      _ = try await marker

      let retention = handle.retain()
      let subscribe = try await server.subscribe()
      #expect(subscribe.payload.operationName == "count")
      #expect(subscribe.payload.variables == ["name": "a"])
      server.next(subscribe, 1)
      await until { handle.phase == .ready(1) }
      #expect(!handle.isStale)
      retention.release()
    }
  }

  @Test("equal queries share one handle and one subscription, others do not")
  func sharing() async throws {
    try await withClient { server, client, _ in
      let first = client.handle(for: CountOf(name: "a"))
      let second = client.handle(for: CountOf(name: "a"))
      let other = client.handle(for: CountOf(name: "b"))
      #expect(first === second)
      #expect(first !== other)
      let retentions = [first.retain(), second.retain(), other.retain()]
      let a = try await server.subscribe()
      let b = try await server.subscribe()
      #expect(a.payload.variables == ["name": "a"])
      #expect(b.payload.variables == ["name": "b"])
      for retention in retentions { retention.release() }
    }
  }

  @Test("data is live exactly as long as one retention is held")
  func lifetime() async throws {
    try await withClient { server, client, _ in
      let handle = client.handle(for: CountOf(name: "a"))
      let first = handle.retain()
      var second: Retention? = handle.retain()
      let subscribe = try await server.subscribe()
      server.next(subscribe, 1)
      await until { handle.phase == .ready(1) }
      first.release()
      first.release()
      server.next(subscribe, 2)
      await until { handle.phase == .ready(2) }
      _ = second
      second = nil
      #expect(try await server.complete() == subscribe.id)
      await until { handle.isStale }
      #expect(handle.phase == .ready(2))

      let third = handle.retain()
      let again = try await server.subscribe()
      #expect(again.id != subscribe.id)
      #expect(handle.isStale)
      server.next(again, 2)
      await until { !handle.isStale }
      #expect(handle.phase == .ready(2))
      third.release()
    }
  }

  @Test(
    "while there is no connection the value is stale, and the same value brings it back quietly"
  )
  func stale() async throws {
    try await withClient { server, client, timing in
      let handle = client.handle(for: CountOf(name: "a"))
      let retention = handle.retain()
      let first = try await server.subscribe()
      server.next(first, 1)
      await until { handle.phase == .ready(1) }
      let changes = ChangeCounter { _ = handle.phase }
      server.kill(first.connection)
      await until { handle.isStale }
      try await timing.wait().end()
      server.next(try await server.subscribe(), 1)
      await until { !handle.isStale }
      #expect(changes.count == 0)
      retention.release()
    }
  }

  @Test("an error is a phase, and a value heals it")
  func failing() async throws {
    try await withClient { server, client, _ in
      let handle = client.handle(for: CountOf(name: "a"))
      let retention = handle.retain()
      let subscribe = try await server.subscribe()
      let error = NextPayload(data: .null, errors: [WireError(.invalidType, "no number")])
      server.send(subscribe.connection, .next(id: subscribe.id, payload: error))
      await until { if case .failed = handle.phase { true } else { false } }
      server.next(subscribe, 3)
      await until { handle.phase == .ready(3) }
      retention.release()
    }
  }

  @Test("after an error that ends the query, a new retention asks again")
  func retry() async throws {
    try await withClient { server, client, _ in
      let handle = client.handle(for: CountOf(name: "a"))
      let first = handle.retain()
      let refused = try await server.subscribe()
      server.send(
        refused.connection,
        .error(id: refused.id, errors: [WireError(.unknownOperation, "no")])
      )
      await until { if case .failed = handle.phase { true } else { false } }
      let second = handle.retain()
      await until { handle.phase == .loading }
      server.next(try await server.subscribe(), 1)
      await until { handle.phase == .ready(1) }
      first.release()
      second.release()
    }
  }

  @Test("a frame with an equal value notifies nobody")
  func equalFrame() async throws {
    try await withClient { server, client, _ in
      let handle = client.handle(for: CountOf(name: "a"))
      let marker = client.handle(for: CountOf(name: "marker"))
      let retentions = [handle.retain(), marker.retain()]
      let subscribe = try await server.subscribe()
      let other = try await server.subscribe()
      server.next(subscribe, 1)
      await until { handle.phase == .ready(1) }
      let changes = ChangeCounter { _ = (handle.phase, handle.isStale) }
      server.next(subscribe, 1)
      server.next(subscribe, 1.0)
      server.next(other, 7)
      await until { marker.phase == .ready(7) }
      #expect(changes.count == 0)
      for retention in retentions { retention.release() }
    }
  }

  @Test("the values of one cut change in one stretch")
  func consistentCut() async throws {
    try await withClient { server, client, _ in
      let (left, right) = (
        client.handle(for: CountOf(name: "l")), client.handle(for: CountOf(name: "r"))
      )
      let retentions = [left.retain(), right.retain()]
      let (l, r) = (try await server.subscribe(), try await server.subscribe())
      let torn = TornCounter(left, right)
      for number in 1...200 as ClosedRange<Int64> {
        // Two messages of one cut, in passes of their own.
        server.next(l, .int(number), rev: number, more: true)
        server.next(r, .int(number), rev: number)
      }
      await until { right.phase == .ready(200) }
      #expect(left.phase == .ready(200))
      #expect(torn.count == 0)
      torn.stop()
      for retention in retentions { retention.release() }
    }
  }

  @Test("TriageBadge: one local yield per frame that changed what it read, none otherwise")
  func triageBadge() async throws {
    try await withClient { server, client, _ in
      let badge = TriageBadge(client: client, viewer: "kim")
      let subscribe = try await server.subscribe()
      #expect(subscribe.payload.operationName == TriageQuery.operation)
      #expect(subscribe.payload.variables == ["viewer": "kim"])
      // The first yield is of the time before the first frame.
      await until { badge.derivations == 1 }
      #expect(badge.open == 0)

      func frame(_ pullRequests: Int, issues: Int = 0, mentions: Int = 0) throws {
        let items =
          (0..<pullRequests).map { TriageQuery.Item(title: "p\($0)", isPullRequest: true) }
          + (0..<issues).map { TriageQuery.Item(title: "i\($0)", isPullRequest: false) }
        let value = TriageQuery.Value(assigned: items, mentions: mentions)
        server.next(subscribe, try JSONCoding.json(value))
      }
      try frame(2)
      await until { badge.derivations == 2 }
      #expect(badge.open == 2)

      // Equal, or different only in what the badge does not read: no yield. Then one that changes what it read.
      try frame(2)
      try frame(2, mentions: 5)
      try frame(2, mentions: 6)
      try await settled(server, client)
      #expect(badge.derivations == 2)
      try frame(3, mentions: 6)
      await until { badge.derivations == 3 }
      #expect(badge.open == 3)

      // It read the rows, so a row that changes no count is a yield too.
      try frame(3, issues: 1, mentions: 6)
      await until { badge.derivations == 4 }
      #expect(badge.open == 3)
    }
  }

  @Test("the end of the model ends the subscription")
  func endOfBadge() async throws {
    try await withClient { server, client, _ in
      var badge: TriageBadge? = TriageBadge(client: client, viewer: "kim")
      let subscribe = try await server.subscribe()
      _ = badge
      badge = nil
      #expect(try await server.complete() == subscribe.id)
    }
  }

  /// Returns when everything that the server sent before has reached the handles.
  private func settled(_ server: FakeServer, _ client: Client) async throws {
    let marker = client.handle(for: CountOf(name: "settled"))
    let retention = marker.retain()
    server.next(try await server.subscribe(), 1)
    await until { marker.phase == .ready(1) }
    retention.release()
    #expect(try await server.complete() != "")
  }
}

/// Counts how often something that is read is about to change: at most once.
@MainActor
final class ChangeCounter {
  private(set) var count = 0

  init(_ read: () -> Void) {
    withObservationTracking(read) { [weak self] in
      MainActor.assumeIsolated { self?.count += 1 }
    }
  }
}

/// Looks at two handles whenever one of them has changed, and counts when they differ.
@MainActor
private final class TornCounter {
  private(set) var count = 0
  private let lifeline = Lifeline()

  init(_ left: Handle<CountOf>, _ right: Handle<CountOf>) {
    let lifeline = lifeline
    let pairs = Observations<Bool, Never>.untilFinished {
      lifeline.isOpen ? .next(left.phase == right.phase) : .finish
    }
    Task { [weak self] in
      for await isWhole in pairs where !isWhole { self?.count += 1 }
    }
  }

  func stop() { lifeline.isOpen = false }
}
