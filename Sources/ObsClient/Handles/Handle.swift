public import Observation
internal import ObsWire

/// What a handle knows of its query.
public enum Phase<Value: Sendable>: Sendable {
  /// No answer has come yet.
  case loading
  /// The newest value.
  case ready(Value)
  /// The query has no value, for this reason. The data may heal it; then a value follows.
  case failed(ClientError)

  /// The value, when there is one.
  public var value: Value? {
    guard case .ready(let value) = self else { return nil }
    return value
  }
}

extension Phase: Equatable where Value: Equatable {
  /// Equal values, or errors with the same code and message.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.loading, .loading): true
    case (.ready(let left), .ready(let right)): left == right
    case (.failed(let left), .failed(let right)):
      left.code == right.code && left.message == right.message
    default: false
    }
  }
}

/// A live query as something to observe: what a view or a model reads, kept current by the connection.
///
/// Data is live exactly as long as at least one ``Retention`` is held. Without one, and while there is no connection, the
/// last value stays and ``isStale`` is true.
///
/// Whoever reads ``phase`` is notified when the value changes, and not by a frame that brings an equal one. Whoever
/// reads only a part, by ``read(_:)``, is notified when that part changes. Values of several handles that belong to one
/// consistent cut change in one stretch on the main actor, so nobody sees a mixture.
@MainActor @Observable
public final class Handle<Query: LiveQuery> {
  /// The query that this is the handle of.
  public let query: Query
  /// The newest answer.
  public private(set) var phase: Phase<Query.Value> = .loading
  /// Whether `phase` shows an answer that the server does not confirm at present: no connection, no retention, or a
  /// query that has finished.
  public private(set) var isStale = false

  @ObservationIgnored private var parts: [AnyKeyPath: any Part] = [:]
  @ObservationIgnored private let client: Client
  @ObservationIgnored private let lease: HandleStore.LeaseID?

  init(_ query: Query, _ client: Client) {
    self.query = query
    self.client = client
    switch client.core {
    case .failure(let error):
      lease = nil
      phase = .failed(error)
    case .success(let core):
      lease = core.handles.add { $0.decoded(as: Query.Value.self).map { $0 as any Sendable } }
      if let lease { core.handles.attach(self, to: lease) }
    }
  }

  deinit {
    if let lease, case .success(let core) = client.core { core.handles.remove(lease) }
  }

  /// Keeps the data live until the retention is released or goes away.
  ///
  /// The first one subscribes; a further one after the query ended by an error subscribes again.
  public func retain() -> Retention {
    guard let lease, case .success(let core) = client.core else { return Retention {} }
    core.handles.retain(lease, Request(query), core)
    return Retention { [self] in
      // Holding the handle keeps it, and its subscription, the one that equal queries get.
      withExtendedLifetime(self) { core.handles.release(lease, core) }
    }
  }

  /// A part of the value, read so that only a change of this part notifies; nil while there is no value.
  public func read<Member: Equatable>(_ path: KeyPath<Query.Value, Member>) -> Member? {
    if let part = parts[path] as? ObservedPart<Query.Value, Member> { return part.member }
    let part = ObservedPart(path)
    part.refresh(phase.value)
    parts[path] = part
    return part.member
  }
}

extension Handle: HandleUpdating {
  func update(phase erased: HandleStore.ErasedPhase?, isStale: Bool) {
    if let erased {
      let new: Phase<Query.Value> =
        switch erased {
        case .loading: .loading
        case .failed(let error): .failed(error)
        case .ready(let value):
          if let value = value as? Query.Value { .ready(value) } else { .loading }
        }
      phase = new
      for part in parts.values { part.refresh(new.value) }
    }
    if isStale != self.isStale { self.isStale = isStale }
  }
}

/// A part of a handle's value that somebody reads by itself.
@MainActor
private protocol Part {
  func refresh(_ value: Any?)
}

@MainActor @Observable
private final class ObservedPart<Value, Member: Equatable>: Part {
  @ObservationIgnored private let path: KeyPath<Value, Member>
  private(set) var member: Member?

  init(_ path: KeyPath<Value, Member>) {
    self.path = path
  }

  func refresh(_ value: Any?) {
    let new = (value as? Value).map { $0[keyPath: path] }
    if new != member { member = new }
  }
}

/// Finds the handle of a query that somebody holds already.
@MainActor
final class HandleRegistry {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let query: AnyHashable
  }

  private struct Entry {
    weak var handle: AnyObject?
  }

  private var entries: [Key: Entry] = [:]
  /// Entries of handles that are gone are removed when there are this many.
  private var sweepAt = 16

  nonisolated init() {}

  func handle<Query: LiveQuery>(for query: Query, _ client: Client) -> Handle<Query> {
    let key = Key(type: ObjectIdentifier(Query.self), query: AnyHashable(query))
    if let handle = entries[key]?.handle as? Handle<Query> { return handle }
    let handle = Handle(query, client)
    if entries.count >= sweepAt {
      entries = entries.filter { $0.value.handle != nil }
      sweepAt = max(16, entries.count * 2)
    }
    entries[key] = Entry(handle: handle)
    return handle
  }
}

extension Client {
  /// The handle of a query: the same one for equal queries, as long as somebody holds it.
  ///
  /// It subscribes with the first ``Handle/retain()``, not before.
  @MainActor
  public func handle<Query: LiveQuery>(for query: Query) -> Handle<Query> {
    handleRegistry.handle(for: query, self)
  }
}
