public import ObsWire

/// Where a client's connection stands.
public enum ConnectionState: Sendable {
  /// No connection, and none is wanted at present.
  case disconnected
  /// A socket is being opened, `failures` attempts in a row have failed before.
  case connecting(failures: Int)
  /// The socket is open and the server's greeting is awaited.
  case initializing
  /// The server has greeted: operations run.
  case ready(Greeting)
  /// The connection failed or was lost; another attempt is made after `delay`.
  case backingOff(delay: Duration, because: ClientError)
  /// The server, or the address, gave a reason for which no further attempt is made by itself.
  case failed(ClientError)
  /// ``Client/close()`` was called; this client does nothing any more.
  case closed

  /// Whether the server has greeted and operations run.
  public var isReady: Bool {
    guard case .ready = self else { return false }
    return true
  }
}

/// What the server says about itself when a connection starts (`connection_ack`).
public struct Greeting: Sendable, Hashable {
  /// The whole payload of the greeting.
  public var payload: JSON.Object

  /// Makes one from the payload of `connection_ack`.
  init(_ payload: JSON.Object) {
    self.payload = payload
  }

  /// A name for one life of the server process: revs of two epochs cannot be compared.
  ///
  /// Empty when the server gave none.
  public var epoch: String { payload["epoch"]?.stringValue ?? "" }
  /// The number of the server's last turn when the connection started.
  public var rev: Int64 { payload["rev"]?.intValue ?? 0 }
  /// The label that the operator gave the server, such as `production`.
  public var environment: String? { payload["environment"]?.stringValue }
  /// The server's name for this connection, as it appears in its logs.
  public var session: String? { payload["session"]?.stringValue }
  /// What the server can do by name, such as `resume`.
  public var features: [String] {
    payload["features"]?.arrayValue?.compactMap(\.stringValue) ?? []
  }
  /// The server's limits by name, such as `messageBytes` (PROTOCOL.md, limits).
  public var limits: JSON.Object { payload["limits"]?.objectValue ?? [:] }
}
