// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "obs",
  products: [
    .library(name: "ObsServer", targets: ["ObsServer"]),
    .library(name: "ObsClient", targets: ["ObsClient"]),
    .library(name: "ObsWire", targets: ["ObsWire"]),
    .library(name: "ObsQuery", targets: ["ObsQuery"]),
    .library(name: "ObsLog", targets: ["ObsLog"]),
    .library(name: "ObsReplica", targets: ["ObsReplica"]),
    .executable(name: "obsd", targets: ["obsd"]),
    .executable(name: "obsctl", targets: ["obsctl"]),
    .executable(name: "evolution-board", targets: ["EvolutionBoard"]),
  ],
  targets: [
    // C libraries: module maps and shims, nothing else.
    .systemLibrary(
      name: "CWebsockets",
      pkgConfig: "libwebsockets",
      providers: [.apt(["libwebsockets-dev"])]
    ),
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    // The product.
    .target(name: "ObsWire", dependencies: ["CCrypto", "CJansson"], swiftSettings: settings),
    .target(name: "ObsLog", dependencies: ["CCrypto", "CSQLite"], swiftSettings: settings),
    .target(
      name: "ObsTransport",
      dependencies: ["CWebsockets", "CUV"],
      exclude: ["TRAPS.md"],
      swiftSettings: settings
    ),
    .target(name: "ObsQuery", dependencies: ["ObsWire"], swiftSettings: settings),
    .target(name: "ObsModel", dependencies: ["ObsQuery", "ObsWire"], swiftSettings: settings),
    .target(
      name: "ObsReplica",
      dependencies: ["ObsLog", "ObsModel", "ObsWire"],
      swiftSettings: settings
    ),
    .target(
      name: "ObsServer",
      dependencies: ["ObsLog", "ObsModel", "ObsQuery", "ObsReplica", "ObsTransport", "ObsWire"],
      swiftSettings: settings
    ),
    .target(name: "ObsClient", dependencies: ["ObsTransport", "ObsWire"], swiftSettings: settings),
    .target(name: "ObsCommandLine", swiftSettings: settings),
    .target(
      name: "ObsConfig",
      dependencies: ["CYAML", "ObsCommandLine", "ObsModel", "ObsQuery", "ObsServer", "ObsWire"],
      swiftSettings: settings
    ),
    .target(
      name: "ObsHistory",
      dependencies: ["ObsCommandLine", "ObsWire"],
      resources: [.copy("Data")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "obsd",
      dependencies: [
        "ObsCommandLine", "ObsConfig", "ObsHistory", "ObsLog", "ObsModel", "ObsReplica",
        "ObsServer",
        "ObsWire",
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "obsctl",
      dependencies: ["ObsClient", "ObsCommandLine", "ObsModel", "ObsQuery", "ObsWire"],
      swiftSettings: settings
    ),

    // Examples and benchmarks: nothing depends on them but tests.
    .executableTarget(
      name: "EvolutionBoard",
      dependencies: ["ObsServer", "ObsClient", "ObsHistory", "ObsWire"],
      path: "Examples/EvolutionBoard",
      swiftSettings: settings
    ),
    .target(
      name: "TriageBadge",
      dependencies: ["ObsClient"],
      path: "Examples/TriageBadge",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "Quickstart",
      dependencies: ["ObsServer", "ObsClient"],
      path: "Examples/Quickstart",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "obs-echo",
      dependencies: ["ObsTransport"],
      path: "Examples/Echo",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "obs-bench",
      dependencies: [
        "ObsServer", "ObsClient", "ObsLog", "ObsModel", "ObsQuery", "ObsReplica", "ObsWire",
      ],
      path: "Benchmarks/obs-bench",
      swiftSettings: settings
    ),

    // Tests.
    .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
    .executableTarget(
      name: "query-lines",
      dependencies: ["ObsQuery", "ObsWire"],
      path: "Tests/QueryLines",
      swiftSettings: settings
    ),
    .target(
      name: "ObsTestSupport",
      dependencies: ["ObsLog", "ObsTransport", "ObsWire", "ObsServer", "CSpawn", "CFaultVFS"],
      path: "Tests/ObsTestSupport",
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsWireTests",
      dependencies: ["ObsWire", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .target(
      name: "CFaultVFS",
      path: "Tests/CFaultVFS",
      linkerSettings: [.linkedLibrary("sqlite3")]
    ),
    .testTarget(
      name: "ObsLogTests",
      dependencies: ["ObsLog", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsQueryTests",
      dependencies: ["ObsQuery", "ObsWire", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsTransportTests",
      dependencies: ["ObsTransport", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsModelTests",
      dependencies: ["ObsModel", "ObsQuery", "ObsWire", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsReplicaTests",
      dependencies: ["ObsReplica", "ObsLog", "ObsModel", "ObsWire", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsServerTests",
      dependencies: ["ObsServer", "ObsModel", "ObsTransport", "ObsWire", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsClientTests",
      dependencies: [
        "ObsClient", "ObsModel", "ObsServer", "ObsTransport", "ObsWire", "TriageBadge",
        "ObsTestSupport", "ObsCommandLine", "obsctl",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsConfigTests",
      dependencies: ["ObsConfig", "ObsCommandLine", "ObsServer", "ObsTestSupport", "obsd"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsCommandLineTests",
      dependencies: ["ObsCommandLine"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsHistoryTests",
      dependencies: ["ObsHistory", "ObsWire", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "ObsClient", "ObsServer", "ObsTransport", "ObsWire", "ObsTestSupport", "ObsCommandLine",
        "obsctl", "obsd",
      ],
      exclude: ["Clients"],
      swiftSettings: settings
    ),
  ]
)
