import ObsServer
import ObsTestSupport
import Testing

@ObsActor @Observable
final class Ticket {
  var id: String
  var state: String
  var secret = "hidden"

  init(_ id: String, _ state: String) {
    self.id = id
    self.state = state
  }
}

extension Ticket: Exposed {
  static let schema = Schema<Ticket> {
    Field("id", \.id)
    Field("state", \.state, "open or closed")
  }
}

@ObsActor @Observable
final class Desk {
  var tickets: [Ticket] = [Ticket("a", "open"), Ticket("b", "closed")]
  var name = "desk"

  func closeAll() { for ticket in tickets { ticket.state = "closed" } }
}

extension Desk: Exposed {
  static let schema = Schema<Desk> {
    Field("name", \.name)
    Field("tickets", \.tickets)
  }
}

@Suite("Exposed models in the language", .timeLimit(.minutes(5)))
struct ExposedTests {
  @Test("a query over a hosted model hears of what it reads, and of nothing else")
  func tracking() async throws {
    let desk = await Desk()
    try await withDocument(["n": 1]) { server, _, client, _ in
      try await server.host("desk", desk)
      try await server.command("rename") { desk.name = "other" }
      try await server.command("whisper") { desk.tickets[0].secret = "told" }
      try await server.command("closeAll") { desk.closeAll() }
      client.watch("w", "{open: length(desk.tickets[?state=='open']), n: n}")
      #expect(try await client.value("w").data == ["open": 1, "n": 1])
      let before = await server.statistics().evaluations
      #expect(try await client.call("rename").before.isEmpty)
      #expect(try await client.call("whisper").before.isEmpty)
      #expect(await server.statistics().evaluations == before)
      #expect(try await client.call("closeAll").before.count == 1)
      #expect(await server.statistics().evaluations == before + 1)
      client.watch("all", "desk")
      #expect(
        try await client.value("all").data == [
          "name": "other",
          "tickets": [["id": "a", "state": "closed"], ["id": "b", "state": "closed"]],
        ]
      )
    }
  }

  @Test("explain tells which fields of hosted models are read, beside the document's cells")
  func explain() async throws {
    let desk = await Desk()
    try await withDocument(["n": 1]) { server, _, client, _ in
      try await server.host("desk", desk)
      try await server.command("closeAll") { desk.closeAll() }
      let text = "{open: length(desk.tickets[?state=='open']), n: n}"
      client.watch("plain", text)
      _ = try await client.value("plain")
      // One that joins a running query is told the same as one that begins it.
      client.watch("w", text, live: LiveOptions(explain: true))
      let first = try #require(try await client.value("w").extensions["explain"])
      #expect(first["modelReads"] == ["Desk.tickets", "Ticket.state × 2"])
      #expect(first["reads"]?.arrayValue?.count == 1)
      let evaluations = await server.statistics().evaluations
      let (_, before) = try await client.call("closeAll")
      for case .next("w", let payload) in before {
        #expect(payload.extensions["explain"]?["modelReads"] == first["modelReads"])
      }
      #expect(before.count == 2)
      // Looking does not make it depend on anything anew.
      #expect(await server.statistics().evaluations == evaluations + 1)
    }
  }

  @Test("a hosted model cannot be written by commits, and its name is taken")
  func readOnly() async throws {
    let desk = await Desk()
    try await withDocument(["n": 1]) { server, document, client, _ in
      try await server.host("desk", desk)
      for path in ["/desk", "/desk/name"] {
        do {
          try await client.patch([["op": "add", "path": .string(path), "value": 1]])
          Issue.record("applied")
        } catch let error as WireError {
          #expect(error.code == .readOnly)
        }
      }
      let other = await Desk()
      await #expect(throws: ServerError.self) { try await server.host("n", other) }
      #expect(await document.json == ["n": 1])
    }
  }

  @Test("removing a hosted model wakes the queries that read it")
  func removal() async throws {
    let desk = await Desk()
    try await withDocument(["n": 1]) { server, _, client, _ in
      try await server.host("desk", desk)
      client.watch("w", "desk.name")
      #expect(try await client.value("w").data == "desk")
      client.watch("keys", "keys(@)")
      #expect(try await client.value("keys").data == ["desk", "n"])
      await server.remove("desk")
      try await client.until("w", .null)
    }
  }

  @Test("a registered function may say a live object, and the query goes on from there")
  func functions() async throws {
    let desk = await Desk()
    try await withServer { server, url in
      try await server.liveFunction("ticketsOf") { (state: String) in
        desk.tickets.filter { $0.state == state }
      }
      try await server.command("closeAll") { desk.closeAll() }
      let client = try await ProtocolClient.connect(url)
      client.watch("w", "ticketsOf('open')[*].id")
      #expect(try await client.value("w").data == ["a"])
      guard case .next("w", let payload)? = try await client.call("closeAll").before.first else {
        Issue.record("no value")
        return
      }
      #expect(payload.data == [])
    }
  }

  @Test("$describe shows the shape of exposed models")
  func shape() async throws {
    let desk = await Desk()
    try await withServer { server, url in
      try await server.host("desk", desk)
      let client = try await ProtocolClient.connect(url)
      let shape = try await client.call("$describe").answer.data["shape"]?["desk"]
      #expect(shape?.description.contains("tickets") == true)
      #expect(shape?.description.contains("secret") == false)
    }
  }
}
