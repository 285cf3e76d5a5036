import ObsModel
import ObsReplica
import ObsWire

/// All live queries and running commands of one server, on ``ObsActor``.
///
/// Requests come in by ``admit(_:)``, in batches; what a turn changed goes out by `publish`, once a
/// turn. Nothing here knows a socket.
@ObsActor
final class QueryEngine: TurnParticipant {
  nonisolated let limits: Limits
  nonisolated let metrics: Metrics
  private let language: Language
  private let linger: UInt64
  private let log: Log
  private let readiness: Readiness
  private let publish: @Sendable (TurnOutput) -> Void

  private var queries: [ShareKey: LiveQuery] = [:]
  private var watches: [OperationKey: LiveQuery] = [:]
  private var commands: [OperationKey: Task<Void, Never>] = [:]
  private var memory: CommandMemory
  private var nextID: LiveQueryID = 1
  private var stopped = false
  private(set) var rev: Int64 = 0

  private var admission = Admission()
  /// Queries that this turn has started.
  private var started = 0

  // What this turn has to publish.
  private var changedQueries: [LiveQuery] = []
  private var startedQueries: [LiveQuery] = []
  private var abandoned: [LiveQuery] = []
  private var lingering: [LiveQuery] = []
  private var output = TurnOutput(rev: 0)

  nonisolated init(
    language: Language,
    limits: Limits,
    linger: Duration,
    metrics: Metrics,
    log: Log,
    readiness: Readiness,
    publish: @escaping @Sendable (TurnOutput) -> Void
  ) {
    self.language = language
    self.limits = limits
    self.linger = Clocks.nanoseconds(linger)
    self.metrics = metrics
    self.log = log
    self.readiness = readiness
    self.publish = publish
    memory = CommandMemory(limit: limits.rememberedAnswers)
  }

  func start() { ObsActor.executor.add(self) }

  /// Ends every live query and command; nothing is published afterwards.
  func stop() {
    stopped = true
    ObsActor.executor.remove(self)
    for query in queries.values { query.close() }
    for task in commands.values { task.cancel() }
    queries = [:]
    watches = [:]
    commands = [:]
    admission.removeAll()
    // Queries know their engine: none may stay in a list that no turn empties any more.
    changedQueries = []
    startedQueries = []
    abandoned = []
    lingering = []
    metrics.liveQueries.set(0)
  }

  // MARK: Requests

  /// Takes requests of one pass of the socket loop, in order.
  nonisolated func admit(_ requests: [Request]) {
    ObsActor.executor.submit {
      ObsActor.assumeIsolated {
        self.admission.append(requests)
        self.admitWaiting()
      }
    }
  }

  private func admitWaiting() {
    if started >= Admission.startsPerTurn { return }
    admission.admit { request in
      handle(request)
      return started < Admission.startsPerTurn
    }
  }

  /// What this turn had no room for is for the next one.
  private func admitNextTurn() {
    started = 0
    if admission.isEmpty { return }
    ObsActor.executor.submit { ObsActor.assumeIsolated { self.admitWaiting() } }
  }

  private func handle(_ request: Request) {
    if stopped { return }
    switch request {
    case .watch(let key, let query, let caller, let options): watch(key, query, caller, options)
    case .command(let key, let call, let caller): run(key, call, caller)
    case .commit(let key, let call): commit(key, call)
    case .stream(let key, let open, let caller, let queue): stream(key, open, caller, queue)
    case .leave(let key): leave(key)
    }
  }

