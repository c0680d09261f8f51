// swift-tools-version: 6.2
import PackageDescription

/// `import Networking` is all that an app needs: the umbrella with everything in it. In a package elsewhere, a URL stands in place of `path:`.
let networking = Target.Dependency.product(name: "Networking", package: "Networking")
let testing = Target.Dependency.product(name: "NetTesting", package: "Networking")

let package = Package(
    name: "WeatherClient",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    dependencies: [.package(name: "Networking", path: "../..")],
    targets: [
        // What an app has: models, endpoints, errors, and the client that ties them together.
        .target(name: "WeatherAPI", dependencies: [networking]),
        // Stands in for the server, in the demo and in the tests.
        .target(name: "WeatherStation", dependencies: ["WeatherAPI", networking, testing]),
        .executableTarget(name: "weather", dependencies: ["WeatherAPI", "WeatherStation"]),
        .testTarget(
            name: "WeatherTests", dependencies: ["WeatherAPI", "WeatherStation", "weather", networking, testing]),
    ],
    swiftLanguageModes: [.v6]
)
