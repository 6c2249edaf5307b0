// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// A target of ours: every one is compiled under the same rules.
func module(
  _ name: String, uses dependencies: [Target.Dependency] = [], exclude: [String] = [], linking: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings, linkerSettings: linking)
}

func program(_ name: String, path: String? = nil, uses dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, uses dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

var products: [Product] = [.library(name: "RichPush", targets: ["RichPush", "RichPushService"])]

// An app's service extension takes these two alone, and resolves this package on a Mac.
var targets: [Target] = [
  module(
    "RichPush",
    exclude: [
      "manifest.schema.json", "job.schema.json", "result.schema.json", "categories.schema.json", "payload.schema.json",
    ]),
  // The part of it that needs Foundation, which costs the programs too much to start with.
  module("RichPushService", uses: ["RichPush"]),
  // The schemas of the documents that others read, held against what is written.
  .target(name: "SchemaSupport", dependencies: ["RichPush"], path: "Tests/SchemaSupport", swiftSettings: settings),
  tests("RichPushTests", uses: ["RichPush", "SchemaSupport"]),
]

#if os(Linux)
  products += [
    .executable(name: "enclosure", targets: ["EnclosureCommand"]),
    .executable(name: "enclosure-media", targets: ["EnclosureMedia"]),
  ]

  targets += [
    // System libraries. libvips is found through gobject's pkg-config file: its headers need GLib's folders, and its
    // own file asks for -pthread, which SwiftPM warns about.
    .systemLibrary(name: "CVips", pkgConfig: "gobject-2.0", providers: [.apt(["libvips-dev"])]),
    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(
      name: "CFFmpeg", pkgConfig: "libavfilter",
      providers: [
        .apt(["libavfilter-dev", "libavformat-dev", "libavcodec-dev", "libswscale-dev", "libswresample-dev"])
      ]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CLinux"),

    module("Preparation", uses: ["RichPush"], linking: [.linkedLibrary("m")]),  // rounding
    module("Report", uses: ["RichPush"]),
    module("Digest", uses: ["CCrypto"]),
    module("Blocking"),
    module("PercentEncoding"),
    module("Metrics"),
    module("Operations", uses: ["Metrics", "Digest", "PercentEncoding", "CMicroHTTPD"]),
    module("MediaChannel", uses: ["Preparation", "RichPush", "CLinux"]),
    module("Media", uses: ["Preparation", "RichPush", "CVips", "CTurboJPEG", "CFFmpeg"]),
    module("Transfer", uses: ["RichPush", "Digest", "Blocking", "CCurl"]),
    module("SQLite", uses: ["CSQLite"]),
    module("Cache", uses: ["Transfer", "Digest", "Blocking", "SQLite"]),
    module("JobQueue", uses: ["RichPush", "Digest", "Blocking", "PercentEncoding", "SQLite", "CNATS"]),
    module("AssetStore", uses: ["Transfer", "RichPush", "Digest", "Blocking", "PercentEncoding", "CLinux"]),
    module(
      "Pipeline",
      uses: [
        "Transfer", "Cache", "AssetStore", "JobQueue", "MediaChannel", "Preparation", "RichPush", "Digest", "Blocking",
        "PercentEncoding", "Metrics", "CLinux",
      ]),

    program(
      "EnclosureCommand",
      uses: [
        "Pipeline", "JobQueue", "Cache", "AssetStore", "Transfer", "MediaChannel", "Preparation", "RichPush", "SQLite",
        "Operations", "Metrics", "Blocking", "Report", "CGLib",
      ]),
    program("EnclosureMedia", uses: ["Media", "MediaChannel", "Preparation", "RichPush", "CLinux"]),

    // A helper that crashes, hangs or balloons when a source asks it to; it never ships.
    program(
      "FaultyMedia", path: "Tests/FaultyMedia", uses: ["Media", "MediaChannel", "Preparation"]),

    tests("RichPushServiceTests", uses: ["RichPushService", "RichPush", "TestSupport"]),
    tests("ReportTests", uses: ["Report", "RichPush", "TestSupport"]),
    tests("PreparationTests", uses: ["Preparation", "RichPush"]),
    tests("MediaChannelTests", uses: ["MediaChannel", "Preparation", "RichPush"]),
    tests("MediaTests", uses: ["Media", "Preparation", "RichPush"]),
    // Servers and files for tests, for whichever test target needs them.
    .target(name: "TestSupport", dependencies: ["CLinux"], path: "Tests/TestSupport", swiftSettings: settings),
    // Stands between the tests and the network.
    .target(name: "CScriptedNetwork", path: "Tests/CScriptedNetwork"),
    tests("MetricsTests", uses: ["Metrics", "TestSupport"]),
    tests("OperationsTests", uses: ["Operations", "Metrics", "TestSupport"]),
    tests("TransferTests", uses: ["Transfer", "RichPush", "Digest", "TestSupport", "CScriptedNetwork"]),
    tests("CacheTests", uses: ["Cache", "Transfer", "Digest", "CacheWriter", "TestSupport"]),
    // Writes to a cache until it is killed.
    program("CacheWriter", path: "Tests/CacheWriter", uses: ["Cache", "Transfer", "Digest"]),
    tests(
      "AssetStoreTests",
      uses: ["AssetStore", "Transfer", "RichPush", "Digest", "Blocking", "AssetStoreWriter", "TestSupport"]),
    // Writes to a store until it is killed.
    program("AssetStoreWriter", path: "Tests/AssetStoreWriter", uses: ["AssetStore", "Transfer", "RichPush"]),
    tests("JobQueueTests", uses: ["JobQueue", "SQLite", "JobQueueWriter", "TestSupport"]),
    // Adds and works on jobs until it is killed.
    program("JobQueueWriter", path: "Tests/JobQueueWriter", uses: ["JobQueue"]),
    // Measures queues, and the NATS server without one.
    program("QueueBenchmark", path: "Tests/QueueBenchmark", uses: ["JobQueue", "CNATS", "TestSupport"]),
    tests(
      "PipelineTests",
      uses: [
        "Pipeline", "Cache", "AssetStore", "Transfer", "MediaChannel", "Preparation", "RichPush", "FaultyMedia",
        "JobQueue", "Metrics", "TestSupport",
      ]),
    tests(
      "WorkerTests",
      uses: [
        "Pipeline", "JobQueue", "AssetStore", "Transfer", "MediaChannel", "Preparation", "RichPush", "Digest",
        "TestSupport",
      ]),
    tests(
      "CommandTests",
      uses: ["EnclosureCommand", "Pipeline", "Preparation", "JobQueue", "RichPush", "TestSupport"]),
    // The built programs as people run them.
    tests(
      "EndToEnd",
      uses: [
        "RichPush", "JobQueue", "SchemaSupport", "TestSupport", "EnclosureCommand", "EnclosureMedia", "FaultyMedia",
      ]),
  ]
#endif

let package = Package(
  name: "Enclosure",
  // For the app's side; the programs are for Linux.
  platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)], products: products,
  targets: targets, swiftLanguageModes: [.v6])
