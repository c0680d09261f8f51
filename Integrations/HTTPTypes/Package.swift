// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "networking-http-types",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "NetworkingHTTPTypes", targets: ["NetworkingHTTPTypes"])],
    dependencies: [
        .package(name: "Networking", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "NetworkingHTTPTypes",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HTTPTypesFoundation", package: "swift-http-types"),
                .product(name: "NetClient", package: "Networking"),
                .product(name: "NetCore", package: "Networking"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NetworkingHTTPTypesTests",
            dependencies: [
                "NetworkingHTTPTypes",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NetClient", package: "Networking"),
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetTesting", package: "Networking"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
