import ObsClient
import Synchronization

/// A client of the demo: a real one, over a socket, like any other program would be.
final class Viewer: Sendable {
  /// How many proposals of `newest` the demo shows.
  static let limit = 4

  let client: Client
  private let expectation: Expectation
  /// A pause after each value, as of a reader that has much to do.
  private let rest: Duration
  private let state = Mutex(Seen())

  init(_ client: Client, _ expectation: Expectation, rest: Duration = .zero) {
    self.client = client
    self.expectation = expectation
    self.rest = rest
  }

  var seen: Seen { state.withLock { $0 } }

  /// Follows every query and the stream until the client is closed.
  func run() async {
    // The stream first: when the first values are there, it has begun, and no event is missed.
    var transitions = client.events("transitions", as: Transition.self).makeAsyncIterator()
    await withDiscardingTaskGroup { group in
      group.addTask {
        await self.follow("inReview", as: Int.self) { seen, frame in
          seen.inReview = frame.value
          seen.compare(frame.value, of: frame)
        }
      }
      group.addTask {
        await self.follow("byState", as: [String: Int].self) { seen, frame in
          seen.byState = frame.value
          seen.compare(frame.value[ProposalState.activeReview.rawValue] ?? 0, of: frame)
        }
      }
      group.addTask {
        await self.follow("anyReturnedThisYear", as: Bool.self) {
          $0.anyReturnedThisYear = $1.value
        }
      }
      group.addTask {
        await self.follow("newest", ["limit": Viewer.limit], as: [Headline].self) {
          $0.newest = $1.value
        }
      }
      group.addTask {
        await self.follow("check", as: Check.self) { seen, frame in
          seen.check = frame.value
          if !self.expectation.agrees(frame.value) { seen.torn += 1 }
          seen.compare(frame.value.inReview, of: frame)
        }
      }
      group.addTask {
        await self.follow("progress", as: Progress.self) { $0.progress = $1.value }
      }
      do {
        while let event = try await transitions.next() { state.withLock { $0.add(event) } }
      } catch {
        note(error, about: "transitions")
      }
    }
  }

  private func follow<Value: Decodable & Sendable>(
    _ query: String,
    _ arguments: [String: Int] = [:],
    as type: Value.Type,
    _ take: @Sendable (inout Seen, Frame<Value>) -> Void
  ) async {
    do {
      for try await frame in client.frames(query, arguments, as: type) {
        state.withLock { seen in
          seen.frames += 1
          seen.skipped += frame.skipped
          take(&seen, frame)
        }
        if rest > .zero { try await Task.sleep(for: rest) }
      }
    } catch {
      note(error, about: query)
    }
  }

  private func note(_ error: any Error, about operation: String) {
    state.withLock { $0.problem = $0.problem ?? "\(operation): \(error)" }
  }
}
