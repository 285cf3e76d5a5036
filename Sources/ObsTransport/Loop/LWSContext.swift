import CUV
import CWebsockets
import Glibc
import Synchronization

/// One libwebsockets context on a libuv loop of ours (trap 4: its own poll loop is linear in connections; trap 19: our loop leaves
/// signals alone).
///
/// Loop thread only. Lives as long as the process (trap 27).
@safe final class LWSContext {
  private let pointer: OpaquePointer
  private let storage: CStorage
  private var clientHosts: [String: LWSHost] = [:]
  /// Hosts that the library still has, those included that are being destroyed.
  private(set) var hostCount = 0

  init(
    loop: UnsafeMutablePointer<uv_loop_t>,
    core: LoopCore
  ) throws(TransportError) {
    TransportLog.install()
    storage = CStorage()

    var info = unsafe lws_context_creation_info()
    let foreign = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
    unsafe foreign.initialize(to: UnsafeMutableRawPointer(loop))
    defer { unsafe foreign.deallocate() }
    unsafe info.foreign_loops = foreign
    // Unretained: the loop's thread keeps the core.
    unsafe info.user = Unmanaged.passUnretained(core).toOpaque()
    unsafe info.port = CONTEXT_PORT_NO_LISTEN
    unsafe info.gid = -1
    unsafe info.uid = -1
    unsafe info.options =
      UInt64(LWS_SERVER_OPTION_LIBUV) | UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
      | UInt64(LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME)
    // Holds a TLS record, so that no decrypted rest waits for the next event (trap 13).
    unsafe info.pt_serv_buf_size = 65536
    // fd_limit_per_thread stays 0 (trap 6). Headers: 8 KiB for each handshake and each connection of plain HTTP, whose number is
    // limited by that of connections.
    unsafe info.max_http_header_data = 8192
    unsafe info.max_http_header_pool = 65535
    unsafe info.timeout_secs = 30
    // No permessage-deflate (trap 18), HTTP/1.1 only (trap 12).
    unsafe info.extensions = nil
    unsafe info.alpn = storage.string("http/1.1")
    unsafe info.retry_and_idle_policy = UnsafePointer(storage.noKeepalive)
    guard let context = unsafe Self.create(&info) else {
      throw TransportError(
        .loopFailed,
        "libwebsockets could not start (is the package libwebsockets-evlib-uv installed?)"
      )
    }
    unsafe pointer = context
  }

  /// Whether no context of this process has set up TLS yet.
  private static let isFirst = Mutex(true)

  /// Creates the context; the first one of the process sets up TLS for all (trap 37).
  private static func create(_ info: inout lws_context_creation_info) -> OpaquePointer? {
    let address = isFirst.withLock { isFirst in
      if isFirst { unsafe info.options |= UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT) }
      guard let context = unsafe lws_create_context(&info) else { return UInt(0) }
      isFirst = false
      return UInt(bitPattern: context)
    }
    return unsafe OpaquePointer(bitPattern: address)
  }

  /// Makes the library look at its timers, which on libuv are armed after socket events only (trap 3).
  ///
  /// Belongs after every call that sets a timer or resumes reading outside of a socket callback.
  func kick() {
    unsafe lws_cancel_service(pointer)
  }

  /// Creates a virtual host, the carrier of options and TLS state.
  func makeHost(
    _ configuration: LWSHost.Configuration
  ) throws(TransportError) -> LWSHost {
    let host = try unsafe LWSHost(context: pointer, configuration)
    hostCount += 1
    return host
  }

  /// The virtual host of clients with one kind of TLS verification, made once.
  func clientHost(caFile: String?, usesTLS: Bool) throws(TransportError) -> LWSHost {
    let key = usesTLS ? "tls:" + (caFile ?? "") : "plain"
    if let host = clientHosts[key] { return host }
    var configuration = LWSHost.Configuration(name: "client-" + key)
    configuration.clientTLS = usesTLS ? .some(caFile) : nil
    configuration.receiveBufferBytes = 16384
    let host = try makeHost(configuration)
    clientHosts[key] = host
    return host
  }

  /// Ends a host whose connections are gone; the library lets go of it in its own time, which ``hostCount`` shows.
  func destroy(_ host: LWSHost) {
    host.destroy { [self] in hostCount -= 1 }
  }

  /// Frees what clients with their kinds of verification shared; none of them is left.
  func forgetClientHosts() {
    for host in clientHosts.values { destroy(host) }
    clientHosts = [:]
  }

  /// Starts a client connection; nil when it failed at once.
  func connect(
    _ request: inout lws_client_connect_info
  ) -> OpaquePointer? {
    unsafe request.context = pointer
    return unsafe lws_client_connect_via_info(&request)
  }
}

/// C strings and structures that the library keeps by reference, freed with their owner, or when the library has let go
/// of them.
@safe final class CStorage {
  private var strings: [UnsafeMutablePointer<CChar>] = unsafe []

  /// All zero: the library sends no pings of its own and sets no timer per pong (trap 5).
  let noKeepalive: UnsafeMutablePointer<lws_retry_bo_t>

  let protocols: UnsafeMutablePointer<lws_protocols>

  private var released: (() -> Void)?
  private var borrowed: CStorage?