  private func watch(
    _ key: OperationKey,
    _ resolved: ResolvedQuery,
    _ caller: Caller,
    _ options: WatchOptions
  ) {
    if let behind = behind(options.minSeq) {
      output.failed.append((key, behind))
      return
    }
    let share = ShareKey(
      text: resolved.text,
      rights: resolved.takesCaller ? caller.rights : nil
    )
    let query: LiveQuery
    if let live = queries[share] {
      query = live
    } else {
      let body: any Evaluator
      do throws(WireError) {
        body = try resolved.makeEvaluator(caller.rights)
      } catch {
        output.failed.append((key, error))
        return
      }
      query = LiveQuery(id: nextID, key: share, engine: self, body: body)
      nextID += 1
      queries[share] = query
      metrics.liveQueries.set(queries.count)
      query.start()
      started += 1
    }
    query.subscribers += 1
    query.idleSince = nil
    if options.explain { query.explaining.insert(key) }
    if options.resume { query.resuming.insert(key) }
    watches[key] = query
    if query.waiting.isEmpty { startedQueries.append(query) }
    query.waiting.append(LiveQuery.Waiter(key: key, since: options.since))
  }

  /// The error for who asks for a commit that has not been applied here.
  private func behind(_ minSeq: Int64?) -> WireError? {
    guard let minSeq else { return nil }
    let seq = language.document?.seq
    if let seq, seq >= minSeq { return nil }
    return WireError(
      .behind,
      seq.map { "minSeq is \(minSeq), but this server has applied commits up to \($0)" }
        ?? "minSeq needs a document, which this server has not",
      extensions: ["retryable": .bool(seq != nil)]
    )
  }

  /// Ends a watch.
  ///
  /// A command goes on: what has begun is done, whether or not its caller waits.
  private func leave(_ key: OperationKey) {
    guard let query = watches.removeValue(forKey: key) else { return }
    query.subscribers -= 1
    query.waiting.removeAll { $0.key == key }
    query.explaining.remove(key)
    query.resuming.remove(key)
    if query.subscribers == 0 { abandoned.append(query) }
  }

  /// Whether a call has to be done; one that was made before with the same key is answered from memory.
  private func isNew(
    _ key: OperationKey,
    _ idempotency: IdempotencyKey?,
    _ fingerprint: [UInt8]
  ) -> Bool {
    guard let idempotency else { return true }
    switch memory.begin(idempotency, fingerprint, waiter: key) {
    case .run: return true
    case .wait: break
    case .answer(let result): answer(key, result)
    case .refuse(let error): answer(key, .failure(error))
    }
    return false
  }

  private func run(_ key: OperationKey, _ call: CommandCall, _ caller: Caller) {
    guard isNew(key, call.idempotency, call.fingerprint) else { return }
    let body = call.body
    let arguments = call.arguments
    commands[key] = Task { @ObsActor in
      let result: Result<Answer, WireError>
      do throws(WireError) {
        let data = try await body(arguments, caller)
        result = .success(.data(call.shape?.assemble([data]) ?? data))
      } catch {
        result = .failure(error)
      }
      self.finished(key, call.idempotency, result)
    }
  }

  private func finished(
    _ key: OperationKey,
    _ idempotency: IdempotencyKey?,
    _ result: Result<Answer, WireError>
  ) {
    commands[key] = nil
    answer(key, result)
    guard let idempotency else { return }
    for waiter in memory.end(idempotency, result) where waiter != key { answer(waiter, result) }
  }

  /// Applies a commit; all that wait together are applied in one turn, and answered each.
  ///
  /// Where there is a log, it goes there first, and is answered when it has come back.
  private func commit(_ key: OperationKey, _ call: CommitCall) {
    if let replica = readiness.replica { return commit(key, call, to: replica) }
    guard isNew(key, call.idempotency, call.fingerprint) else { return }
    let result: Result<Answer, WireError>
    do throws(WireError) {
      try language.admit(call.commit)
      result = .success(.commit(seq: try language.apply(call.commit), call.shape))
    } catch {
      result = .failure(error)
    }
    finished(key, call.idempotency, result)
  }

