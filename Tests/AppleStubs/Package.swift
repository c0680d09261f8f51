// swift-tools-version: 6.0
import PackageDescription

// The Apple branches of `Sources/`, compiled and run on Linux. Each module that Apple has and Linux has not is a target here, of the same
// name, so that `#if canImport(…)` is true in the sources of the SDK, which stand under `Modules/` as links. See README.md.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// As in the package that is tested.
let moduleSettings = settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// What Apple's SDKs have and the SDK imports.
let frameworks: [Target.Dependency] = [
    "Darwin", "Security", "Network", "os", "CryptoKit", "UniformTypeIdentifiers", "AuthenticationServices", "Combine",
]

func stub(_ name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Stubs/\(name)", swiftSettings: settings)
}

/// A module of the SDK, of the very files that are shipped.
func module(_ name: String, on dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies + ["AppleFoundation"] + frameworks, path: "Modules/\(name)",
        exclude: exclude, swiftSettings: moduleSettings)
}

let package = Package(
    name: "AppleStubs",
    dependencies: [
        // The API of CryptoKit, by Apple.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
    ],
    targets: [
        stub("AppleCoreFoundation"),
        .target(
            name: "CAppleSecurity", path: "Stubs/CAppleSecurity",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        stub("Security", on: ["AppleCoreFoundation", "CAppleSecurity"]),
        .target(
            name: "CAppleNetwork", path: "Stubs/CAppleNetwork",
            linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        stub("AppleFoundation", on: ["AppleCoreFoundation", "Security", "Network", "CAppleNetwork"]),
        stub("Darwin"),
        stub("Network", on: ["AppleCoreFoundation"]),
        stub("os"),
        stub("CryptoKit", on: [.product(name: "Crypto", package: "swift-crypto")]),
        stub("UniformTypeIdentifiers"),
        stub("AuthenticationServices"),
        stub("Combine", on: ["OpenCombine"]),

        module("NetCore", exclude: ["Module/Exports.swift"]),
        module("NetClient", on: ["NetCore"]),
        module("NetTransfer", on: ["NetClient"]),
        module("NetCache", on: ["NetCore"]),
        module("NetSecurity", on: ["NetCore"]),
        module("NetLogging", on: ["NetCore"]),
        module("Networking", on: ["NetCore", "NetClient", "NetTransfer", "NetCache", "NetSecurity", "NetLogging"]),
        module(
            "NetTesting", on: ["NetCore", "NetClient", "NetTransfer", "NetCache", "NetSecurity", "NetLogging"]),
    ],
    swiftLanguageModes: [.v6]
)
