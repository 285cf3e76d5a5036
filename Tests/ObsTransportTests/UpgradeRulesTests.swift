import Testing

@testable import ObsTransport

@Suite(.timeLimit(.minutes(5)))
struct UpgradeRulesTests {
  private let rules: UpgradeRules

  init() {
    var options = ListenOptions()
    options.allowedOrigins = ["https://app.example.org", "http://localhost:3000/"]
    rules = UpgradeRules(options)
  }

  private func offer(_ change: (inout UpgradeRules.Offer) -> Void = { _ in }) -> UpgradeRules.Offer
  {
    var offer = UpgradeRules.Offer(
      path: "/ws",
      upgrade: "WebSocket",
      connection: "keep-alive, Upgrade",
      version: "13",
      key: "dGhlIHNhbXBsZSBub25jZQ==",
      host: "db.example.org:8080",
      origin: nil,
      subprotocols: "graphql-transport-ws"
    )
    change(&offer)
    return offer
  }

  private func status(_ offer: UpgradeRules.Offer, full: Bool = false) -> Int {
    switch rules.decide(offer, room: { full ? .full : .free }) {
    case .accept: 101
    case .refuse(_, let response): response.status
    case .hangUp: 0
    }
  }

  @Test("A proper offer is accepted, with the subprotocol if it was offered")
  func accepted() {
    func chosen(_ list: String?) -> String?? {
      let offer = offer { $0.subprotocols = list }
      guard case .accept(let chosen) = rules.decide(offer, room: { .free }) else { return nil }
      return .some(chosen)
    }
    #expect(chosen("graphql-transport-ws") == .some("graphql-transport-ws"))
    #expect(chosen("graphql-ws, graphql-transport-ws ,x") == .some("graphql-transport-ws"))
    #expect(chosen(nil) == .some(nil))
    #expect(chosen("graphql-ws") == nil)
    #expect(chosen("GRAPHQL-TRANSPORT-WS") == nil)
  }

  @Test("What is missing or wrong is refused with a status of its own")
  func refused() {
    #expect(status(offer { $0.path = "/other" }) == 404)
    #expect(status(offer { $0.method = "POST" }) == 405)
    #expect(status(offer { $0.connection = "close" }) == 400)
    #expect(status(offer { $0.version = "8" }) == 426)
    #expect(status(offer { $0.version = nil }) == 426)
    #expect(status(offer { $0.key = "short" }) == 400)
    #expect(status(offer { $0.host = nil }) == 400)
    #expect(status(offer { $0.subprotocols = "a, b" }) == 400)
    #expect(status(offer(), full: true) == 503)
    #expect(status(offer { $0.upgrade = "h2c" }) == 0)
    #expect(status(offer { $0.upgrade = nil }) == 0)
  }

  @Test("Room is asked for only by handshakes that are right in all else")
  func room() {
    func asked(_ offer: UpgradeRules.Offer) -> Bool {
      var isAsked = false
      _ = rules.decide(offer) {
        isAsked = true
        return .free
      }
      return isAsked
    }
    #expect(asked(offer()))
    #expect(!asked(offer { $0.path = "/other" }))
    #expect(!asked(offer { $0.origin = "null" }))
    #expect(!asked(offer { $0.subprotocols = "a, b" }))
    #expect(!asked(offer { $0.key = nil }))
  }

  @Test(
    "Origins: none, the same host, and the allowed ones pass",
    arguments: [
      (nil, true), ("null", false), ("", false), ("https://evil.example.org", false),
      ("https://app.example.org", true), ("https://APP.example.org", true),
      ("https://app.example.org:443", true), ("http://app.example.org", false),
      ("https://app.example.org.evil.org", false), ("http://localhost:3000", true),
      ("http://localhost:3001", false), ("http://db.example.org:8080", true),
      ("https://db.example.org:8080", true), ("http://db.example.org", false),
      ("http://db.example.org:8080@evil.org", false),
    ] as [(String?, Bool)]
  )
  func origins(origin: String?, allowed: Bool) {
    #expect(status(offer { $0.origin = origin }) == (allowed ? 101 : 403))
  }
}
