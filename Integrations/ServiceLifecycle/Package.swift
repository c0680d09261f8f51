// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The tests use what is newer than the minimum versions.
let testSettings =
    settings + [
        .unsafeFlags(
            ["-Xfrontend", "-disable-availability-checking"],
            .when(platforms: [.iOS, .macOS, .tvOS, .watchOS, .visionOS]))
    ]

/// Two products, so that a program links only what it uses. swift-configuration needs macOS 15 and iOS 18: `NetworkingConfiguration` has that
/// as availability of its declarations, and `NetworkingServiceLifecycle` keeps the minimum versions of the SDK.
let package = Package(
    name: "networking-service-lifecycle",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "NetworkingServiceLifecycle", targets: ["NetworkingServiceLifecycle"]),
        .library(name: "NetworkingConfiguration", targets: ["NetworkingConfiguration"]),
    ],
    dependencies: [
        .package(name: "Networking", path: "../.."),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "NetworkingServiceLifecycle",
            dependencies: [
                .product(name: "NetClient", package: "Networking"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "NetworkingConfiguration",
            dependencies: [
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "NetCache", package: "Networking"),
                .product(name: "NetClient", package: "Networking"),
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetLogging", package: "Networking"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NetworkingServiceLifecycleTests",
            dependencies: [
                "NetworkingConfiguration",
                "NetworkingServiceLifecycle",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NetClient", package: "Networking"),
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetTesting", package: "Networking"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "NetworkingConfigurationTests",
            dependencies: [
                "NetworkingConfiguration",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "NetCache", package: "Networking"),
                .product(name: "NetClient", package: "Networking"),
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetLogging", package: "Networking"),
                .product(name: "NetTesting", package: "Networking"),
            ],
            swiftSettings: testSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
