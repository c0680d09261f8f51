// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A plugin depends on the contract (`NetCore`) and on the module whose protocol it conforms to. It links no transport: the user of the plugin
/// brings the client. In a package elsewhere, URLs stand in place of `path:`.
let package = Package(
    name: "RedisPlugins",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "RedisPlugins", targets: ["RedisPlugins"])],
    dependencies: [
        .package(name: "Networking", path: "../.."),
        .package(name: "networking-redis", path: "../../Integrations/Redis"),
    ],
    targets: [
        .target(
            name: "RedisPlugins",
            dependencies: [
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetLogging", package: "Networking"),
                .product(name: "NetworkingRedis", package: "networking-redis"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RedisPluginsTests",
            dependencies: [
                "RedisPlugins",
                .product(name: "NetClient", package: "Networking"),
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetLogging", package: "Networking"),
                .product(name: "NetTesting", package: "Networking"),
                .product(name: "NetworkingRedis", package: "networking-redis"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
