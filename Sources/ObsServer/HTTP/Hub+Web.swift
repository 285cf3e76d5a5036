import ObsModel
import ObsTransport
import ObsWire

/// What the models answer to HTTP requests: the counterpart of peers and slots (PROTOCOL.md, section 9).
extension Hub {
  /// A comment goes out after this long without an event, so that proxies keep the connection.
  static let heartbeat: Duration = .seconds(15)

  // MARK: Starting

  /// Starts an operation for an exchange.
  func begin(
    _ exchange: HTTPExchange,
    _ form: WebOperation.Form,
    known: [String] = [],
    _ caller: Caller,
    _ live: LiveOptions,
    _ resolve: () throws(WireError) -> ResolvedOperation
  ) {
    nextWebSerial += 1
    // The top bit tells these keys from those of peers' slots.
    let key = OperationKey(connection: exchange.connection, serial: 1 << 63 | nextWebSerial)
    let operation = WebOperation(exchange, key, form, known: known)
    web[key] = operation
    webByExchange[exchange] = key
    do throws(WireError) {
      try start(operation, try resolve(), caller, live)
    } catch {
      webFailed(operation, error)
    }
  }

  private func start(
    _ operation: WebOperation,
    _ resolved: ResolvedOperation,
    _ caller: Caller,
    _ live: LiveOptions
  ) throws(WireError) {
    let key = operation.key
    if draining {
      throw WireError(.unavailable, "the server is about to restart; try again")
    }
    if let why = readiness.notReady {
      throw WireError(
        .unavailable,
        "the server is starting: \(why)",
        extensions: ["retryable": true]
      )
    }
    switch resolved {
    case .query(let query, let once):
      operation.explains = live.explain
      operation.warnings = query.warningMember
      operation.isOnce = once || live.once || operation.form != .events
      operation.resumes = live.resume
      var options = WatchOptions(live)
      // An answer carries its digest as `ETag` in any case.
      if operation.form != .events { options.resume = true }
      request(.watch(key, query, caller, options))
    case .command, .commit:
      try requestCall(resolved, key, caller, live, id: "")
    case .stream(let open, let arguments, let shape):
      guard operation.form == .events else {
        throw WireError(
          .badVariables,
          "a stream has no single value",
          extensions: ["hint": "ask for it with `Accept: text/event-stream`"]
        )
      }
      let queue = makeQueue(key, shape)
      operation.queue = queue
      request(.stream(key, StreamCall(open: open, arguments: arguments), caller, queue))
      beginEvents(operation)
    }
  }

  // MARK: What turns publish

  /// The operation got its live query and its value.
  func webAttached(_ operation: WebOperation, _ query: LiveQueryID, _ frame: Frame) {
    if operation.isOnce {
      request(.leave(operation.key))
      return webAnswered(operation, frame, seq: seq)
    }
    operation.query = query
    webWatchers[query, default: []].append(operation)
    webOffer(frame, to: operation)
  }

  /// A value for a stream: written, or kept as the newest one until there is room.
  func webOffer(_ frame: Frame, to operation: WebOperation) {
    guard !operation.isChoked else {
      if operation.pending != nil {
        operation.skipped += 1
        metrics.framesSkipped.add(1)
      }
      operation.pending = frame
      return
    }
    metrics.framesSent.add(1)
    let id = "\(epoch):\(rev)"
    let payload = operation.payload(frame, rev: rev, seq: seq)
    webWrite(WebOperation.event("next", id: id, payload), to: operation)
  }

  /// One value, and the end.
  private func webAnswered(_ operation: WebOperation, _ frame: Frame, seq: Int64?) {
    switch operation.form {
    case .events:
      webOffer(frame, to: operation)
      webFinish(operation)
    case .json, .value:
      let etag = frame.digest.map { "\"\($0)\"" }
      var headers: [(name: String, value: String)] = [("Cache-Control", "no-cache")]
      if let etag { headers.append(("ETag", etag)) }
      metrics.framesSent.add(1)
      if let etag, operation.known.contains(etag) || operation.known == ["*"] {
        return respond(operation, HTTPResponse(status: 304, headers: headers))
      }
      let body =
        operation.form == .value ? frame.bytes : operation.payload(frame, rev: rev, seq: seq)
      respond(
        operation,
        HTTPResponse(
          status: 200,
          contentType: "application/json",
          headers: headers,
          body: body + [UInt8(ascii: "\n")]
        )
      )
    }
  }

  /// The answer to a command or a commit.
  func webAnswered(_ operation: WebOperation, _ answer: Answer, rev: Int64) {
    metrics.answersSent.add(1)
    let data = answer.data(rev: rev)
    switch operation.form {
    case .value:
      respond(
        operation,
        HTTPResponse(
          status: 200,
          contentType: "application/json",
          body: data + [UInt8(ascii: "\n")]
        )
      )
    case .json, .events:
      webAnswered(operation, Frame(data), seq: answer.seq ?? seq)
    }
  }

  /// The operation is over, with or without an error.
  func webEnded(_ operation: WebOperation, _ error: WireError?) {
    guard let error else { return webFinish(operation) }
    webFailed(operation, error)
  }

