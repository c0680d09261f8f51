// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func syntax(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-syntax") }

func sdk(_ name: String) -> Target.Dependency { .product(name: name, package: "Networking") }

/// Tests against a server, with the settings of an app.
func serverTests(_ name: String, _ settings: [SwiftSetting]) -> Target {
    .testTarget(
        name: name,
        dependencies: [
            "NetworkingMacros", sdk("NetCache"), sdk("NetClient"), sdk("NetCore"), sdk("NetTesting"),
            sdk("NetTransfer"),
        ],
        swiftSettings: settings)
}

let package = Package(
    name: "networking-macros",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "NetworkingMacros", targets: ["NetworkingMacros"])],
    dependencies: [
        .package(name: "Networking", path: "../.."),
        .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.1"),
    ],
    targets: [
        .macro(
            name: "NetworkingMacrosPlugin",
            dependencies: [
                syntax("SwiftCompilerPlugin"), syntax("SwiftDiagnostics"), syntax("SwiftParser"),
                syntax("SwiftSyntax"),
                syntax("SwiftSyntaxBuilder"), syntax("SwiftSyntaxMacros"),
            ],
            swiftSettings: settings),
        .target(
            name: "NetworkingMacros",
            dependencies: ["NetworkingMacrosPlugin", sdk("NetClient"), sdk("NetCore"), sdk("NetTransfer")],
            // An async function stays on its caller's actor, as in the SDK.
            swiftSettings: settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .testTarget(
            name: "NetworkingMacrosPluginTests",
            dependencies: [
                "NetworkingMacrosPlugin", syntax("SwiftParser"), syntax("SwiftSyntax"),
                syntax("SwiftSyntaxMacroExpansion"), syntax("SwiftSyntaxMacros"),
                syntax("SwiftSyntaxMacrosGenericTestSupport"),
            ],
            swiftSettings: settings),
        serverTests("NetworkingMacrosTests", settings),
        // The same tests in the other kinds of apps: Swift 5, and what Xcode 26 sets for new targets.
        serverTests("SwiftFiveTests", [.swiftLanguageMode(.v5)]),
        serverTests("MainActorTests", [.defaultIsolation(MainActor.self)]),
        serverTests(
            "MainActorSwiftFiveTests",
            [
                .defaultIsolation(MainActor.self), .swiftLanguageMode(.v5),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
