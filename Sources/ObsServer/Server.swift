public import ObsModel
import ObsTransport
public import ObsWire
import Synchronization

/// Hosts models and answers live queries over WebSocket.
///
/// ```swift
/// let server = try Server(ServerConfiguration(port: 8080))
/// try await server.query("open") { board.items.count { $0.isOpen } }
/// try await server.run()
/// ```
///
/// Queries, commands and streams may be registered before and after the start. The wire contract is
/// PROTOCOL.md.
public final class Server: Sendable {
  /// The version that `connection_ack` and `/metrics` tell.
  public static let version = "0.1.0"

  private enum State {
    case idle
    case running(Parts)
    case stopped
  }

  private struct Parts: Sendable {
    let loop: EventLoop
    let transport: WebSocketServer
    let hub: Hub
    let engine: QueryEngine
    let address: ServerAddress
  }

  /// What the server was made with.
  public let configuration: ServerConfiguration
  /// This life of the server, told in `connection_ack`.
  public let epoch = Epoch()

  let readiness = Readiness()
  let language: Language
  let operations: OperationTable
  private let metrics = Metrics()
  private let log: Log
  /// Records below this level are not made; can be changed while the server runs.
  ///
  /// Begins as ``ServerConfiguration/logLevel``.
  public var logLevel: LogLevel {
    get { log.threshold.level }
    set { log.threshold.level = newValue }
  }
  /// Tells clients of errors in registered functions.
  var faults: Faults { Faults(log: log) }
  private let state = Mutex(State.idle)
  private let hosted = HostedModels()
  private let stopSignal = StopSignal()

  /// Makes a server; it does not listen yet.
  ///
  /// - Throws: ``ServerError`` with code `bad-configuration`, naming the field.
  public init(_ configuration: ServerConfiguration = ServerConfiguration()) throws(ServerError) {
    try configuration.check()
    self.configuration = configuration
    language = Language(limits: configuration.limits)
    operations = OperationTable(language)
    log = Log(threshold: LogThreshold(configuration.logLevel), sink: configuration.log)
  }

  // MARK: Models

  /// Gives a model a name.
  ///
  /// Read it in queries through the result, so that its removal is seen.
  ///
  /// - Throws: ``ServerError`` with code `bad-name` or `duplicate-name`.
  @discardableResult
  public func host<Model: AnyObject>(
    _ name: String,
    _ model: sending Model
  ) async throws(ServerError) -> Hosted<Model> {
    if let problem = Operation.problem(withName: name) { throw ServerError(.badName, problem) }
    return try await hosted.add(name, model)
  }

  /// Gives an exposed model a name, under which queries of the language find it, too.
  ///
  /// - Throws: ``ServerError`` with code `bad-name` or `duplicate-name`; the latter also when the document has a member of
  ///   that name.
  @discardableResult
  public func host<Model: AnyObject & Exposed & SendableMetatype>(
    _ name: String,
    _ model: sending Model
  ) async throws(ServerError) -> Hosted<Model> {
    if let problem = Operation.problem(withName: name) { throw ServerError(.badName, problem) }
    let entry = try await hosted.add(name, model)
    do throws(ServerError) {
      try await language.expose(entry)
    } catch {
      await hosted.remove(name)
      throw error
    }
    return entry
  }

  /// Takes a model away; every query that read it is evaluated again in this turn.
  ///
  /// Nothing happens if no model has that name.
  public func remove(_ name: String) async {
    await language.conceal(name)
    await hosted.remove(name)
  }

  // MARK: Life

  /// Begins to listen and returns where.
  ///
  /// - Throws: ``ServerError`` with code `cannot-listen` (the message names the cause),
  ///   `bad-configuration` (more connections than open files) or `wrong-state`.
  @discardableResult
  public func start() async throws(ServerError) -> ServerAddress {
    guard case .idle = state.withLock({ $0 }) else {
      throw ServerError(.wrongState, "the server was started before; make a new one")
    }
    let room = ListenOptions.connectionRoom
    guard configuration.limits.connections <= room else {
      throw ServerError(
        .badConfiguration,
        "limits.connections must be at most \(room), which the limit on open files (ulimit -n) leaves, "
          + "but is \(configuration.limits.connections); lower it or raise that"
      )
    }
    let parts: Parts
    do throws(TransportError) {
      parts = try await listen()
    } catch {
      let cause = error.underlying.map { ": \($0)" } ?? ""
      throw ServerError(.cannotListen, error.message + cause)
    }
    state.withLock { $0 = .running(parts) }
    let address = parts.address
    log(.info, "listening", ["url": .string(address.url), "epoch": .string(epoch.description)])
    if !address.isLoopback, configuration.authenticate == nil {
      log(
        .warning,
        "everyone who reaches this address may read and write everything",
        ["host": .string(address.host)]
      )
    }
    return address
  }

