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
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),

    // The product.
    .target(name: "ObsWire", dependencies: ["CJansson"], swiftSettings: settings),
    .target(
      name: "ObsTransport",
      dependencies: ["CWebsockets", "CUV"],
      exclude: ["TRAPS.md"],
      swiftSettings: settings
    ),
    .target(name: "ObsQuery", dependencies: ["ObsWire"], swiftSettings: settings),
    .target(name: "ObsModel", dependencies: ["ObsQuery", "ObsWire"], swiftSettings: settings),
    .target(
      name: "ObsServer",
      dependencies: ["ObsModel", "ObsQuery", "ObsTransport", "ObsWire"],
      swiftSettings: settings
    ),
    .target(name: "ObsClient", dependencies: ["ObsTransport", "ObsWire"], swiftSettings: settings),
    .executableTarget(
      name: "obsctl",
      dependencies: ["ObsClient", "ObsModel", "ObsQuery", "ObsWire"],
      swiftSettings: settings
    ),

    // Examples and benchmarks: nothing depends on them but tests.
    .executableTarget(
      name: "EvolutionBoard",
      dependencies: ["ObsServer", "ObsClient", "ObsWire"],
      path: "Examples/EvolutionBoard",
      resources: [.copy("Data")],
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
      dependencies: ["ObsServer", "ObsClient", "ObsWire"],
      path: "Benchmarks/obs-bench",
      swiftSettings: settings
    ),

    // Tests.
    .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
    .target(
      name: "ObsTestSupport",
      dependencies: ["ObsTransport", "ObsWire", "ObsServer", "CSpawn"],
      path: "Tests/ObsTestSupport",
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsWireTests",
      dependencies: ["ObsWire", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsQueryTests",
      dependencies: ["ObsQuery", "ObsWire"],
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
      name: "ObsServerTests",
      dependencies: ["ObsServer", "ObsModel", "ObsTransport", "ObsWire", "ObsTestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ObsClientTests",
      dependencies: [
        "ObsClient", "ObsModel", "ObsServer", "ObsTransport", "ObsWire", "TriageBadge",
        "ObsTestSupport", "obsctl",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "ObsClient", "ObsServer", "ObsTransport", "ObsWire", "ObsTestSupport", "obsctl",
      ],
      exclude: ["Clients"],
      swiftSettings: settings
    ),
  ]
)
