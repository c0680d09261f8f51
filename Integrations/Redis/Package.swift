// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Modules of the SDK. In a package elsewhere, its URL stands in place of `path:`.
func sdk(_ modules: String...) -> [Target.Dependency] {
    modules.map { .product(name: $0, package: "Networking") }
}

let package = Package(
    name: "networking-redis",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "NetworkingRedis", targets: ["NetworkingRedis"])],
    dependencies: [
        .package(name: "Networking", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        // NetClient for the vocabulary of its limits: CircuitBreaker.State, what counts as a failure, LimitExceeded.
        .target(
            name: "NetworkingRedis",
            dependencies: sdk("NetCache", "NetClient", "NetCore") + [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "redis-example", dependencies: sdk("NetCache", "NetClient", "NetCore") + ["NetworkingRedis"],
            path: "Example", swiftSettings: settings),
        .executableTarget(
            name: "redis-bench",
            dependencies: sdk("NetCache", "NetClient", "NetCore", "NetTesting") + ["NetworkingRedis"],
            path: "Benchmark", swiftSettings: settings),
        .testTarget(
            name: "NetworkingRedisTests",
            dependencies: sdk("NetCache", "NetClient", "NetCore", "NetTesting") + [
                "NetworkingRedis", .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