  private func listen() async throws(TransportError) -> Parts {
    let loop = try EventLoop(name: "obs-sockets")
    let hub = Hub(
      loop: loop,
      configuration: configuration,
      operations: operations,
      metrics: metrics,
      log: log,
      epoch: epoch,
      readiness: readiness
    )
    let engine = QueryEngine(
      language: language,
      limits: configuration.limits,
      linger: configuration.linger,
      metrics: metrics,
      log: log,
      readiness: readiness,
      publish: { hub.publish($0) }
    )
    let transport = WebSocketServer(on: loop, configuration.listenOptions, handler: hub)
    await hub.start(transport, engine)
    await engine.start()
    do throws(TransportError) {
      let port = try await transport.start()
      let address = ServerAddress(
        host: configuration.host,
        port: Int(port),
        path: configuration.path,
        secure: configuration.tls != nil
      )
      return Parts(loop: loop, transport: transport, hub: hub, engine: engine, address: address)
    } catch {
      await engine.stop()
      await loop.stop()
      throw error
    }
  }

  /// Where the server listens; nil before the start and after the stop.
  public var address: ServerAddress? {
    if case .running(let parts) = state.withLock({ $0 }) { parts.address } else { nil }
  }

  /// Starts (if that has not been done) and serves until SIGTERM, SIGINT, cancellation or a stop.
  ///
  /// A signal drains: new connections are refused and the open ones are closed with 1012, spread
  /// over ``ServerConfiguration/drainTime``; clients come back by themselves. Signals are heard from here on, before the
  /// server listens; one that comes between ``start()`` and this, or a second one, ends the process at once, as in any
  /// other program.
  ///
  /// - Parameter started: called when the server listens, with where.
  /// - Throws: what ``start()`` throws.
  public func run(
    _ started: (ServerAddress) async -> Void = { _ in }
  ) async throws(ServerError) {
    let reason = try await stopSignal.listening { () async throws(ServerError) in
      let address = if let address { address } else { try await start() }
      await started(address)
      return await stopSignal.wait()
    }
    switch reason {
    case .signal(let name):
      log(.info, "draining", ["signal": .string(name)])
      await drain(over: configuration.drainTime)
    case .cancelled: await stop()
    case .stopped: break
    }
  }

  /// Ends the server within an embedding program: connections are closed with 1001.
  public func stop() async { await shutDown(over: .zero, .goingAway, "going away") }

  /// Ends the server before a restart: connections are closed with 1012, spread over a time.
  public func drain(over time: Duration) async { await shutDown(over: time, .restart, "restart") }

  private func shutDown(over time: Duration, _ code: CloseCode, _ reason: String) async {
    let before = state.withLock { state in
      defer { state = .stopped }
      return state
    }
    guard case .running(let parts) = before else { return }
    parts.transport.stopListening()
    await parts.hub.closeAll(over: time, code, reason)
    await parts.transport.stop()
    await parts.engine.stop()
    await parts.hub.disconnect()
    await parts.loop.stop()
    log(.info, "stopped")
    stopSignal.fire(.stopped)
  }

  /// Why clients cannot be served yet, such as a log that is being replayed; nil (the default) when they can.
  ///
  /// While it is set, `/readyz` answers 503 with it, and clients are asked to come back.
  public var notReady: String? {
    get { readiness.notReady }
    set { readiness.notReady = newValue }
  }

  // MARK: Log

  /// Adds a record to the server's log.
  ///
  /// - Parameters:
  ///   - level: how important it is.
  ///   - message: the same text each time, so that it can be searched for.
  ///   - fields: what varies.
  public func record(_ level: LogLevel, _ message: String, _ fields: JSON.Object = [:]) {
    log(level, message, fields)
  }

  // MARK: Figures

  /// What the server has done so far; zeros before the start.
  public func statistics() async -> ServerStatistics {
    var figures = ServerStatistics()
    figures.turns = metrics.turns.value
    figures.evaluations = metrics.evaluations.value
    figures.encodings = metrics.encodings.value
    figures.deferrals = metrics.deferrals.value
    figures.digests = metrics.digests.value
    figures.framesSent = metrics.framesSent.value
    figures.framesSkipped = metrics.framesSkipped.value
    figures.framesUnchanged = metrics.framesUnchanged.value
    figures.eventsSent = metrics.eventsSent.value
    guard case .running(let parts) = state.withLock({ $0 }) else { return figures }
    figures.liveQueries = await parts.engine.liveQueryCount
    figures.rev = Int(await parts.engine.rev)
    (figures.connections, figures.subscriptions) = await parts.hub.figures()
    figures.bytesSent = Int(parts.transport.counters.bytesSent)
    figures.connectionsRefused = Int(parts.transport.counters.refused.values.reduce(0, +))
    figures.socketWrites = Int(parts.transport.counters.socketWrites)
    return figures
  }
}

/// The models of one server by name.
@ObsActor
private final class HostedModels {
  private var models: [String: any Removable] = [:]

  nonisolated init() {}

  func add<Model: AnyObject>(
    _ name: String,
    _ model: sending Model
  ) throws(ServerError) -> Hosted<Model> {
    if models[name] != nil {
      throw ServerError(.duplicateName, "a model is hosted as `\(name)` already")
    }
    let hosted = Hosted(name, model)
    models[name] = hosted
    return hosted
  }

  func remove(_ name: String) { models.removeValue(forKey: name)?.remove() }
}
