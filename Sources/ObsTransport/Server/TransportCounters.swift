import Synchronization

/// Why a connection was not accepted.
public enum RefusalReason: String, Sendable, CaseIterable {
  /// Another path than the one that upgrades: 404.
  case path
  /// Not a valid WebSocket handshake: 400, 405, 426, or no answer.
  case handshake
  /// A foreign origin: 403.
  case origin
  /// Only subprotocols that are not spoken here: 400.
  case subprotocol
  /// Too many connections: 503.
  case full
  /// Too many handshakes a second: 503.
  case rate
  /// The handshake took too long.
  case timeout
}

/// Counters of a ``WebSocketServer`` since its start; to be read from any thread.
public final class TransportCounters: Sendable {
  private let acceptedCount = Atomic<UInt64>(0)
  private let sentBytes = Atomic<UInt64>(0)
  private let receivedBytes = Atomic<UInt64>(0)
  private let receivedMessages = Atomic<UInt64>(0)
  private let writes = Atomic<UInt64>(0)
  private let requests = Atomic<UInt64>(0)
  private let deadPeers = Atomic<UInt64>(0)
  private let refusals = Mutex<[RefusalReason: UInt64]>([:])

  init() {}

  /// WebSocket connections accepted.
  public var accepted: UInt64 { acceptedCount.load(ordering: .relaxed) }
  /// Connections refused, by reason.
  public var refused: [RefusalReason: UInt64] { refusals.withLock { $0 } }
  /// Bytes of frames handed to the sockets, headers included.
  public var bytesSent: UInt64 { sentBytes.load(ordering: .relaxed) }
  /// Payload bytes of messages received, whole or not.
  public var bytesReceived: UInt64 { receivedBytes.load(ordering: .relaxed) }
  /// Whole messages received.
  public var messagesReceived: UInt64 { receivedMessages.load(ordering: .relaxed) }
  /// Sends; each is at least one system call.
  public var socketWrites: UInt64 { writes.load(ordering: .relaxed) }
  /// Plain HTTP requests answered.
  public var httpRequests: UInt64 { requests.load(ordering: .relaxed) }
  /// Connections ended because the peer gave no sign of life.
  public var silentPeers: UInt64 { deadPeers.load(ordering: .relaxed) }

  func connectionAccepted() { acceptedCount.wrappingAdd(1, ordering: .relaxed) }
  func refused(_ reason: RefusalReason) { refusals.withLock { $0[reason, default: 0] += 1 } }
  func sent(_ bytes: Int) {
    sentBytes.wrappingAdd(UInt64(bytes), ordering: .relaxed)
    writes.wrappingAdd(1, ordering: .relaxed)
  }
  func received(bytes: Int) { receivedBytes.wrappingAdd(UInt64(bytes), ordering: .relaxed) }
  func receivedMessage() { receivedMessages.wrappingAdd(1, ordering: .relaxed) }
  func answeredRequest() { requests.wrappingAdd(1, ordering: .relaxed) }
  func peerWasSilent() { deadPeers.wrappingAdd(1, ordering: .relaxed) }
}
