import ObsServer
import ObsTestSupport

/// The model of these tests.
@ObsActor @Observable
final class Store {
  struct Item: Codable, Sendable {
    var id: Int
    var title: String
    var note: String
  }
  struct Size: Codable, Sendable { var bytes: Int }
  struct Limit: Codable, Sendable { var limit: Int }
  struct Title: Codable, Sendable { var title: String }

  var counter = 0
  var items: [Item] = []

  nonisolated init() {}

  func add(_ title: String) -> Item {
    let item = Item(id: items.count + 1, title: title, note: "not selected")
    items.append(item)
    return item
  }
}

extension Server {
  /// Registers what the tests use.
  func register(_ store: Store) async throws {
    try await query("counter") { store.counter }
    try await query("newest") { (arguments: Store.Limit) in
      Array(store.items.suffix(arguments.limit).reversed())
    }
    // `"COUNTER xxx…"`, of about the size that is asked for.
    try await query("big") { (arguments: Store.Size) in
      "\(store.counter) " + String(repeating: "x", count: arguments.bytes)
    }
    try await command("bump") { () -> Int in
      store.counter += 1
      return store.counter
    }
    try await command("add") { (arguments: Store.Title) in store.add(arguments.title) }
  }
}

extension ServerConfiguration {
  /// For tests whose subject is not the rate of operations.
  static func unlimited(
    _ change: (inout ServerConfiguration) -> Void = { _ in }
  ) -> ServerConfiguration {
    .testing { configuration in
      configuration.limits.operationBurst = 1_000_000
      configuration.limits.operationsPerSecond = 1_000_000
      change(&configuration)
    }
  }

  /// Makes the server tell every connection and operation to a mailbox.
  mutating func tell(_ records: Mailbox<LogRecord>) {
    logLevel = .debug
    log = { records.post($0) }
  }
}

extension RawPeer {
  /// Upgrades, greets and subscribes, without reading an answer to the latter.
  static func subscribed(
    port: UInt16,
    to operation: String,
    _ variables: String = "{}",
    receiveBuffer: Int? = nil
  ) async throws -> RawPeer {
    let peer = try await open(port: port, receiveBuffer: receiveBuffer)
    try await peer.send(#"{"type":"connection_init"}"#)
    _ = try await peer.nextMessage()
    try await peer.send(
      #"{"type":"subscribe","id":"a","payload":{"query":"","operationName":"\#(operation)","variables":\#(variables)}}"#
    )
    return peer
  }
}
