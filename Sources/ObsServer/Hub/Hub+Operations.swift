import ObsModel
import ObsQuery
import ObsTransport
import ObsWire

/// Who connects, and what they start.
extension Hub {
  // MARK: connection_init

  func authenticate(_ payload: JSON.Object, _ session: Session) {
    session.initTimer?.cancel()
    session.initTimer = nil
    let upgrade = session.upgrade
    session.upgrade = nil
    guard let authenticate = configuration.authenticate else {
      return accept(nil, payload, session)
    }
    let request = ConnectionRequest(
      payload: payload,
      authorization: upgrade?.authorization,
      cookie: upgrade?.cookie,
      origin: upgrade?.origin,
      address: session.address
    )
    let id = session.id
    Task {
      do {
        let identity = try await authenticate(request)
        self.authenticated(id, identity, payload)
      } catch {
        self.refused(id, error)
      }
    }
  }

  private func authenticated(_ id: ConnectionID, _ identity: Identity?, _ payload: JSON.Object) {
    guard let session = sessions[id] else { return }
    accept(identity, payload, session)
  }

  private func refused(_ id: ConnectionID, _ error: any Error) {
    guard let session = sessions[id] else { return }
    metrics.refused(ErrorCode.forbidden.rawValue)
    log(
      .warning,
      "authentication refused",
      ["session": .string(session.name), "error": .string("\(error)")]
    )
    close(session, .forbidden, "forbidden")
  }

  private func accept(_ identity: Identity?, _ payload: JSON.Object, _ session: Session) {
    if let user = identity?.user {
      guard users[user, default: 0] < configuration.limits.connectionsPerUser else {
        let limit = configuration.limits.connectionsPerUser
        return close(session, .overloaded, "overloaded: limits.connectionsPerUser is \(limit)")
      }
      users[user, default: 0] += 1
    }
    let caller = Caller(
      user: identity?.user,
      claims: identity?.claims ?? [:],
      session: session.name,
      address: session.address
    )
    let acknowledgement = acknowledgement(caller, session)
    perform(session.peer.accept(caller, acknowledgement: acknowledgement), session)
    startKeepAlive(payload, session)
  }

  private func acknowledgement(_ caller: Caller, _ session: Session) -> JSON.Object {
    let limits = configuration.limits
    var payload: JSON.Object = [
      "protocol": 1,
      "server": .string("obs/\(Server.version)"),
      "session": .string(session.name),
      "epoch": .string(epoch.description),
      "rev": .int(rev),
      "features": [
        "queries", "commands", "streams", "carriers", "keys", "language", "explain", "patch",
        "ifAbsent", "resume",
      ],
      "limits": [
        "messageBytes": .int(Int64(limits.messageBytes)),
        "messageDepth": .int(Int64(limits.messageDepth)),
        "valueBytes": .int(Int64(limits.valueBytes)),
        "subscriptionsPerConnection": .int(Int64(limits.subscriptionsPerConnection)),
        "connectionsPerSecond": .double(limits.connectionsPerSecond),
        "connectionBurst": .double(limits.connectionBurst),
        "operationsPerSecond": .double(limits.operationsPerSecond),
        "operationBurst": .double(limits.operationBurst),
        "queryBytes": .int(Int64(limits.query.textBytes)),
        "queryDegree": .int(Int64(limits.query.degree)),
        "evaluationSteps": .int(Int64(limits.evaluation.steps)),
        "patchOperations": .int(Int64(limits.commit.operations)),
        "streamEvents": .int(Int64(limits.streamEvents)),
        "streamBytes": .int(Int64(limits.streamBytes)),
        "minInterval": .int(Int64(Clocks.nanoseconds(limits.minInterval) / 1_000_000)),
      ],
    ]
    if let user = caller.user { payload["user"] = .string(user) }
    if let seq { payload["seq"] = .int(seq) }
    if let environment = configuration.environment {
      payload["environment"] = .string(environment)
    }
    return payload
  }

  /// Sends `ping` when nothing else was sent for the time that the client asked for.
  private func startKeepAlive(_ payload: JSON.Object, _ session: Session) {
    guard let milliseconds = payload["keepAlive"]?.intValue, milliseconds >= 5000 else { return }
    keepAlive(session, .milliseconds(milliseconds))
  }

