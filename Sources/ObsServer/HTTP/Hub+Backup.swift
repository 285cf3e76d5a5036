import ObsReplica
import ObsTransport
import ObsWire

/// `GET /admin/backup`: the state of the replica as a file (PROTOCOL.md, section 9; docs/LOG.md, "Backups").
extension Hub {
  /// The most bytes that are written at once.
  private static let pieceBytes = 64 * 1024

  func backup(_ exchange: HTTPExchange, _ request: HTTPRequest) {
    guard Hub.isLocal(request) else {
      return exchange.respond(
        .text(
          403,
          "backups are for clients on this machine only, and not for what a proxy passes on"
        )
      )
    }
    do throws(HTTPProblem) { try request.allow("GET") } catch {
      return exchange.respond(error.response)
    }
    guard readiness.notReady == nil, let replica = readiness.replica else {
      let why = readiness.notReady ?? "this server keeps its document in memory only"
      return exchange.respond(.text(503, why))
    }
    Task { await self.stream(await replica.backup(), to: exchange) }
  }

  private static func isLocal(_ request: HTTPRequest) -> Bool {
    let forwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"]
    guard forwarded.allSatisfy({ request.headers[$0] == nil }) else { return false }
    let address = request.remoteAddress ?? ""
    return address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
  }

  private func stream(_ backup: Replica.Backup, to exchange: HTTPExchange) async {
    log(.info, "a backup begins")
    var result = exchange.beginStream(
      HTTPResponse(
        status: 200,
        contentType: "application/x-ndjson",
        headers: [("Cache-Control", "no-store")]
      )
    )
    var bytes = 0
    while let piece = await backup.next() {
      var rest = piece[...]
      while !rest.isEmpty {
        if result == .choked { await roomFor(exchange) }
        let next = rest.prefix(Hub.pieceBytes)
        rest = rest.dropFirst(next.count)
        result = exchange.isOpen ? exchange.write(Array(next)) : .gone
        guard result != .gone else {
          await backup.end()
          return log(.warning, "a backup was not read to its end")
        }
      }
      bytes += piece.count
    }
    exchange.end()
    log(.info, "a backup was read", ["bytes": .int(Int64(bytes))])
  }

  /// Waits until the socket has room, or is gone.
  private func roomFor(_ exchange: HTTPExchange) async {
    guard exchange.isOpen, exchange.isChoked else { return }
    await withCheckedContinuation { backups[exchange] = $0 }
  }

  /// The socket of an exchange has room again, or is gone.
  func backupWritable(_ exchange: HTTPExchange) {
    backups.removeValue(forKey: exchange)?.resume()
  }
}
