import ObsTransport
import ObsWire

/// One connection on the socket loop: its protocol state and what the hub must remember of it.
///
/// Used on the loop's thread only.
final class Session {
  let id: ConnectionID
  /// Named in `connection_ack` and in logs.
  let name: String
  let address: String
  /// Headers of the upgrade; freed once the client is known.
  var upgrade: UpgradeRequest?
  var peer: Peer
  /// The socket has no room: nothing is written until it says so.
  var choked = false
  /// Stands in the hub's list of sessions to flush.
  var dirty = false
  /// Closes the connection if `connection_init` does not come.
  var initTimer: LoopTimer?
  var keepAlive: LoopTimer?
  var wroteSinceKeepAlive = false
  /// Reading is paused until the peer is back within its rate.
  var overRate = false
  /// Messages that wait behind a large one that is parsed off the loop.
  var parsing = false
  var unparsed: [[UInt8]] = []

  init(id: ConnectionID, upgrade: UpgradeRequest, limits: Limits, now: UInt64) {
    self.id = id
    self.upgrade = upgrade
    name = "s" + String(id.rawValue, radix: 36)
    address = upgrade.remoteAddress ?? ""
    peer = Peer(limits: limits, now: now)
  }
}