  private func commit(_ key: OperationKey, _ call: CommitCall, to replica: Replica) {
    do throws(WireError) { try language.admit(call.commit) } catch {
      return answer(key, .failure(error))
    }
    let name = call.idempotency.map { idempotency in
      CommitRecord.Key(
        idempotency.key,
        fingerprint: Digest.of(canonical: call.fingerprint),
        seconds: Int64(limits.answerTime / .seconds(1))
      )
    }
    let record = CommitRecord(
      call.commit,
      caller: call.user,
      key: name,
      limits: limits.commit
    )
    replica.submit(record) { [weak self] result in
      self?.answer(key, result.map { .commit(seq: $0, call.shape) })
    }
  }

  private func answer(_ key: OperationKey, _ result: Result<Answer, WireError>) {
    switch result {
    case .success(let answer): output.answered.append((key, answer))
    case .failure(let error): output.failed.append((key, error))
    }
  }

  private func stream(
    _ key: OperationKey,
    _ call: StreamCall,
    _ caller: Caller,
    _ queue: StreamQueue
  ) {
    do throws(WireError) {
      let feed = try call.open(call.arguments, caller)
      queue.run(Task.detached { await feed(queue) })
    } catch {
      queue.finish(error)
    }
  }

  // MARK: What live queries report

  func changed(_ query: LiveQuery) { changedQueries.append(query) }

  func changedStanding(_ query: LiveQuery, behind: Bool) {
    output.behind.append((query.id, behind))
    metrics.deferrals.add(behind ? 1 : 0)
  }

  func ended(_ query: LiveQuery, _ error: WireError?) {
    // Those who never got a value are told one by one; the others by their live query.
    output.ended.append((query.id, error))
    output.endedEarly.append(contentsOf: query.waiting.map { ($0.key, error) })
    query.waiting.removeAll()
    forget(query)
  }

  private func forget(_ query: LiveQuery) {
    query.close()
    if queries[query.key] === query { queries[query.key] = nil }
    metrics.liveQueries.set(queries.count)
  }

  // MARK: The end of a turn

  func turnEnded(_ turn: Turn) {
    metrics.turn(turn)
    admitNextTurn()
    closeAbandoned()
    let answers = !output.answered.isEmpty || !output.failed.isEmpty
    if changedQueries.isEmpty && startedQueries.isEmpty && output.isEmpty { return }
    var finished = output
    output = TurnOutput(rev: 0)
    for query in changedQueries {
      if let frame = query.takeChange() { finished.changed.append((query.id, frame)) }
    }
    changedQueries.removeAll(keepingCapacity: true)
    if !finished.changed.isEmpty || answers { rev += 1 }
    finished.rev = rev
    finished.seq = language.document?.seq
    attach(&finished)
    if !finished.isEmpty { publish(finished) }
  }

  private func attach(_ finished: inout TurnOutput) {
    var pending: [LiveQuery] = []
    for query in startedQueries where !query.closed {
      guard let frame = query.current else {
        pending.append(query)
        continue
      }
      _ = query.takeChange()
      for waiter in query.waiting {
        let (first, isKnown) = query.first(frame, for: waiter)
        finished.attached.append((waiter.key, query.id, first, isKnown))
      }
      query.waiting.removeAll()
    }
    startedQueries = pending
  }

  private func closeAbandoned() {
    if abandoned.isEmpty && lingering.isEmpty { return }
    for query in abandoned where query.subscribers == 0 && !query.closed {
      if linger == 0 || lingering.count >= limits.lingeringQueries {
        forget(query)
      } else if query.idleSince == nil {
        query.idleSince = Clocks.monotonic()
        lingering.append(query)
        closeLater(query)
      }
    }
    abandoned.removeAll(keepingCapacity: true)
    lingering.removeAll { $0.closed || $0.idleSince == nil }
  }

  private func closeLater(_ query: LiveQuery) {
    let linger = linger
    Task { @ObsActor [weak self, weak query] in
      try? await Task.sleep(for: .nanoseconds(Int64(linger)))
      guard let self, let query, let since = query.idleSince else { return }
      if Clocks.monotonic() &- since >= linger { self.forget(query) }
    }
  }

  // MARK: Figures

  var liveQueryCount: Int { queries.count }
}
