// swift-tools-version: 6.2
import PackageDescription

// The Apple branches of `Sources/`, compiled and run on Linux. Each module that Apple has and Linux has not is a target here, of the same
// name, so that `#if canImport(…)` is true in the sources of the SDK, which stand under `Modules/` as links. See README.md.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // As in the tests of the package that is tested.
    .unsafeFlags(["-Xfrontend", "-gnone"]),
]

/// As in the package that is tested.
let moduleSettings = settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// What Apple's SDKs have and the SDK imports.
let frameworks: [Target.Dependency] = [
    "Darwin", "Security", "Network", "os", "CryptoKit", "UniformTypeIdentifiers", "AuthenticationServices", "Combine",
    "AppleLiberties",
]

/// Libraries that have the API of Apple's. Every stub waits for them: they too ask `canImport(Darwin)`, and are to be told no.
let libraries: [Target.Dependency] = [.product(name: "Crypto", package: "swift-crypto"), "OpenCombine"]

func stub(_ name: String, on dependencies: [Target.Dependency] = [], language: SwiftLanguageMode = .v6) -> Target {
    .target(
        name: name, dependencies: dependencies + libraries, path: "Stubs/\(name)",
        swiftSettings: settings + [.swiftLanguageMode(language)])
}

/// Counts which lines run. Here and not by `--enable-code-coverage`, so that whoever builds this package builds the same.
let coverage: [SwiftSetting] = [.unsafeFlags(["-profile-generate", "-profile-coverage-mapping"])]

/// A module of the SDK, of the very files that are shipped.
func module(_ name: String, on dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies + ["AppleFoundation"] + frameworks, path: "Modules/\(name)",
        exclude: exclude + ["Module/PrivacyInfo.xcprivacy"], swiftSettings: moduleSettings + coverage)
}

/// What `#if os(Linux)` leaves out there, whole files all of them: this is Linux, whatever it can import.
let linuxOnly = [
    "NetSystem": ["Module/Platform/Decompressor.swift"],
    "NetTransport": [
        "Module/Coding", "Module/Connector", "Module/CurlTransport.swift", "Module/Engine", "Module/HTTP1",
        "Module/TLS",
    ],
    "NetClient": ["Module/Reachability/ConnectionMonitor+Linux.swift"],
    "NetSecurity": ["Module/Cryptography/Cryptography+Linux.swift"],
]

let package = Package(
    name: "AppleStubs",
    dependencies: [
        // The API of CryptoKit, by Apple.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
    ],
    targets: [
        stub("AppleLiberties"), stub("AppleCoreFoundation"),
        .target(
            name: "CAppleSecurity", path: "Stubs/CAppleSecurity",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        stub("Security", on: ["AppleCoreFoundation", "CAppleSecurity", "AppleLiberties"]),
        .target(
            name: "CAppleNetwork", path: "Stubs/CAppleNetwork",
            linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        stub(
            "AppleFoundation",
            on: ["AppleCoreFoundation", "Combine", "Security", "Network", "CAppleNetwork", "AppleLiberties"]),
        stub("Darwin"),
        stub("Network", on: ["AppleCoreFoundation", "AppleLiberties"]),
        stub("os", on: ["Darwin"]),
        stub("CryptoKit"),
        stub("UniformTypeIdentifiers"),
        // As headers are imported: a closure of the main actor that is called elsewhere traps.
        stub("AuthenticationServices", on: ["AppleLiberties"], language: .v5),
        stub("Combine"),
        stub("ImageIO", on: ["AppleCoreFoundation"]),
        stub("SwiftUI", on: ["Combine", "ImageIO"]),
        stub("XCUIAutomation"),
        stub("UIKit"),
        stub("WatchKit"),

        module("NetSystem", exclude: (linuxOnly["NetSystem"] ?? []) + ["Module/Exports.swift"]),
        module("NetCore", on: ["NetSystem"]),
        module("NetTransport", on: ["NetCore"], exclude: linuxOnly["NetTransport"] ?? []),
        module("NetClient", on: ["NetCore", "NetTransport"], exclude: linuxOnly["NetClient"] ?? []),
        module("NetTransfer", on: ["NetClient"]),
        module("NetWebSocket", on: ["NetClient"]),
        module("NetCache", on: ["NetCore"]),
        module("NetSecurity", on: ["NetCore"], exclude: linuxOnly["NetSecurity"] ?? []),
        module("NetLogging", on: ["NetCore"]),
        module(
            "Networking",
            on: ["NetCore", "NetClient", "NetTransfer", "NetWebSocket", "NetCache", "NetSecurity", "NetLogging"]),
        module(
            "NetTesting",
            on: ["NetCore", "NetClient", "NetTransfer", "NetWebSocket", "NetCache", "NetSecurity", "NetLogging"]),

        .target(
            name: "TestLab", dependencies: ["NetCore", "AppleFoundation"] + frameworks, path: "Modules/TestLab",
            swiftSettings: settings),
        // A program and no test target: SwiftPM's own main file of tests takes `canImport(Darwin)` for Apple's XCTest.
        .executableTarget(
            name: "apple-tests",
            dependencies: [
                "NetCore", "NetTransport", "NetClient", "NetTransfer", "NetWebSocket", "NetCache", "NetSecurity",
                "NetLogging", "Networking", "NetTesting", "TestLab", "AppleFoundation",
            ] + frameworks, path: "Tests/NetworkingAppleTests",
            // They compare with what libcurl sends, over sockets of their own, and with a Python of the root package.
            exclude: [
                "Shared/Signing/BotocoreTests.swift", "Shared/Signing/SentHostTests.swift",
                "Shared/Signing/WireServer.swift",
            ],
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-profile-generate"])]),
    ],
    swiftLanguageModes: [.v6]
)