  private func keepAlive(_ session: Session, _ interval: Duration) {
    let id = session.id
    let timer = loop.schedule(after: interval) { [weak self] in
      self?.assumeIsolated { hub in
        guard let session = hub.sessions[id] else { return }
        if !session.wroteSinceKeepAlive {
          hub.perform(session.peer.send(ServerMessage.ping(payload: nil).encoded), session)
          hub.flush(session)
        }
        session.wroteSinceKeepAlive = false
        hub.keepAlive(session, interval)
      }
    }
    session.keepAlive = timer
  }

  // MARK: subscribe

  func start(_ serial: UInt64, _ payload: SubscribePayload, _ session: Session) {
    let key = OperationKey(connection: session.id, serial: serial)
    do throws(WireError) {
      if draining {
        throw WireError(
          .unavailable,
          "the server is about to restart; connect again",
          extensions: ["retryable": true]
        )
      }
      try start(key, try operations.resolve(payload), payload.live, session)
    } catch {
      finish(key, error)
    }
  }

  private func start(
    _ key: OperationKey,
    _ resolved: ResolvedOperation,
    _ live: LiveOptions,
    _ session: Session
  ) throws(WireError) {
    guard let slot = session.peer.slot(key.serial) else { return }
    let caller = session.peer.caller
    switch resolved {
    case .query(let query, let once):
      let minInterval = max(
        Clocks.nanoseconds(live.minInterval ?? .zero),
        Clocks.nanoseconds(configuration.limits.minInterval)
      )
      slot.kind = once || live.once ? .once : .watch
      slot.minInterval = minInterval
      slot.explains = live.explain
      slot.resumes = live.resume
      slot.warnings = query.warningMember
      request(.watch(key, query, caller, WatchOptions(live)))
    case .command, .commit:
      slot.kind = .command
      try requestCall(resolved, key, caller, live, id: slot.id)
    case .stream(let open, let arguments, let shape):
      let queue = makeQueue(key, shape)
      slot.kind = .stream(queue)
      request(.stream(key, StreamCall(open: open, arguments: arguments), caller, queue))
    }
  }

  func makeQueue(_ key: OperationKey, _ shape: CarrierShape?) -> StreamQueue {
    let limits = configuration.limits
    return StreamQueue(
      events: limits.streamEvents,
      bytes: limits.streamBytes,
      shape: shape
    ) { [weak self] in
      guard let self else { return }
      self.loop.execute { self.assumeIsolated { $0.streamReady(key) } }
    }
  }

  private func streamReady(_ key: OperationKey) {
    if let operation = web[key] { return webEvents(operation) }
    guard let session = sessions[key.connection] else { return }
    session.peer.streamReady(key.serial)
    flushLater(session)
  }

  /// Asks the models to run a command or a commit; `id` may serve as its idempotency key.
  func requestCall(
    _ resolved: ResolvedOperation,
    _ key: OperationKey,
    _ caller: Caller,
    _ live: LiveOptions,
    id: String
  ) throws(WireError) {
    switch resolved {
    case .command(let text, let body, let arguments, let shape):
      let call = CommandCall(
        body: body,
        arguments: arguments,
        fingerprint: Array(text.utf8) + Canonical.bytes(arguments),
        idempotency: try idempotencyKey(live.key, caller.user, id),
        shape: shape
      )
      request(.command(key, call, caller))
    case .commit(let operation):
      let call = CommitCall(
        commit: operation.commit,
        fingerprint: operation.fingerprint,
        idempotency: try idempotencyKey(operation.key ?? live.key, caller.user, id),
        shape: operation.shape,
        user: caller.user
      )
      request(.commit(key, call))
    case .query, .stream: break
    }
  }

  /// `key`, or an operation id that is a UUID: stock clients send the same id again.
  private func idempotencyKey(
    _ key: String?,
    _ user: String?,
    _ id: String
  ) throws(WireError) -> IdempotencyKey? {
    if let key {
      guard !key.isEmpty, key.unicodeScalars.count <= LiveOptions.maximumKeyLength else {
        throw WireError(
          .badVariables,
          """
          an idempotency key must have 1 to \(LiveOptions.maximumKeyLength) characters, but this has \
          \(key.unicodeScalars.count)
          """,
          extensions: ["argument": "key"]
        )
      }
      return IdempotencyKey(user: user, key: key)
    }
    return isUUID(id) ? IdempotencyKey(user: user, key: id) : nil
  }

  private func isUUID(_ id: String) -> Bool {
    let digits = id.utf8.filter { $0 != UInt8(ascii: "-") }
    let dashes = id.utf8.count - digits.count
    return digits.count == 32 && (dashes == 0 || dashes == 4)
      && digits.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          true
        default: false
        }
      }
  }
}
