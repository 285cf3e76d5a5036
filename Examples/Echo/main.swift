import Glibc
import ObsTransport

/// An echo server on ObsTransport: every message comes back as it was. For conformance suites and load tests.
actor Echo: WebSocketServerHandler {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  private var server: WebSocketServer?
  /// What did not fit into the socket; while there is something, we do not read.
  private var waiting: [ConnectionID: [UInt8]] = [:]

  init(loop: EventLoop) { self.loop = loop }

  func attach(_ server: WebSocketServer) { self.server = server }

  nonisolated func opened(_ id: ConnectionID, _ request: UpgradeRequest) {}

  nonisolated func received(_ id: ConnectionID, _ message: consuming WebSocketMessage) {
    let frames =
      switch message {
      case .text(let bytes): WebSocketFrame.message(.text, bytes)
      case .binary(let bytes): WebSocketFrame.message(.binary, bytes)
      }
    assumeIsolated { $0.send(id, frames) }
  }

  /// Answers wait for the socket, so that pongs keep their place before later messages.
  private func send(_ id: ConnectionID, _ frames: [UInt8]) {
    guard let server else { return }
    waiting[id, default: []] += frames
    if !server.isChoked(id) { server.requestWritable(id) }
  }

  nonisolated func writable(_ id: ConnectionID) {
    assumeIsolated { echo in
      guard let server = echo.server else { return }
      if let frames = echo.waiting.removeValue(forKey: id), server.send(id, frames) == .choked {
        server.pauseReading(id)
      } else {
        server.resumeReading(id)
      }
    }
  }

  nonisolated func closed(_ id: ConnectionID, _ close: ConnectionClose) {
    assumeIsolated { _ = $0.waiting.removeValue(forKey: id) }
  }

  nonisolated func passEnded() {}

  nonisolated func requested(_ exchange: HTTPExchange, _ request: HTTPRequest) {
    exchange.respond(request.path == "/healthz" ? .text(200, "ok") : nil)
  }
}

let usage = """
  usage: obs-echo [--host ADDRESS] [--port PORT] [--max-message BYTES] [--cert FILE --key FILE]

  Echoes WebSocket messages, text and binary, on every path "/" of ADDRESS (127.0.0.1) and PORT (0: any).
  Prints one line with the URL, and runs until SIGINT or SIGTERM.

  """

/// Writes a line at once, also into a pipe.
func say(_ text: String, to file: Int32) {
  let bytes = Array((text + "\n").utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
}

func fail(_ text: String) -> Never {
  say("obs-echo: \(text)", to: STDERR_FILENO)
  exit(2)
}

var options = ListenOptions()
options.path = "/"
options.acceptsBinary = true
options.maximumMessageBytes = 64 << 20
options.receiveBufferBytes = 16384
var certificate: String?
var key: String?

var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  if argument == "--help" || argument == "-h" {
    print(usage, terminator: "")
    exit(0)
  }
  guard let value = arguments.popFirst() else { fail("\(argument) needs a value; see --help") }
  switch argument {
  case "--host": options.host = value
  case "--port":
    guard let port = UInt16(value) else { fail("--port must be 0 to 65535") }
    options.port = port
  case "--max-message":
    guard let bytes = Int(value) else { fail("--max-message must be a number") }
    options.maximumMessageBytes = bytes
  case "--cert": certificate = value
  case "--key": key = value
  default: fail("unknown option \(argument); see --help")
  }
}
if let certificate, let key {
  options.tls = TLSOptions(certificateFile: certificate, privateKeyFile: key)
}

// Signals are taken by this thread alone: blocked before the loop's thread begins.
var signals = sigset_t()
unsafe sigemptyset(&signals)
unsafe sigaddset(&signals, SIGINT)
unsafe sigaddset(&signals, SIGTERM)
unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)

do {
  let loop = try EventLoop(name: "echo")
  let echo = Echo(loop: loop)
  let server = WebSocketServer(on: loop, options, handler: echo)
  await echo.attach(server)
  let port = try await server.start()
  say(
    "listening on \(options.tls == nil ? "ws" : "wss")://\(options.host):\(port)/",
    to: STDOUT_FILENO
  )
  var signal: Int32 = 0
  unsafe sigwait(&signals, &signal)
  await server.stop()
  await loop.stop()
} catch {
  fail("\(error)")
}
