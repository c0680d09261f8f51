// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A plugin depends on the contract (`NetCore`) and on the module whose protocol it conforms to. It links no transport: whoever uses the
/// plugin brings the client. Here `path:` stands in place of the URL that a package elsewhere writes.
let package = Package(
    name: "RedisPlugins",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "RedisPlugins", targets: ["RedisPlugins"])],
    dependencies: [
        .package(name: "Networking", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    ],
    targets: [
        .target(
            name: "RedisPlugins",
            dependencies: [
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetCache", package: "Networking"),
                .product(name: "NetLogging", package: "Networking"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RedisPluginsTests",
            dependencies: [
                "RedisPlugins",
                .product(name: "NetCache", package: "Networking"),
                .product(name: "NetClient", package: "Networking"),
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetLogging", package: "Networking"),
                .product(name: "NetTesting", package: "Networking"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
