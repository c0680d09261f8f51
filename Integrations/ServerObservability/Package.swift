// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// As in the root package: an async function stays on its caller's executor (SE-0461), so a step of the pipeline costs no change of executors.
let moduleSettings = settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let networking = ["NetClient", "NetCore", "NetLogging"].map {
    Target.Dependency.product(name: $0, package: "Networking")
}
let apis: [Target.Dependency] = [
    .product(name: "Logging", package: "swift-log"),
    .product(name: "CoreMetrics", package: "swift-metrics"),
    .product(name: "Instrumentation", package: "swift-distributed-tracing"),
    .product(name: "Tracing", package: "swift-distributed-tracing"),
]

let package = Package(
    name: "networking-server-observability",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "NetworkingObservability", targets: ["NetworkingObservability"])],
    dependencies: [
        .package(name: "Networking", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .target(name: "NetworkingObservability", dependencies: networking + apis, swiftSettings: moduleSettings),
        // The example of the README, as a program.
        .executableTarget(
            name: "observability-example",
            dependencies: ["NetworkingObservability", .product(name: "NetTesting", package: "Networking")] + networking
                + apis,
            swiftSettings: settings),
        // What observing costs: see README.md.
        .executableTarget(
            name: "observability-bench", dependencies: ["NetworkingObservability"] + networking + apis,
            swiftSettings: moduleSettings),
        .testTarget(
            name: "NetworkingObservabilityTests",
            dependencies: [
                "NetworkingObservability",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NetCache", package: "Networking"),
                .product(name: "NetTesting", package: "Networking"),
            ] + networking + apis,
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
