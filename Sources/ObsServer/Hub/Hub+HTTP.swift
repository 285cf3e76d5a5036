import ObsTransport

/// Plain HTTP on the same port: health and metrics.
extension Hub {
  func http(_ request: HTTPRequest) -> HTTPResponse? {
    switch request.path {
    case "/healthz", "/readyz", "/metrics":
      guard request.method == "GET" || request.method == "HEAD" else {
        return HTTPResponse(
          status: 405,
          contentType: "text/plain; charset=utf-8",
          headers: [("Allow", "GET, HEAD")],
          body: Array("\(request.path) answers GET and HEAD only\n".utf8)
        )
      }
    default: return nil
    }
    switch request.path {
    case "/healthz": return text(200, "ok\n")
    case "/readyz":
      if draining { return text(503, "draining\n") }
      return readiness.problem.map { text(503, $0 + "\n") } ?? text(200, "ready\n")
    default:
      return HTTPResponse(
        status: 200,
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        headers: [],
        body: Array(metricsText().utf8)
      )
    }
  }

  private func text(_ status: Int, _ body: String) -> HTTPResponse {
    HTTPResponse(
      status: status,
      contentType: "text/plain; charset=utf-8",
      headers: [("Cache-Control", "no-store")],
      body: Array(body.utf8)
    )
  }

  /// The Prometheus text of everything the server counts.
  private func metricsText() -> String {
    var page = PrometheusText()
    let wire = transport?.counters
    page.info("obs_build_info", "The server's version.", [("version", Server.version)])
    page.gauge("obs_connections", "Open WebSocket connections.", sessions.count)
    page.gauge("obs_subscriptions", "Active operations.", subscriptionCount)
    page.gauge("obs_live_queries", "Distinct running queries.", metrics.liveQueries.value)
    page.gauge("obs_rev", "The last turn that changed something.", Int(rev))
    page.counter("obs_turns_total", "Turns of the model actor.", metrics.turns.value)
    page.counter(
      "obs_evaluations_total",
      "Evaluations of live queries.",
      metrics.evaluations.value
    )
    page.counter(
      "obs_encodings_total",
      "Values that differed from the last one.",
      metrics.encodings.value
    )
    page.counter(
      "obs_deferrals_total",
      "Times the breaker held a query back.",
      metrics.deferrals.value
    )
    page.counter("obs_frames_sent_total", "Values sent.", metrics.framesSent.value)
    page.counter(
      "obs_frames_skipped_total",
      "Values replaced by newer ones before they were sent.",
      metrics.framesSkipped.value
    )
    page.counter(
      "obs_frames_unchanged_total",
      "Values that a resuming client had already.",
      metrics.framesUnchanged.value
    )
    page.counter(
      "obs_digests_total",
      "Digests of values computed, to resume and for ETag.",
      metrics.digests.value
    )
    page.counter("obs_events_sent_total", "Events of streams sent.", metrics.eventsSent.value)
    page.counter("obs_answers_sent_total", "Answers of commands sent.", metrics.answersSent.value)
    page.counter("obs_sent_bytes_total", "Bytes handed to sockets.", Int(wire?.bytesSent ?? 0))
    page.counter("obs_received_bytes_total", "Bytes of messages.", Int(wire?.bytesReceived ?? 0))
    page.counter("obs_messages_received_total", "Messages.", Int(wire?.messagesReceived ?? 0))
    page.counter("obs_socket_writes_total", "Writes to sockets.", Int(wire?.socketWrites ?? 0))
    page.counter("obs_connections_accepted_total", "Upgrades accepted.", Int(wire?.accepted ?? 0))
    page.counters(
      "obs_upgrades_refused_total",
      "Connections refused before the upgrade.",
      label: "reason",
      (wire?.refused ?? [:]).map { ($0.key.rawValue, Int($0.value)) }.sorted { $0.0 < $1.0 }
    )
    page.counters(
      "obs_requests_refused_total",
      "Operations answered with an error.",
      label: "code",
      metrics.refusedByCode.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    )
    page.counters(
      "obs_connections_closed_total",
      "Connections that the server closed.",
      label: "code",
      metrics.closedByCode.sorted { $0.key < $1.key }.map { (String($0.key), $0.value) }
    )
    if let replica = readiness.replica { page.add(replica) }
    page.histogram("obs_turn_seconds", "Time of a turn.", metrics.turnTime)
    page.histogram(
      "obs_evaluation_seconds",
      "CPU time of an evaluation.",
      metrics.evaluationTime
    )
    return page.text
  }
}
