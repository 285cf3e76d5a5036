internal import ObsWire
internal import Synchronization

/// Takes what the store has for it, on the main actor.
@MainActor
protocol HandleUpdating: AnyObject, Sendable {
  /// A nil phase is one that has not changed.
  func update(phase: HandleStore.ErasedPhase?, isStale: Bool)
}

/// Stands between the loop, where the frames of handles arrive, and the main actor, where handles are read.
///
/// Frames are collected until their cut is complete, then all of them become visible to the main actor at once; it takes
/// the newest state of every handle in one stretch. So handles conflate as sequences do, and never mix two cuts.
final class HandleStore: Sendable {
  typealias LeaseID = UInt64
  typealias Decoder = @Sendable (Content) -> Result<any Sendable, ClientError>

  /// A ``Phase`` whose value's type only the handle knows.
  enum ErasedPhase: Sendable {
    case loading
    case ready(any Sendable)
    case failed(ClientError)
  }

  /// What is known of one handle.
  private struct Lease {
    weak var handle: (any HandleUpdating)?
    let decode: Decoder
    var retentions = 0
    /// The subscription under way.
    var operation: OperationID?
    /// What `phase` was decoded from, for telling what is new; nil when it is no answer of the query.
    var content: Content?
    /// Arrived, and waiting for the rest of its cut.
    var staged: Change?
    var phase: ErasedPhase = .loading
    var isConfirmed = false
    /// Whether the main actor has not been told of `phase`.
    var isPhaseNew = false
    var isDirty = false

    var isStale: Bool {
      guard case .loading = phase else { return !isConfirmed }
      return false
    }
  }

  private struct Change {
    /// The new phase and what it was decoded from; nil when the answer is the one shown already.
    var news: (phase: ErasedPhase, content: Content?)?
    var isConfirmed: Bool
  }

  private struct State {
    var leases: [LeaseID: Lease] = [:]
    var lastLease: LeaseID = 0
    var staged: Set<LeaseID> = []
    var dirty: Set<LeaseID> = []
    /// Whether the main actor has been asked to come.
    var isDrainScheduled = false
  }

  private let state = Mutex(State())

  // MARK: On the main actor

  func add(_ decode: @escaping Decoder) -> LeaseID {
    state.withLock { state in
      state.lastLease += 1
      state.leases[state.lastLease] = Lease(decode: decode)
      return state.lastLease
    }
  }

  func attach(_ handle: any HandleUpdating, to lease: LeaseID) {
    state.withLock { $0.leases[lease]?.handle = handle }
  }

  func retain(_ id: LeaseID, _ request: Request, _ core: Core) {
    let operation: OperationID? = state.withLock { state in
      guard var lease = state.leases[id] else { return nil }
      defer { state.leases[id] = lease }
      lease.retentions += 1
      guard lease.operation == nil else { return nil }
      let operation = core.nextID()
      lease.operation = operation
      if case .failed = lease.phase {
        lease.phase = .loading
        lease.isPhaseNew = true
        lease.content = nil
        state.dirty.insert(id)
      }
      return operation
    }
    guard let operation else { return }
    let sink = LeaseSink(store: self, lease: id, operation: operation)
    switch request.payload {
    case .success(let payload): core.start(operation, Operation(.watch, payload), sink: sink)
    case .failure(let error):
      _ = sink.deliver(.failed(error))
      commit()
    }
    scheduleDrain()
  }

  /// Brings every handle up to date in one stretch.
  @MainActor
  private func drain() {
    let updates = state.withLock { state in
      state.isDrainScheduled = false
      defer { state.dirty = [] }
      return state.dirty.sorted().compactMap { id -> Update? in
        guard let lease = state.leases[id], let handle = lease.handle else { return nil }
        state.leases[id]?.isPhaseNew = false
        return Update(
          handle: handle,
          phase: lease.isPhaseNew ? lease.phase : nil,
          isStale: lease.isStale
        )
      }
    }
    for update in updates { update.handle.update(phase: update.phase, isStale: update.isStale) }
  }

  private struct Update {
    let handle: any HandleUpdating
    let phase: ErasedPhase?
    let isStale: Bool
  }

