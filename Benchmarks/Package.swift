// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A contender: a program of its own, which links what it is about and no other client.
func contender(_ name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(name: name, dependencies: ["BenchKit"] + dependencies, swiftSettings: settings)
}

/// A package of its own, so that the root package depends on nothing: only here is a peer compiled in.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Networking", path: ".."),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // For the settings of AsyncHTTPClient's TLS and buffers; it depends on both itself.
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.27.0"),
    ],
    targets: [
        .executableTarget(name: "bench", dependencies: ["BenchKit"], swiftSettings: settings),
        .target(name: "BenchKit", swiftSettings: settings),
        contender(
            "bench-sdk",
            on: [.product(name: "NetCache", package: "Networking"), .product(name: "NetClient", package: "Networking")]
        ),
        contender(
            "bench-async-http-client",
            on: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        contender("bench-url-session"),
        .executableTarget(name: "bench-c"),
        // Parts of the SDK by themselves, without sockets.
        .executableTarget(
            name: "bench-parts",
            dependencies: ["BenchKit", .product(name: "Networking", package: "Networking")],
            swiftSettings: settings
        ),
        // A large upload beside the curl command's.
        .executableTarget(
            name: "bench-upload",
            dependencies: ["BenchKit", .product(name: "NetTransfer", package: "Networking")],
            swiftSettings: settings
        ),
        // Streams of HTTP/2 that nobody reads.
        .executableTarget(
            name: "bench-http2",
            dependencies: [
                "BenchKit", .product(name: "NetClient", package: "Networking"),
                .product(name: "NetTesting", package: "Networking"),
            ],
            swiftSettings: settings
        ),
        // What idle connections and several loops cost.
        .executableTarget(
            name: "bench-engine",
            dependencies: [
                "BenchKit", .product(name: "NetClient", package: "Networking"),
                .product(name: "NetTesting", package: "Networking"),
            ],
            swiftSettings: settings
        ),
        // A large download beside the curl command's.
        .executableTarget(
            name: "bench-download",
            dependencies: ["BenchKit", .product(name: "NetTransfer", package: "Networking")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