  private func webFailed(_ operation: WebOperation, _ error: WireError) {
    metrics.refused(error.code.rawValue)
    switch operation.form {
    case .events:
      // Another status would make EventSource give up without a word.
      webWrite(
        WebOperation.event("next", id: nil, WebOperation.payload(error)),
        to: operation
      )
      webFinish(operation)
    case .json, .value:
      respond(operation, .failure(error))
    }
  }

  private func respond(_ operation: WebOperation, _ response: HTTPResponse) {
    forget(operation)
    operation.exchange.respond(response)
  }

  // MARK: Server-sent events

  private func beginEvents(_ operation: WebOperation) {
    guard !operation.hasBegun else { return }
    operation.hasBegun = true
    let head = HTTPResponse(
      status: 200,
      contentType: "text/event-stream",
      headers: [("Cache-Control", "no-store")]
    )
    note(operation.exchange.beginStream(head), of: operation)
    keepAwake(operation)
  }

  private func webWrite(_ bytes: [UInt8], to operation: WebOperation) {
    beginEvents(operation)
    guard !operation.isChoked else {
      operation.ending.append(contentsOf: bytes)
      return
    }
    note(operation.exchange.write(bytes), of: operation)
  }

  private func note(_ result: SendResult, of operation: WebOperation) {
    switch result {
    case .sent: break
    case .choked: operation.isChoked = true
    case .gone: leave(operation)
    }
  }

  private func webFinish(_ operation: WebOperation) {
    if operation.form != .events {
      // Completed without a value.
      return respond(operation, HTTPResponse(status: 204))
    }
    webWrite(WebOperation.complete, to: operation)
    operation.isEnding = true
    stopWatching(operation)
    endIfWritten(operation)
  }

  private func endIfWritten(_ operation: WebOperation) {
    guard operation.isEnding, !operation.isChoked, web[operation.key] != nil else { return }
    forget(operation)
    operation.exchange.end()
  }

  /// The socket has room again.
  func webWritable(_ exchange: HTTPExchange) {
    guard let key = webByExchange[exchange], let operation = web[key] else { return }
    operation.isChoked = false
    if let frame = operation.pending {
      operation.pending = nil
      webOffer(frame, to: operation)
    }
    if !operation.isChoked, !operation.ending.isEmpty {
      let rest = operation.ending
      operation.ending = []
      webWrite(rest, to: operation)
    }
    webEvents(operation)
    endIfWritten(operation)
  }

  /// Writes the events of a stream as far as the socket takes them.
  func webEvents(_ operation: WebOperation) {
    guard let queue = operation.queue else { return }
    while !operation.isChoked, !operation.isEnding {
      switch queue.take() {
      case .event(let event, let number):
        metrics.eventsSent.add(1)
        let payload =
          Array(#"{"data":"#.utf8) + event + Array(#","extensions":{"event":\#(number)}}"#.utf8)
        webWrite(WebOperation.event("next", id: "\(epoch):e\(number)", payload), to: operation)
      case .ended(let error): return webEnded(operation, error)
      case nil: return
      }
    }
  }

  private func keepAwake(_ operation: WebOperation) {
    let key = operation.key
    _ = loop.schedule(after: Hub.heartbeat) { [weak self] in
      self?.assumeIsolated { hub in
        guard let operation = hub.web[key], !operation.isEnding else { return }
        if !operation.isChoked {
          hub.note(operation.exchange.write(Array(":\n\n".utf8)), of: operation)
        }
        hub.keepAwake(operation)
      }
    }
  }

  // MARK: The end

  /// The client of an exchange is gone.
  func webGone(_ exchange: HTTPExchange) {
    guard let key = webByExchange[exchange], let operation = web[key] else { return }
    leave(operation)
  }

  private func leave(_ operation: WebOperation) {
    guard web[operation.key] != nil else { return }
    operation.queue?.cancel()
    request(.leave(operation.key))
    forget(operation)
  }

  private func stopWatching(_ operation: WebOperation) {
    guard let query = operation.query else { return }
    operation.query = nil
    webWatchers[query]?.removeAll { $0 === operation }
    if webWatchers[query]?.isEmpty == true { webWatchers[query] = nil }
    request(.leave(operation.key))
  }

  private func forget(_ operation: WebOperation) {
    stopWatching(operation)
    web[operation.key] = nil
    webByExchange[operation.exchange] = nil
  }

  /// Ends all streams before a restart; clients come back by themselves.
  func endWeb() {
    for operation in web.values {
      if operation.form == .events {
        webFinish(operation)
      } else {
        webFailed(operation, WireError(.unavailable, "the server is about to restart; try again"))
      }
    }
  }
}

extension WireError {
  /// The status of an HTTP answer that carries this error.
  var httpStatus: Int {
    switch code {
    case .unauthenticated: 401
    case .forbidden, .readOnly: 403
    case .notFound, .unknownOperation: 404
    case .conflict, .keyReused: 409
    case .preconditionFailed: 412
    case .tooLarge: 413
    case .patchFailed, .invalidValue: 422
    case .rateLimited: 429
    case .internal: 500
    case .unavailable, .overloaded, .busy, .behind: 503
    default: 400
    }
  }
}
