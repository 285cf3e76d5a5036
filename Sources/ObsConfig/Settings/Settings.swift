internal import ObsServer

/// The table of all settings; everything else about configuration follows from it.
public enum Settings {
  /// A part of the table with its heading.
  public struct Section: Sendable {
    /// What the settings of this part are about.
    public let title: String
    /// The settings, in the order in which they are shown.
    public let settings: [Setting]
  }

  /// The parts of the table, in the order in which they are shown; a group stands in one part only.
  public static let sections = [
    Section(title: "Address", settings: address),
    Section(title: "Data", settings: data),
    Section(title: "TLS", settings: tls),
    Section(title: "Life", settings: life),
    Section(title: "Limits", settings: limits),
    Section(title: "Queries and commits", settings: language),
  ]

  /// All settings.
  public static let all = sections.flatMap(\.settings)

  /// The setting with that key.
  public static func setting(_ key: String) -> Setting? { all.first { $0.key == key } }

  /// The setting with that flag.
  public static func setting(flag: String) -> Setting? { all.first { $0.flag == flag } }

  private static let address: [Setting] = [
    .text(
      "server.host",
      \.server.host,
      "address to listen on; any but loopback: everyone may write",
      flag: "--host"
    ),
    .count(
      "server.port",
      \.server.port,
      "port for WebSocket and HTTP; 0: any that is free",
      in: 0...65535,
      flag: "--port"
    ),
    .text(
      "server.path",
      \.server.path,
      "path of the WebSocket endpoint",
      kind: .urlPath,
      flag: "--path"
    ),
    .time(
      "server.pingInterval",
      \.server.pingInterval,
      "silence after which a peer is asked whether it lives",
      from: .seconds(1),
      flag: "--ping-interval"
    ),
    .time(
      "server.pongTimeout",
      \.server.pongTimeout,
      "time to answer that, before the peer counts as dead",
      from: .milliseconds(100),
      flag: "--pong-timeout"
    ),
    .origins(
      "origins",
      \.server.allowedOrigins,
      "pages of other sites that may connect, as in Origin; repeatable",
      flag: "--origin"
    ),
  ]

  private static let data: [Setting] = [
    .text(
      "data.directory",
      \.data,
      "directory of the log and its snapshots; made if it is not there",
      flag: "--data"
    ),
    .size(
      "data.snapshotBytes",
      \.snapshotBytes,
      "bytes of commits after which a snapshot is written"
    ),
    .time(
      "data.snapshotInterval",
      \.snapshotInterval,
      "time after which one is written, if there were commits",
      from: .seconds(1)
    ),
    .optional(
      "data.load",
      \.load,
      "JSON file that a new document begins with",
      kind: .file,
      flag: "--load"
    ),
    .toggle(
      "data.memory",
      \.memory,
      "keep the document in memory only, nothing on disk",
      flag: "--memory"
    ),
    .toggle(
      "data.demo",
      \.demo,
      "load the history of Swift Evolution and keep replaying it, in memory",
      flag: "--demo"
    ),
    .number(
      "data.demoRate",
      \.demoRate,
      "transactions of the demo a second; 0: as fast as it goes",
      in: 0...1_000_000,
      flag: "--demo-rate"
    ),
  ]

  private static let tls: [Setting] = [
    .optional(
      "tls.certificate",
      \.certificateFile,
      "PEM file with the certificate and its chain; without: plain ws://",
      kind: .file
    ),
    .optional(
      "tls.key",
      \.privateKeyFile,
      "PEM file with the private key, without a passphrase",
      kind: .file
    ),
  ]

  private static let life: [Setting] = [
    .level("log.level", \.server.logLevel, "least important records that are written to stderr"),
    .optional(
      "environment",
      \.server.environment,
      "label that clients are told, such as production"
    ),
    .time("linger", \.server.linger, "time that a query lives on after its last subscriber"),
    .time(
      "drain",
      \.server.drainTime,
      "time over which connections are closed after SIGTERM or Ctrl-C"
    ),
  ]
}