  init() {
    unsafe noKeepalive = .allocate(capacity: 1)
    unsafe noKeepalive.initialize(to: lws_retry_bo_t())
    unsafe protocols = .allocate(capacity: 2)
    unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
  }

  /// Stays alive from now on until ``release()``.
  func keep(until released: @escaping () -> Void) {
    borrowed = self
    self.released = released
  }

  /// The library has let go.
  func release() {
    released?()
    released = nil
    borrowed = nil
  }

  deinit {
    unsafe protocols.deallocate()
    for index in unsafe strings.indices { unsafe free(strings[index]) }
    unsafe noKeepalive.deallocate()
  }

  func string(_ text: String) -> UnsafePointer<CChar>? {
    guard let copy = unsafe strdup(text) else { return nil }
    unsafe strings.append(copy)
    return unsafe UnsafePointer(copy)
  }
}

/// One libwebsockets virtual host without a listener: ours accept, the host adopts.
///
/// Loop thread only. Destroyed by ``LWSContext/destroy(_:)`` when its last connection is gone.
@safe final class LWSHost {
  struct Configuration {
    var name: String
    var subprotocol = ""
    var receiveBufferBytes = 4096
    var keepaliveSeconds: UInt32 = 10
    var serverTLS: TLSOptions?
    /// Outer nil: no TLS; inner nil: the system's certificate authorities.
    var clientTLS: String??

    init(name: String) { self.name = name }
  }

  let pointer: OpaquePointer
  private let storage = CStorage()
  /// The name under which clients find the one protocol of this host.
  let protocolName: UnsafePointer<CChar>?

  init(context: OpaquePointer, _ configuration: Configuration) throws(TransportError) {
    let protocols = unsafe storage.protocols
    unsafe protocolName = storage.string(configuration.subprotocol)
    // protocols[0] is the real one: clients that offer no subprotocol land there.
    unsafe protocols[0].name = protocolName
    unsafe protocols[0].callback = libraryEntry
    unsafe protocols[0].rx_buffer_size = configuration.receiveBufferBytes
    // The library keeps at most this much of a write in one send; small values cost a pass each.
    unsafe protocols[0].tx_packet_size = 1 << 20

    var info = unsafe lws_context_creation_info()
    unsafe info.vhost_name = storage.string(configuration.name)
    unsafe info.protocols = UnsafePointer(protocols)
    unsafe info.keepalive_timeout = Int32(configuration.keepaliveSeconds)
    // Whoever holds headers for longer, and 360 s more, is cut, which plain HTTP does as long as it lasts (trap 32).
    unsafe info.timeout_secs_ah_idle = 365 * 86400
    unsafe info.retry_and_idle_policy = UnsafePointer(storage.noKeepalive)
    unsafe info.alpn = storage.string("http/1.1")
    // Unretained: the storage keeps itself while the host is being destroyed, and until then the host keeps it.
    unsafe info.finalize_arg = Unmanaged.passUnretained(storage).toOpaque()
    unsafe info.finalize = { _, storage in
      guard let storage = unsafe storage else { return }
      unsafe Unmanaged<CStorage>.fromOpaque(storage).takeUnretainedValue().release()
    }
    // A proxy named by the environment would be taken otherwise (trap 22); port 0 means none.
    unsafe info.http_proxy_address = storage.string("none:0")
    if let tls = configuration.serverTLS {
      unsafe info.port = CONTEXT_PORT_NO_LISTEN_SERVER
      unsafe info.options =
        UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
        | UInt64(LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS)
      unsafe info.ssl_cert_filepath = storage.string(tls.certificateFile)
      unsafe info.ssl_private_key_filepath = storage.string(tls.privateKeyFile)
    } else if let caFile = configuration.clientTLS {
      unsafe info.port = CONTEXT_PORT_NO_LISTEN
      unsafe info.options = UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
      if let caFile {
        unsafe info.options |= UInt64(LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS)
        unsafe info.client_ssl_ca_filepath = storage.string(caFile)
      }
    } else {
      unsafe info.port = CONTEXT_PORT_NO_LISTEN_SERVER
    }
    guard let host = unsafe lws_create_vhost(context, &info) else {
      throw TransportError(.tlsFailed, "libwebsockets refused the host \(configuration.name)")
    }
    unsafe pointer = host
  }

  var noKeepalive: UnsafePointer<lws_retry_bo_t> { unsafe UnsafePointer(storage.noKeepalive) }

  /// Destroys the host; `gone` is called when the library does not know it any more, perhaps at once.
  func destroy(_ gone: @escaping () -> Void) {
    storage.keep(until: gone)
    unsafe lws_vhost_destroy(pointer)
  }
}

/// Where libwebsockets enters: recover the owner, call a method.
private func libraryEntry(
  _ wsi: OpaquePointer?,
  _ reason: lws_callback_reasons,
  _ user: UnsafeMutableRawPointer?,
  _ input: UnsafeMutableRawPointer?,
  _ count: Int
) -> Int32 {
  guard let wsi = unsafe wsi, let context = unsafe lws_get_context(wsi),
    let owner = unsafe lws_context_user(context)
  else { return 0 }
  return unsafe Unmanaged<LoopCore>.fromOpaque(owner).takeUnretainedValue()
    .handle(Socket(wsi), reason, input, count)
}
