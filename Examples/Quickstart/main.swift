// A server and a client in one file: an ordinary model, a query, a command, and who watches it.
import ObsClient
import ObsServer
import Observation

@ObsActor @Observable
final class Board {
  var items: [Item] = []
}

struct Item: Codable, Sendable {
  var title: String
  var isOpen = true
}

struct Add: Codable, Sendable {
  var title: String
}

// The server: queries are closures over models; each runs again when something that it read changed.
let board = await Board()
let server = try Server(ServerConfiguration(port: 0))
try await server.query("openCount") { board.items.count { $0.isOpen } }
try await server.command("add") { (it: Add) in board.items.append(Item(title: it.title)) }
let address = try await server.start()

// A client: the first value comes at once, then the newest after each change.
let client = Client(address.url)
for try await count in client.values("openCount", as: Int.self) {
  print("open:", count)
  if count == 3 { break }
  try await client.call("add", Add(title: "Item \(count + 1)"))
}

await client.close()
await server.stop()
