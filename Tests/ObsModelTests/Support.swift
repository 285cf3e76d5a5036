import Foundation
import ObsModel
import Observation
import Testing

/// What happened, in order, for a test that waits for events and never for time.
struct Inbox<Element: Sendable>: Sendable {
  private let stream: AsyncStream<Element>
  private let continuation: AsyncStream<Element>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  /// Takes an event, from any thread.
  func put(_ element: Element) { continuation.yield(element) }

  /// The next event; waits for it, and throws only when the test is cancelled.
  func next() async throws -> Element {
    var iterator = stream.makeAsyncIterator()
    guard let element = await iterator.next() else { throw CancellationError() }
    return element
  }
}

/// Returns in a later turn: all that this turn changed has been evaluated by then.
func nextTurn() async {
  await withCheckedContinuation { continuation in
    ObsActor.executor.submit { continuation.resume() }
  }
}

// MARK: Models

/// The person of the seed, neither `Sendable` nor bound to an actor: the closures' isolation guards it.
@Observable
final class Person {
  var firstName: String
  var lastName: String
  var homePage: String?
  var pet: Pet?

  var name: String { "\(firstName) \(lastName)" }

  init(_ firstName: String, _ lastName: String) {
    self.firstName = firstName
    self.lastName = lastName
  }
}

@Observable
final class Pet {
  var name: String

  init(_ name: String) { self.name = name }
}

/// Two numbers that every command changes together.
@ObsActor @Observable
final class Pair {
  struct Values: Hashable, Sendable {
    var a = 0
    var b = 0
  }

  var a = 0
  var b = 0

  var values: Values { Values(a: a, b: b) }

  func bump() {
    a += 1
    b += 1
  }
}

/// What a test counts on the actor.
@ObsActor
final class Box<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}

// MARK: Following a query

/// The two ways to follow a query; the seed's behaviours hold in both.
enum Way: CaseIterable, Sendable {
  /// A task of the test that iterates a stock `Observations`.
  case observations
  /// The product's evaluation, inside the turn.
  case evaluation
}

/// What comes of following a query.
enum Event<Value: Sendable & Equatable>: Sendable, Equatable {
  case value(Value)
  /// The iteration is over, and nothing holds the query any more.
  case ended
}

/// A query that is followed in one of the two ways until it ends or ``end()`` is called.
@ObsActor
final class Following<Value: Sendable & Equatable> {
  nonisolated let events = Inbox<Event<Value>>()
  private var task: Task<Void, Never>?
  private var evaluation: ObservationsEvaluation<ObsModel.Iteration<Value>>?

  convenience init(_ way: Way, _ query: @escaping @ObsActor @Sendable () -> Value) {
    self.init(way, untilFinished: { .next(query()) })
  }

  init(
    _ way: Way,
    untilFinished query: @escaping @ObsActor @Sendable () -> ObsModel.Iteration<Value>
  ) {
    let events = events
    let goodbye = Goodbye { events.put(.ended) }
    let held: @ObsActor @Sendable () -> ObsModel.Iteration<Value> = {
      withExtendedLifetime(goodbye) { query() }
    }
    switch way {
    case .observations: task = Following.iterate(held, events)
    case .evaluation: evaluation = Following.evaluate(held, events)
    }
  }

  private static func iterate(
    _ query: @escaping @ObsActor @Sendable () -> ObsModel.Iteration<Value>,
    _ events: Inbox<Event<Value>>
  ) -> Task<Void, Never> {
    let values = Observations<Value, Never>.untilFinished {
      switch query() {
      case .next(let value): .next(value)
      case .finish: .finished
      }
    }
    return Task { for await value in values { events.put(.value(value)) } }
  }

  private static func evaluate(
    _ query: @escaping @ObsActor @Sendable () -> ObsModel.Iteration<Value>,
    _ events: Inbox<Event<Value>>
  ) -> ObservationsEvaluation<ObsModel.Iteration<Value>> {
    ObservationsEvaluation(query) { output in
      guard case .next(let value) = output else { return false }
      events.put(.value(value))
      return true
    }
  }

  /// The next event; waits for it.
  nonisolated func next() async throws -> Event<Value> { try await events.next() }

  /// Evaluates again, where that can be asked for.
  func wake() { evaluation?.wake() }

  /// Ends from outside: on the actor, where cancelling never hangs, or by the lifeline.
  func end() {
    task?.cancel()
    evaluation?.end()
  }
}

/// An evaluation that puts into `freed` when nothing holds its query any more.
@ObsActor
func evaluation<Output: Sendable>(
  freed: Inbox<Void>,
  _ evaluate: @escaping @ObsActor @Sendable () -> Output,
  deliver: @escaping @ObsActor @Sendable (Output) -> Bool
) -> ObservationsEvaluation<Output> {
  let goodbye = Goodbye { freed.put(()) }
  return ObservationsEvaluation({ withExtendedLifetime(goodbye) { evaluate() } }, deliver: deliver)
}

/// Says when the last reference to it went.
final class Goodbye: Sendable {
  private let say: @Sendable () -> Void

  init(_ say: @escaping @Sendable () -> Void) { self.say = say }

  deinit { say() }
}

// MARK: Turns

/// Calls a closure at the end of every turn.
@ObsActor
final class TurnWatch: TurnParticipant {
  private let ended: @ObsActor (Turn) -> Void

  init(_ ended: @escaping @ObsActor (Turn) -> Void) { self.ended = ended }

  func turnEnded(_ turn: Turn) { ended(turn) }
}

/// Calls `check` at the end of every turn while `body` runs, including the turn that is running now.
@ObsActor
func withTurnEnds(
  _ check: @escaping @ObsActor (Turn) -> Void,
  _ body: @ObsActor () async throws -> Void
) async rethrows {
  let watch = TurnWatch(check)
  ObsActor.executor.add(watch)
  defer { ObsActor.executor.remove(watch) }
  try await body()
}
