internal import ObsTransport
internal import ObsWire
internal import Synchronization

/// Performs on real sockets what the ``ConnectionMachine`` decides, on the loop's thread.
///
/// Everything that other threads want goes through the loop's one queue, so it happens in the order in which it was asked.
actor Core {
  nonisolated let loop: EventLoop
  nonisolated let url: String
  nonisolated let board = StateBoard()
  nonisolated let handles = HandleStore()
  nonisolated let configuration: ClientConfiguration
  private nonisolated let lastID = Atomic<UInt64>(0)

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private var machine: ConnectionMachine
  private var sinks: [OperationID: any OperationSink] = [:]
  private var socket: (generation: UInt64, client: WebSocketClient)?
  /// Sockets that were told to close and have not reported their end.
  private var closing: [UInt64: WebSocketClient] = [:]
  /// Requests for credentials that have not ended, by the attempt that they are for.
  private var credentialsTasks: [UInt64: Task<Void, Never>] = [:]
  private var timer: (any ScheduledWork)?
  private var connectWaiters: [UInt64: @Sendable (ClientError?) -> Void] = [:]
  private var closeWaiters: [CheckedContinuation<Void, Never>] = []
  /// Streams whose reader is too far behind, each with the deadline after which it ends.
  private var pauses: [OperationID: any ScheduledWork] = [:]

  init(_ url: String, _ configuration: ClientConfiguration, loop: EventLoop) {
    self.loop = loop
    self.url = url
    self.configuration = configuration
    machine = ConnectionMachine(
      backoff: configuration.backoff,
      acknowledgeTimeout: configuration.acknowledgeTimeout,
      refreshesCredentials: configuration.credentials != nil,
      chance: configuration.chance
    )
  }

  // MARK: From any thread

  /// An id that this client has never used.
  nonisolated func nextID() -> OperationID {
    OperationID(rawValue: lastID.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  nonisolated func start(_ id: OperationID, _ operation: Operation, sink: any OperationSink) {
    onLoop { core in
      guard sink.isOpen else { return }
      core.sinks[id] = sink
      core.perform(core.machine.start(id, operation))
    }
  }

  nonisolated func end(_ id: OperationID) {
    onLoop { core in
      core.sinks[id] = nil
      core.resumeReading(for: id)
      core.perform(core.machine.end(id))
    }
  }

  nonisolated func resume(_ id: OperationID) {
    onLoop { $0.resumeReading(for: id) }
  }

  nonisolated func connect(_ waiter: UInt64, _ answer: @escaping @Sendable (ClientError?) -> Void) {
    onLoop { core in
      core.connectWaiters[waiter] = answer
      core.perform(core.machine.connect())
    }
  }

  nonisolated func forgetWaiter(_ waiter: UInt64) {
    onLoop { $0.connectWaiters[waiter] = nil }
  }

  nonisolated func disconnect() {
    onLoop { core in core.perform(core.machine.disconnect()) }
  }

  nonisolated func close() {
    onLoop { core in core.perform(core.machine.close()) }
  }

  /// Returns when no socket and no task of this client is left.
  nonisolated func allClosed() async {
    await withCheckedContinuation { continuation in
      onLoop { core in
        core.closeWaiters.append(continuation)
        core.answerCloseIfDone()
      }
    }
  }

  private nonisolated func onLoop(_ work: @escaping @Sendable (isolated Core) -> Void) {
    loop.execute { self.assumeIsolated(work) }
  }

  // MARK: From the sockets, on the loop's thread

  fileprivate func opened(_ generation: UInt64, payload: JSON.Object) {
    perform(machine.opened(generation, payload: payload))
  }

  fileprivate func received(_ generation: UInt64, _ message: WebSocketMessage) {
    let now = configuration.timing.now()
    guard case .text(let bytes) = message else {
      return perform(machine.violated(generation, "a binary message", now: now))
    }
    do {
      var limits = JSONLimits()
      limits.maximumBytes = configuration.maximumMessageBytes
      limits.maximumDepth = Self.maximumDepth
      let message = try ServerMessage(parsing: bytes, limits: limits)
      perform(machine.received(generation, message, now: now))
    } catch {
      perform(machine.violated(generation, error.reason, now: now))
    }
  }

  fileprivate func closed(_ generation: UInt64, _ close: ConnectionClose, _ error: TransportError?)
  {
    closing[generation] = nil
    if socket?.generation == generation { socket = nil }
    let loss = ConnectionMachine.Loss(close, error, url: url)
    perform(machine.closed(generation, loss, now: configuration.timing.now()))
    answerCloseIfDone()
  }

  /// How deep a value from the server may nest: a result may be deeper than what the server itself takes.
  private static let maximumDepth = 512

  // MARK: Performing

  private func perform(_ actions: [ConnectionMachine.Action]) {
    for action in actions {
      switch action {
      case .open(let generation): open(generation)
      case .shut(let generation, let code, let reason): shut(generation, code, reason)
      case .send(let message): socket?.client.send(text: message.encoded)
      case .setTimer(let token, let delay): setTimer(token, delay)
      case .cancelTimer:
        timer?.cancel()
        timer = nil
      case .deliver(let id, let delivery): deliver(id, delivery)
      case .endOfBatch: handles.commit()
      case .stateChanged(let state): stateChanged(state)
      case .answerConnect(let error):
        let waiters = connectWaiters.values
        connectWaiters = [:]
        for answer in waiters { answer(error) }
      }
    }
  }

  private func open(_ generation: UInt64) {
    guard let credentials = configuration.credentials else {
      return openSocket(generation, payload: initialPayload([:]))
    }
    credentialsTasks[generation] = Task {
      let result: Result<JSON.Object, any Error>
      do { result = .success(try await credentials()) } catch { result = .failure(error) }
      onLoop { $0.gotCredentials(generation, result) }
    }
  }

  private func gotCredentials(_ generation: UInt64, _ result: Result<JSON.Object, any Error>) {
    credentialsTasks[generation] = nil
    switch result {
    case .success(let payload):
      if machine.isConnecting(generation) {
        openSocket(generation, payload: initialPayload(payload))
      }
    case .failure(let error):
      let lost = ClientError(
        .unauthenticated,
        "the configuration's `credentials` gave none: \(error)",
        retryable: true,
        underlying: error
      )
      perform(
        machine.closed(
          generation,
          .init(code: nil, error: lost),
          now: configuration.timing.now()
        )
      )
    }
    answerCloseIfDone()
  }

  private func initialPayload(_ credentials: JSON.Object) -> JSON.Object {
    var payload = configuration.payload
    if let token = configuration.token { payload["token"] = .string(token) }
    for (key, value) in credentials { payload[key] = value }
    return payload
  }

  private func openSocket(_ generation: UInt64, payload: JSON.Object) {
    var options = ConnectOptions(url: url)
    options.headers = configuration.headers
    options.connectTimeout = configuration.connectTimeout
    options.pingInterval = configuration.pingInterval
    options.pongTimeout = configuration.pongTimeout
    options.maximumMessageBytes = configuration.maximumMessageBytes
    options.tls =
      switch configuration.trust {
      case .system: .system
      case .authority(let file): .caFile(file)
      case .anybody: .insecure
      }
    let handler = SocketHandler(core: self, generation: generation, payload: payload)
    socket = (generation, WebSocketClient.connect(on: loop, options, handler: handler))
  }

  private func shut(_ generation: UInt64, _ code: CloseCode, _ reason: String) {
    credentialsTasks[generation]?.cancel()
    guard let socket, socket.generation == generation else { return }
    self.socket = nil
    closing[generation] = socket.client
    socket.client.close(code: code.rawValue, reason: reason)
  }

  private func setTimer(_ token: UInt64, _ delay: Duration) {
    timer?.cancel()
    timer = configuration.timing.schedule(on: loop, after: delay) { [weak self] in
      self?.assumeIsolated { core in
        core.perform(core.machine.timerFired(token, now: core.configuration.timing.now()))
      }
    }
  }

  private func deliver(_ id: OperationID, _ delivery: Delivery) {
    guard let sink = sinks[id] else { return }
    switch delivery {
    case .next, .interrupted: break
    case .finished, .failed: sinks[id] = nil
    }
    if !sink.deliver(delivery) { pauseReading(for: id) }
    if !sink.isOpen { sinks[id] = nil }
  }

  private func stateChanged(_ state: ConnectionState) {
    if !state.isReady {
      for pause in pauses.values { pause.cancel() }
      pauses = [:]
    }
    board.post(state)
  }

  // MARK: Readers of events that are behind

  private func pauseReading(for id: OperationID) {
    guard pauses[id] == nil, let socket else { return }
    pauses[id] = configuration.timing.schedule(on: loop, after: configuration.maximumPause) {
      [weak self] in
      self?.assumeIsolated { $0.endPause(of: id) }
    }
    socket.client.pauseReading()
  }

  private func resumeReading(for id: OperationID) {
    guard let pause = pauses.removeValue(forKey: id) else { return }
    pause.cancel()
    if pauses.isEmpty { socket?.client.resumeReading() }
  }

  /// A reader kept the socket waiting for too long: its stream ends, so that the rest can go on.
  private func endPause(of id: OperationID) {
    guard pauses[id] != nil else { return }
    let error = ClientError(
      .overflow,
      "the reader of these events was \(configuration.maximumBufferedEvents) events behind for "
        + "\(configuration.maximumPause); read faster, or raise `maximumBufferedEvents`",
      retryable: true
    )
    deliver(id, .failed(error))
    resumeReading(for: id)
    perform(machine.end(id))
  }

  private func answerCloseIfDone() {
    guard closing.isEmpty, socket == nil, credentialsTasks.isEmpty else { return }
    for waiter in closeWaiters { waiter.resume() }
    closeWaiters = []
  }
}

/// Hears one socket for the ``Core``, and names it by its generation.
private final class SocketHandler: WebSocketClientHandler {
  private let core: Core
  private let generation: UInt64
  private let payload: JSON.Object

  init(core: Core, generation: UInt64, payload: JSON.Object) {
    self.core = core
    self.generation = generation
    self.payload = payload
  }

  func opened(subprotocol: String?) {
    core.assumeIsolated { $0.opened(generation, payload: payload) }
  }

  func received(_ message: consuming WebSocketMessage) {
    let message = message
    core.assumeIsolated { $0.received(generation, message) }
  }

  func closed(_ close: ConnectionClose, _ error: TransportError?) {
    core.assumeIsolated { $0.closed(generation, close, error) }
  }
}