  // MARK: From any thread

  func release(_ id: LeaseID, _ core: Core) {
    let operation: OperationID? = state.withLock { state in
      guard var lease = state.leases[id] else { return nil }
      defer { state.leases[id] = lease }
      lease.retentions -= 1
      guard lease.retentions == 0 else { return nil }
      defer { lease.operation = nil }
      lease.isConfirmed = false
      lease.staged = nil
      state.dirty.insert(id)
      return lease.operation
    }
    if let operation { core.end(operation) }
    scheduleDrain()
  }

  func remove(_ id: LeaseID) {
    state.withLock { state in
      state.leases[id] = nil
      state.dirty.remove(id)
      state.staged.remove(id)
    }
  }

  // MARK: On the loop's thread

  /// Makes visible what has arrived: its cut is complete.
  func commit() {
    let isNeeded = state.withLock { state in
      for id in state.staged {
        guard var lease = state.leases[id], let change = lease.staged else { continue }
        lease.staged = nil
        lease.isConfirmed = change.isConfirmed
        if let news = change.news {
          lease.phase = news.phase
          lease.content = news.content
          lease.isPhaseNew = true
        }
        state.leases[id] = lease
        state.dirty.insert(id)
      }
      defer { state.staged = [] }
      return !state.staged.isEmpty
    }
    if isNeeded { scheduleDrain() }
  }

  fileprivate func isCurrent(_ operation: OperationID, _ id: LeaseID) -> Bool {
    state.withLock { $0.leases[id]?.operation == operation }
  }

  fileprivate func accept(_ delivery: Delivery, _ operation: OperationID, _ id: LeaseID) {
    switch delivery {
    case .next(let payload, _):
      accept(Content(payload), operation, id)
    case .interrupted:
      // What arrived of an incomplete cut is dropped with it.
      stage(Change(news: nil, isConfirmed: false), operation, id)
    case .finished:
      let news = state.withLock { $0.leases[id]?.staged?.news }
      stage(Change(news: news, isConfirmed: false), operation, id)
      forget(operation, id)
    case .failed(let error):
      stage(Change(news: (.failed(error), nil), isConfirmed: true), operation, id)
      forget(operation, id)
    }
  }

  /// Compares and decodes outside the lock: only the loop's thread stages and commits.
  private func accept(_ content: Content, _ operation: OperationID, _ id: LeaseID) {
    let lease = state.withLock { $0.leases[id] }
    guard let lease, lease.operation == operation else { return }
    guard content != lease.content else {
      return stage(Change(news: nil, isConfirmed: true), operation, id)
    }
    let phase: ErasedPhase =
      switch lease.decode(content) {
      case .success(let value): .ready(value)
      case .failure(let error): .failed(error)
      }
    stage(Change(news: (phase, content), isConfirmed: true), operation, id)
  }

  private func stage(_ change: Change, _ operation: OperationID, _ id: LeaseID) {
    state.withLock { state in
      guard state.leases[id]?.operation == operation else { return }
      state.leases[id]?.staged = change
      state.staged.insert(id)
    }
  }

  private func forget(_ operation: OperationID, _ id: LeaseID) {
    state.withLock { state in
      guard state.leases[id]?.operation == operation else { return }
      state.leases[id]?.operation = nil
    }
  }

  private func scheduleDrain() {
    let isNeeded = state.withLock { state in
      guard !state.isDrainScheduled, !state.dirty.isEmpty else { return false }
      state.isDrainScheduled = true
      return true
    }
    if isNeeded { Task { @MainActor in drain() } }
  }
}

/// Brings what arrives for one subscription of a handle to the store.
private final class LeaseSink: OperationSink {
  private let store: HandleStore
  private let lease: HandleStore.LeaseID
  private let operation: OperationID

  init(store: HandleStore, lease: HandleStore.LeaseID, operation: OperationID) {
    self.store = store
    self.lease = lease
    self.operation = operation
  }

  var isOpen: Bool { store.isCurrent(operation, lease) }

  func deliver(_ delivery: Delivery) -> Bool {
    store.accept(delivery, operation, lease)
    return true
  }
}
