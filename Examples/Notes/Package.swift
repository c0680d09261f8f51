// swift-tools-version: 6.2
import PackageDescription

/// Pick and choose: a client, and what is there for being offline. In a package elsewhere, a URL stands in place of `path:`.
let client = Target.Dependency.product(name: "NetClient", package: "Networking")
let cache = Target.Dependency.product(name: "NetCache", package: "Networking")
let testing = Target.Dependency.product(name: "NetTesting", package: "Networking")

let package = Package(
    name: "Notes",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    dependencies: [.package(name: "Networking", path: "../..")],
    targets: [
        .target(name: "NotesBook", dependencies: [client, cache]),
        // Stands in for the server, in the demo and in the tests.
        .target(name: "NotesServer", dependencies: ["NotesBook", client, testing]),
        .executableTarget(name: "notes", dependencies: ["NotesBook", "NotesServer", client, cache]),
        .testTarget(name: "NotesTests", dependencies: ["NotesBook", "NotesServer", "notes", client, cache, testing]),
    ],
    swiftLanguageModes: [.v6]
)
