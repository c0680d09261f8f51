// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "networking-openapi",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "NetworkingOpenAPI", targets: ["NetworkingOpenAPI"])],
    dependencies: [
        .package(name: "Networking", path: "../.."),
        .package(name: "networking-http-types", path: "../HTTPTypes"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-openapi-runtime", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "NetworkingOpenAPI",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NetClient", package: "Networking"),
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetworkingHTTPTypes", package: "networking-http-types"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NetworkingOpenAPITests",
            dependencies: [
                "NetworkingOpenAPI",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NetClient", package: "Networking"),
                .product(name: "NetCore", package: "Networking"),
                .product(name: "NetTesting", package: "Networking"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
