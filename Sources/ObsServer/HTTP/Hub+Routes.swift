import ObsModel
import ObsTransport
import ObsWire

/// HTTP on the WebSocket's port: queries, the document, health and metrics (PROTOCOL.md, section 9).
extension Hub {
  func route(_ exchange: HTTPExchange, _ request: HTTPRequest) {
    if let response = http(request) { return exchange.respond(response) }
    if request.path == "/admin/backup" { return backup(exchange, request) }
    guard Hub.hasData(request.path) else { return exchange.respond(nil) }
    let host = request.headers["host"] ?? ""
    guard transport?.isAllowed(origin: request.headers["origin"], host: host) == true else {
      return exchange.respond(.text(403, "pages from this origin may not ask here"))
    }
    guard let authenticate = configuration.authenticate else {
      return answer(exchange, request, Caller(address: request.remoteAddress))
    }
    let shown = ConnectionRequest(
      payload: [:],
      authorization: request.headers["authorization"],
      cookie: request.headers["cookie"],
      origin: request.headers["origin"],
      address: request.remoteAddress ?? ""
    )
    Task {
      do {
        let identity = try await authenticate(shown)
        self.answer(
          exchange,
          request,
          Caller(
            user: identity?.user,
            claims: identity?.claims ?? [:],
            address: request.remoteAddress
          )
        )
      } catch {
        self.metrics.refused(ErrorCode.unauthenticated.rawValue)
        exchange.respond(
          .failure(WireError(.unauthenticated, "the server does not accept these credentials"))
        )
      }
    }
  }

  private static func hasData(_ path: String) -> Bool {
    path == "/query" || path == "/data" || path.hasPrefix("/data/") || path == "/schema.graphql"
  }

  private func answer(_ exchange: HTTPExchange, _ request: HTTPRequest, _ caller: Caller) {
    do throws(HTTPProblem) {
      switch request.path {
      case "/query": try query(exchange, request, caller)
      case "/schema.graphql":
        try request.allow("GET", "HEAD")
        exchange.respond(
          HTTPResponse(
            status: 200,
            contentType: "application/graphql; charset=utf-8",
            body: Array(operations.graphQLSchema.utf8)
          )
        )
      default: try data(exchange, request, caller)
      }
    } catch {
      exchange.respond(error.response)
    }
  }

  // MARK: /query

  private func query(
    _ exchange: HTTPExchange,
    _ request: HTTPRequest,
    _ caller: Caller
  ) throws(HTTPProblem) {
    try request.allow("GET", "HEAD", "POST")
    let payload = request.method == "POST" ? try request.payload(limits) : try request.getPayload()
    let form: WebOperation.Form = request.accepts("text/event-stream") ? .events : .json
    var live = payload.live
    if let key = request.headers["idempotency-key"] { live.key = key }
    let writes = request.method == "POST"
    begin(exchange, form, known: request.knownDigests, caller, live) {
      () throws(WireError) -> ResolvedOperation in
      let resolved = try operations.resolve(payload)
      switch resolved {
      case .command, .commit:
        if writes { return resolved }
        throw WireError(.forbidden, "GET does not write; send the same by POST")
      case .query, .stream: return resolved
      }
    }
  }

  // MARK: /data

  private func data(
    _ exchange: HTTPExchange,
    _ request: HTTPRequest,
    _ caller: Caller
  ) throws(HTTPProblem) {
    try request.allow("GET", "HEAD", "PATCH")
    let place = String(request.path.dropFirst("/data".count))
    if request.method != "PATCH" {
      return begin(exchange, .value, known: request.knownDigests, caller, LiveOptions()) {
        () throws(WireError) -> ResolvedOperation in
        .query(try operations.data(at: place), once: true)
      }
    }
    let kind = request.mediaType
    guard kind == "application/json-patch+json" || kind == "application/merge-patch+json" else {
      throw HTTPProblem(
        415,
        "PATCH takes application/json-patch+json or application/merge-patch+json, not \(kind)"
      )
    }
    let body = try request.json(limits)
    var live = LiveOptions()
    live.key = request.headers["idempotency-key"]
    let condition = request.headers["if-match"]
    begin(exchange, .value, caller, live) { () throws(WireError) -> ResolvedOperation in
      .commit(
        try operations.patch(
          isMerge: kind == "application/merge-patch+json",
          body,
          at: place,
          ifMatch: condition
        )
      )
    }
  }

  private var limits: JSONLimits {
    var limits = JSONLimits()
    limits.maximumBytes = configuration.limits.messageBytes
    limits.maximumDepth = configuration.limits.messageDepth
    return limits
  }
}
