import Foundation
import ObsClient
import ObsServer
import Synchronization

/// A server that is killed and started again, and the clients that come back to it.
enum Restart {
  /// Subscriptions of each client.
  static let subscriptions = 5

  /// The server: `queries` queries of `size` bytes, the same in each life, which change when the command `tick` is called.
  ///
  /// `rate` is its limit of connections a second.
  @ObsActor
  static func serve(_ configuration: ServerConfiguration, _ options: Options) async throws {
    var configuration = configuration
    configuration.limits.connectionsPerSecond = options.rate
    configuration.limits.connectionBurst = 2 * options.rate
    let load = Load(count: options.queries, size: options.size)
    load.fill()
    let server = try Server(configuration)
    for index in 0..<options.queries { try await server.query("q\(index)") { load.ticks[index] } }
    try await server.command("tick") { load.tick(1) }
    let address = try await server.start()
    print("listening on \(address.url)")
    fflush(nil)
    try await server.run()
  }

  /// `peers` clients of the server at `port`, a socket each.
  ///
  /// For each line on standard input it prints a line: how many are connected, how many values their subscriptions have shown
  /// so far, and how many bytes their last greetings had. The line `tick` calls that command first.
  static func peers(_ options: Options) async throws {
    let url = "ws://127.0.0.1:\(options.port)/ws"
    let values = Counter()
    var clients: [Client] = []
    for peer in 0..<options.peers {
      let client = Client(url)
      clients.append(client)
      for number in 0..<subscriptions {
        let query = (peer * subscriptions + number) % options.queries
        let readings = client.values("q\(query)", as: JSON.self)
        Task { for try await _ in readings { values.add() } }
      }
    }
    while let line = readLine() {
      if line == "tick" { try await clients[0].call("tick") }
      var connected = 0
      var greetings = 0
      for client in clients {
        guard case .ready(let greeting) = client.state else { continue }
        connected += 1
        // The frame's header has four bytes.
        greetings += ServerMessage.connectionAck(payload: greeting.payload).encoded.count + 4
      }
      print(
        """
        {"connected":\(connected),"values":\(values.value),"greeting_bytes":\(greetings)}
        """
      )
      fflush(nil)
    }
    for client in clients { await client.close() }
  }

  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.wrappingAdd(1, ordering: .relaxed) }
  }
}

extension Load {
  /// Gives each query a value of its own that does not depend on the time.
  func fill() {
    let padding = String(repeating: "x", count: max(0, size - 60))
    for index in ticks.indices {
      ticks[index] = Tick(sequence: Int64(index), sent: 0, padding: padding)
    }
  }
}
