import Glibc
import Synchronization

/// A WebSocket client made of a bare socket, for tests: it can say anything, also what no proper client would say, and it reads only when
/// it is asked to.
///
/// Waiting blocks no thread of the tests (``Readiness``), and fails after some seconds, as a guard against hanging only. The socket is closed with the last reference.
public final class RawPeer: Sendable {
  /// What went wrong.
  public struct Failure: Error, CustomStringConvertible {
    /// The text.
    public let description: String
  }

  /// One received frame.
  public struct Frame: Sendable, Hashable, CustomStringConvertible {
    /// Whether it is the last of its message.
    public var final: Bool
    /// 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong.
    public var opcode: UInt8
    /// The payload.
    public var payload: [UInt8]

    /// The payload as text.
    public var text: String { String(decoding: payload, as: UTF8.self) }
    /// The code of a close frame.
    public var closeCode: UInt16? {
      opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
    }
    /// The reason of a close frame.
    public var closeReason: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }
    /// For failure messages.
    public var description: String {
      if let closeCode { return "close \(closeCode) \(closeReason)" }
      return "frame \(opcode)\(final ? "" : " (more)") \(payload.count) bytes: \(text.prefix(200))"
    }
  }

  /// A received HTTP response.
  public struct Response: Sendable {
    /// The status; 0 when the connection ended without a response.
    public var status: Int
    /// Headers by lower-case name.
    public var headers: [String: String]
    /// The body, as far as `Content-Length` says.
    public var body: String
  }

  private let socket: Int32
  private let port: UInt16
  private let buffer = Mutex<[UInt8]>([])
  private let isClosed = Mutex(false)

  private init(socket: Int32, port: UInt16) {
    self.socket = socket
    self.port = port
  }

  deinit { closeSocket(wakingReaders: false) }

  // MARK: connecting

  /// Connects to a port of 127.0.0.1; `receiveBuffer` is SO_RCVBUF in bytes, small values choke the server soon.
  public static func connect(port: UInt16, receiveBuffer: Int? = nil) async throws -> RawPeer {
    let descriptor = Glibc.socket(
      AF_INET,
      Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue),
      0
    )
    guard descriptor >= 0 else { throw failure("socket") }
    let peer = RawPeer(socket: descriptor, port: port)
    if let receiveBuffer { peer.setOption(SOL_SOCKET, SO_RCVBUF, Int32(receiveBuffer)) }
    peer.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    // On loopback this does not wait for anybody but the kernel.
    guard Self.connect(descriptor, port) else { throw failure("connect to port \(port)") }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return peer
  }

  private static func connect(_ socket: Int32, _ port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Connects and upgrades; throws when the server does not answer with 101.
  public static func open(
    port: UInt16,
    path: String = "/ws",
    subprotocol: String? = "graphql-transport-ws",
    headers: [(String, String)] = [],
    receiveBuffer: Int? = nil
  ) async throws -> RawPeer {
    let peer = try await connect(port: port, receiveBuffer: receiveBuffer)
    let response = try await peer.handshake(
      path: path,
      subprotocol: subprotocol,
      headers: headers
    )
    guard response.status == 101 else {
      throw Failure(description: "the handshake was answered with \(response)")
    }
    return peer
  }

  /// Sends the request of an upgrade and reads the response.
  ///
  /// `headers` replace the usual ones of the same name; an empty value leaves a header out.
  public func handshake(
    path: String = "/ws",
    subprotocol: String? = "graphql-transport-ws",
    headers: [(String, String)] = []
  ) async throws -> Response {
    try await send(
      raw: Self.upgradeRequest(
        path: path,
        port: port,
        subprotocol: subprotocol,
        headers: headers
      )
    )
    return try await response()
  }

  /// The request of an upgrade.
  public static func upgradeRequest(
    path: String = "/ws",
    port: UInt16,
    subprotocol: String? = "graphql-transport-ws",
    headers: [(String, String)] = []
  ) -> [UInt8] {
    var all = [
      ("Host", "127.0.0.1:\(port)"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
      ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
    ]
    if let subprotocol { all.append(("Sec-WebSocket-Protocol", subprotocol)) }
    for header in headers {
      all.removeAll { $0.0.lowercased() == header.0.lowercased() }
      if !header.1.isEmpty { all.append(header) }
    }
    let lines = all.map { "\($0.0): \($0.1)\r\n" }.joined()
    return Array("GET \(path) HTTP/1.1\r\n\(lines)\r\n".utf8)
  }

  // MARK: sending

  /// Sends bytes as they are.
  public func send(raw bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(1 << 20))
      let count = unsafe piece.withUnsafeBytes {
        unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        guard await Readiness.writable(socket) else { throw Self.failure("waiting to send") }
      } else {
        throw Self.failure("send")
      }
    }
  }

  /// Sends one frame.
  ///
  /// `opcode` may be any number, `masked` is what the protocol demands of clients, `reserved` are the bits 0x40, 0x20 and 0x10, and
  /// `announcedLength` is a length for the header other than that of the payload.
  public func send(
    opcode: UInt8,
    _ payload: [UInt8],
    final: Bool = true,
    masked: Bool = true,
    reserved: UInt8 = 0,
    announcedLength: UInt64? = nil
  ) async throws {
    try await send(
      raw: Self.frame(
        opcode: opcode,
        payload,
        final: final,
        masked: masked,
        reserved: reserved,
        announcedLength: announcedLength
      )
    )
  }

  /// The bytes of one frame; see ``send(opcode:_:final:masked:reserved:announcedLength:)``.
  public static func frame(
    opcode: UInt8,
    _ payload: [UInt8],
    final: Bool = true,
    masked: Bool = true,
    reserved: UInt8 = 0,
    announcedLength: UInt64? = nil
  ) -> [UInt8] {
    let length = announcedLength ?? UInt64(payload.count)
    let maskBit: UInt8 = masked ? 0x80 : 0
    var bytes = [(final ? 0x80 : 0) | reserved | opcode]
    if length < 126 {
      bytes.append(maskBit | UInt8(length))
    } else if length < 65536 {
      bytes += [maskBit | 126, UInt8(length >> 8), UInt8(length & 0xff)]
    } else {
      bytes.append(maskBit | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: length >> UInt64(shift)))
      }
    }
    guard masked else { return bytes + payload }
    let mask: [UInt8] = [0x37, 0xfa, 0x21, 0x3d]
    bytes += mask
    for (index, byte) in payload.enumerated() { bytes.append(byte ^ mask[index & 3]) }
    return bytes
  }

  /// Sends a text message in one frame.
  public func send(_ text: String) async throws { try await send(opcode: 1, Array(text.utf8)) }

  /// Sends a close frame; nil sends one without a code.
  public func sendClose(_ code: UInt16?, _ reason: String = "") async throws {
    let head = code.map { [UInt8($0 >> 8), UInt8($0 & 0xff)] } ?? []
    try await send(opcode: 8, head + Array(reason.utf8))
  }

  // MARK: reading

  /// Reads the next frame; nil when the connection has ended, in whatever way.
  public func nextFrame() async throws -> Frame? {
    guard let head = try await take(2) else { return nil }
    var length = Int(head[1] & 0x7f)
    guard head[1] & 0x80 == 0 else { throw Failure(description: "the server masked a frame") }
    if length == 126 || length == 127 {
      guard let more = try await take(length == 126 ? 2 : 8) else { return nil }
      length = more.reduce(0) { $0 << 8 | Int($1) }
    }
    guard let payload = try await take(length) else { return nil }
    return Frame(final: head[0] & 0x80 != 0, opcode: head[0] & 0x0f, payload: payload)
  }

  /// Reads the next message, its fragments joined, and answers pings on the way; nil at the end or at a close frame.
  public func nextMessage() async throws -> String? {
    var collected: [UInt8] = []
    while let frame = try await nextFrame() {
      switch frame.opcode {
      case 9: try await send(opcode: 10, frame.payload)
      case 10: break
      case 8: return nil
      default:
        collected += frame.payload
        if frame.final { return String(decoding: collected, as: UTF8.self) }
      }
    }
    return nil
  }

  /// Reads until a close frame; nil when the connection ended without one.
  public func nextClose() async throws -> Frame? {
    while let frame = try await nextFrame() {
      if frame.opcode == 8 { return frame }
    }
    return nil
  }

  /// Reads whatever comes until the connection ends, and says how many bytes there were.
  @discardableResult
  public func readToEnd() async throws -> Int {
    var count = buffer.withLock { buffer in
      defer { buffer = [] }
      return buffer.count
    }
    while let more = try await receive() { count += more.count }
    return count
  }

  /// Reads at most `limit` bytes, without looking at frames; 0 at the end.
  public func receiveSome(_ limit: Int) async throws -> Int {
    try await receive(limit)?.count ?? 0
  }

  /// Reads an exact number of bytes; nil when the connection ends before.
  public func bytes(_ count: Int) async throws -> [UInt8]? { try await take(count) }

  /// Reads up to a line break, which is left out with a carriage return before it; nil when the connection ends before.
  public func line() async throws -> String? {
    var line: [UInt8] = []
    while let byte = try await take(1)?.first {
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      return String(decoding: line, as: UTF8.self)
    }
    return nil
  }

  /// Reads a chunk of a chunked body; empty at its end, nil when the connection ends before.
  public func chunk() async throws -> String? {
    guard let size = try await line(), let count = Int(size, radix: 16),
      let bytes = try await take(count), try await line() == ""
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads an HTTP response.
  public func response(toHEAD: Bool = false) async throws -> Response {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
      guard let byte = try await take(1) else {
        return Response(status: 0, headers: [:], body: String(decoding: head, as: UTF8.self))
      }
      head += byte
    }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      headers[line[..<colon].lowercased()] = String(value)
    }
    let status = words.count > 1 ? Int(words[1]) ?? 0 : 0
    let length = toHEAD || status == 101 ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
    let body = try await take(length) ?? []
    return Response(
      status: status,
      headers: headers,
      body: String(decoding: body, as: UTF8.self)
    )
  }

  /// Takes an exact number of bytes; nil when the connection ends before.
  private func take(_ count: Int) async throws -> [UInt8]? {
    while true {
      let bytes = buffer.withLock { buffer -> [UInt8]? in
        guard buffer.count >= count else { return nil }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
      }
      if let bytes { return bytes }
      guard let more = try await receive() else { return nil }
      buffer.withLock { $0 += more }
    }
  }

  private func receive(_ limit: Int = 65536) async throws -> [UInt8]? {
    while true {
      var bytes = [UInt8](repeating: 0, count: limit)
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe recv(socket, $0.baseAddress, $0.count, 0)
      }
      if count > 0 { return Array(bytes.prefix(count)) }
      guard count < 0, errno == EAGAIN else { return nil }
      guard await Readiness.readable(socket) else {
        throw Failure(description: "nothing arrived for \(Readiness.timeout) seconds")
      }
    }
  }

  // MARK: ending

  /// Ends our direction; the other may go on.
  public func shutdownSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Closes the socket, without a word.
  public func close() { closeSocket(wakingReaders: true) }

  /// Closes the socket with a reset.
  public func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(
      socket,
      SOL_SOCKET,
      SO_LINGER,
      &option,
      socklen_t(MemoryLayout<linger>.size)
    )
    // A shutdown would say goodbye first.
    closeSocket(wakingReaders: false)
  }

  private func closeSocket(wakingReaders: Bool) {
    let first = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard first else { return }
    if wakingReaders { shutdown(socket, Int32(SHUT_RDWR)) }
    Glibc.close(socket)
  }

  // MARK: helpers

  private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    unsafe setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func failure(_ call: String) -> Failure {
    Failure(description: "\(call) failed with errno \(errno)")
  }
}
