import Foundation
import ObsClient
import ObsServer
import ObsTestSupport
import ObsTransport
import Testing

/// A server behind Debian's nginx with deploy/nginx.conf, and a server that speaks TLS itself.
@Suite("Proxy and TLS", .timeLimit(.minutes(5)))
struct ProxyTests {
  /// Runs `body` with the address of nginx in front of a server, and the file that holds its authority.
  private func withProxy(
    _ server: Server,
    readTimeout: Int? = nil,
    _ body: (String, TLSVerification) async throws -> Void
  ) async throws {
    var arguments = ["\(try #require(server.address).port)"]
    if let readTimeout { arguments += ["--read-timeout", "\(readTimeout)"] }
    let script = Tools.repository.appending(path: "scripts/try-nginx")
    try await withProgram(script, arguments) { program in
      guard let words = await program.lines.next()?.split(separator: " "), words.count == 3 else {
        Issue.record("no nginx: \(await program.complaints.rest())")
        return
      }
      try await body("wss://localhost:\(words[1])/ws", .caFile(String(words[2])))
      // It ends nginx when its input ends.
      program.closeInput()
      #expect(await program.exitCode() == 0)
    }
  }

  @Test(
    "a live query and a command through nginx, with this library's client",
    .needs("nginx", "openssl", "python3")
  )
  func throughProxy() async throws {
    let store = Store()
    try await withServer { server, url in
      try await server.register(store)
      try await withProxy(server) { proxied, authority in
        var settings = ClientConfiguration()
        if case .caFile(let file) = authority { settings.trust = .authority(file: file) }
        let client = Client(proxied, settings)
        var values = client.values("counter", as: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 0)
        for count in 1...3 {
          #expect(try await client.call("bump", as: Int.self) == count)
          #expect(try await values.next() == count)
        }
        // A change that comes from elsewhere.
        let direct = try await ProtocolClient.connect(url)
        _ = try await direct.call("bump")
        #expect(try await values.next() == 4)
        await client.close()
      }
    }
  }

  @Test(
    "scenario 55: a proxy that cuts silent connections does not cut one that the server pings",
    .needs("nginx", "openssl", "python3")
  )
  func idleBehindProxy() async throws {
    let store = Store()
    // Two servers that differ in nothing but their pings, each behind a proxy that cuts after 3 s of silence.
    try await withServer(.testing { $0.pingInterval = .milliseconds(500) }) { pinging, _ in
      try await pinging.register(store)
      try await withServer { silent, _ in
        try await silent.register(store)
        try await withProxy(pinging, readTimeout: 3) { pingingURL, pingingAuthority in
          try await withProxy(silent, readTimeout: 3) { silentURL, silentAuthority in
            let idle = try await ProtocolClient.connect(pingingURL, tls: pingingAuthority)
            idle.subscribe("a", "counter")
            _ = try await idle.value("a")
            // The measure of time: twice a connection that is not pinged is cut, so the other one was silent for longer, too.
            for _ in 0..<2 {
              let cut = try await ProtocolClient.connect(silentURL, tls: silentAuthority)
              cut.subscribe("a", "counter")
              _ = try await cut.value("a")
              _ = try await cut.ended()
            }
            #expect(try await idle.call("bump").before.count == 1)
          }
        }
      }
    }
  }

  @Test("a server with its own certificate: a live query, and refusal without the authority")
  func tls() async throws {
    let store = Store()
    let certificate = try TestCertificate()
    defer { certificate.remove() }
    let files = ServerConfiguration.TLS(
      certificateFile: certificate.certificateFile,
      privateKeyFile: certificate.privateKeyFile
    )
    try await withServer(.testing { $0.tls = files }) { server, url in
      try await server.register(store)
      #expect(url.hasPrefix("wss://"))
      var settings = ClientConfiguration()
      settings.trust = .authority(file: certificate.certificateFile)
      let client = Client(url, settings)
      var values = client.values("counter", as: Int.self).makeAsyncIterator()
      #expect(try await values.next() == 0)
      #expect(try await client.call("bump", as: Int.self) == 1)
      #expect(try await values.next() == 1)
      await client.close()
      let stranger = Client(url)
      await #expect(throws: ClientError.self) { try await stranger.connect() }
      await stranger.close()
    }
  }

  @Test(
    "scenario 58: a close under TLS ends the socket, whether the peer answers, reads, or does neither"
  )
  func closeUnderTLS() async throws {
    let store = Store()
    let certificate = try TestCertificate()
    defer { certificate.remove() }
    let authority = TLSVerification.caFile(certificate.certificateFile)
    let files = ServerConfiguration.TLS(
      certificateFile: certificate.certificateFile,
      privateKeyFile: certificate.privateKeyFile
    )
    let records = Mailbox<LogRecord>()
    let configuration = ServerConfiguration.unlimited {
      $0.tls = files
      $0.tell(records)
    }
    try await withServer(configuration) { server, url in
      try await server.register(store)
      // A violation: the code arrives, then the end.
      let offender = try await ProtocolClient.connect(url, tls: authority)
      offender.send(text: Array("not json".utf8))
      #expect(try await offender.ended().code == 4400)
      _ = await records.next { $0.message == "connection ended" }

      let polite = try await ProtocolClient.connect(url, tls: authority)
      // One that has stopped reading cannot answer; its queues are full as well.
      let stuck = try await ProtocolClient.connect(url, tls: authority)
      stuck.subscribe("a", "big", ["bytes": 500_000])
      _ = try await stuck.value("a")
      stuck.pauseReading()
      while await server.statistics().framesSkipped < 10 { _ = try await polite.call("bump") }
      // Returns when every socket is closed: the stuck one at the close timeout.
      await server.stop()
      #expect(try await polite.ended().code == 1001)
      for _ in 0..<2 {
        #expect(await records.next { $0.message == "connection ended" } != nil)
      }
      stuck.kill()
    }
  }
}
