import CWebsockets
import Glibc

/// One libwebsockets connection (`struct lws`), with the calls that this target makes on it.
///
/// Loop thread only, and only until the library has reported its destruction: addresses are reused, so nobody keeps a socket but its
/// ``Connection``, which is found by its own number.
@safe struct Socket: Equatable {
  let wsi: OpaquePointer

  init(_ wsi: OpaquePointer) { unsafe self.wsi = unsafe wsi }

  static func == (a: Socket, b: Socket) -> Bool { unsafe a.wsi == b.wsi }

  /// The number of the connection that this socket belongs to; nil for the library's own.
  var id: ConnectionID? { unsafe ConnectionID(unsafe lws_get_opaque_user_data(wsi)) }

  /// Writes bytes as they are, in order behind whatever the library still holds; false when the connection is broken.
  ///
  /// On a WebSocket, `LWS_WRITE_HTTP` is the raw path: it neither frames, nor needs room before the bytes, nor changes them (traps 1
  /// and 16). What the socket does not take at once is copied; see ``isChoked``.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress, unsafe !bytes.isEmpty else { return true }
    return unsafe cws_write(wsi, base, bytes.count, Int32(LWS_WRITE_HTTP.rawValue)) >= 0
  }

  /// Whether the library holds bytes that the socket did not take.
  var isChoked: Bool { unsafe lws_partial_buffered(wsi) != 0 }

  /// Asks for WRITEABLE.
  func askForWritable() { _ = unsafe lws_callback_on_writable(wsi) }

  /// Stops or resumes reading.
  func setReading(_ on: Bool) { _ = unsafe lws_rx_flow_control(wsi, on ? 1 : 0) }

  /// Ends the connection in the next pass, without a close frame.
  ///
  /// The caller kicks the context (trap 3).
  func killSoon() {
    unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC)
  }

  /// The message bytes of the current frame that have not arrived yet.
  var remainingPayload: Int { unsafe Int(clamping: lws_remaining_packet_payload(wsi)) }
  var isFirstFragment: Bool { unsafe lws_is_first_fragment(wsi) != 0 }
  var isFinalFragment: Bool { unsafe lws_is_final_fragment(wsi) != 0 }
  var isBinary: Bool { unsafe lws_frame_is_binary(wsi) != 0 }

  /// The value of a request or response header; nil when it is absent or too long.
  func header(_ token: lws_token_indexes) -> String? {
    let count = Int(unsafe lws_hdr_total_length(wsi, token))
    guard count > 0 else { return nil }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { buffer in
      guard let base = buffer.baseAddress,
        unsafe lws_hdr_copy(wsi, base, Int32(count + 1), token) > 0
      else { return nil }
      return unsafe String(cString: base)
    }
  }

  /// A request header that the library has no token for; `name` is in lower case with its colon.
  func customHeader(_ name: String) -> [UInt8]? {
    let count = unsafe lws_hdr_custom_length(wsi, name, Int32(name.utf8.count))
    guard count > 0 else { return nil }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(count) + 1) {
      buffer in
      guard let base = buffer.baseAddress,
        unsafe lws_hdr_custom_copy(wsi, base, count + 1, name, Int32(name.utf8.count)) > 0
      else { return nil }
      return unsafe Array(UnsafeRawBufferPointer(start: base, count: Int(count)))
    }
  }

  /// The status of the response that a client got; 0 when there was none.
  var responseStatus: Int { Int(unsafe lws_http_client_http_response(wsi)) }

  private var descriptor: Int32 { unsafe lws_get_socket_fd(wsi) }

  /// The numeric address of the other side.
  var peerAddress: String? { SocketAddress.peer(of: descriptor) }

  /// How many bytes wait in the kernel for the peer's acknowledgement.
  var unacknowledgedBytes: Int {
    var count: Int32 = 0
    guard unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
    return Int(count)
  }

  /// How many bytes the peer's kernel has acknowledged since the connection began.
  ///
  /// `tcpi_bytes_acked` of linux/tcp.h, at offset 120 since Linux 4.1; glibc's own `tcp_info` ends before it.
  var acknowledgedBytes: UInt64 {
    unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      var count = socklen_t(128)
      guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, base, &count) == 0,
        count >= 128
      else { return 0 }
      return unsafe buffer.load(fromByteOffset: 120, as: UInt64.self)
    }
  }
}
