// swift-tools-version: 6.2
import PackageDescription

/// One list of settings for every Swift target, so that no module is laxer than the others.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// For the modules: an async function stays on its caller's executor (SE-0461). Without that, each step of the pipeline changes executors
/// twice, which costs more than its work. What does the work of a call is `@concurrent`, so that no actor's thread has to.
let moduleSettings = settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// What each module tells the App Store (Docs/Privacy.md). Elsewhere nobody reads it, and a resource would cost every program a folder
/// beside it, and every module a source file that SwiftPM makes up.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(macOS)
    let (excluded, resources) = ([String](), [Resource.process(privacyManifest)])
#else
    let (excluded, resources) = ([privacyManifest], [Resource]())
#endif

/// A module of ours: a library product of the same name, and its tests.
func module(_ name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: excluded, resources: resources, swiftSettings: moduleSettings)
}

/// In debug, tests take five sixths of the processor time without debug information. SwiftPM adds `-g` behind these flags, so only the frontend can
/// be told; for a debugger, remove them. In release, the code under test is optimised, and the tests are not: the optimiser of Swift 6.3.1
/// crashes now and then while it splits their coroutines.
let testFlags: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-gnone"], .when(platforms: [.linux], configuration: .debug)),
    .unsafeFlags(["-Onone"], .when(platforms: [.linux], configuration: .release)),
]

/// For the tests: they may use what is newer than the floors, such as `.timeLimit` (macOS 13, iOS 16), since they run on current systems. What is
/// shipped may not: Scripts/check-availability.
let testSettings =
    settings + testFlags + [
        .unsafeFlags(
            ["-Xfrontend", "-disable-availability-checking"],
            .when(platforms: [.iOS, .macOS, .tvOS, .watchOS, .visionOS]))
    ]

func tests(for name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.init(stringLiteral: name), "TestLab"] + dependencies,
        swiftSettings: testSettings
    )
}

/// A program that is killed by tests of a module.
func worker(_ name: String, in folder: String, on module: Target.Dependency) -> Target {
    .executableTarget(name: name, dependencies: [module], path: "Tests/\(folder)", swiftSettings: settings)
}

let modules = [
    "NetCore", "NetTransport", "NetClient", "NetTransfer", "NetWebSocket", "NetCache", "NetSecurity", "NetLogging",
    "NetTesting", "Networking",
]

let package = Package(
    name: "Networking",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: modules.map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "quickstart", targets: ["quickstart"])
    ],
    dependencies: [],
    targets: [
        // Below the contract: what is not HTTP. Only for this package, so not a product.
        module("NetSystem"),
        module("NetCore", on: ["NetSystem"]),
        // Loads libraries for the two C targets below.
        .target(name: "CLoader"),
        .target(name: "CLibcurl", dependencies: ["CLoader"]),
        module("NetTransport", on: ["NetCore", .target(name: "CLibcurl", condition: .when(platforms: [.linux]))]),
        module("NetClient", on: ["NetCore", "NetTransport"]),
        module("NetTransfer", on: ["NetClient"]),
        module("NetWebSocket", on: ["NetClient"]),
        module("NetCache", on: ["NetCore"]),
        .target(name: "CSecurity", dependencies: ["CLoader"]),
        module("NetSecurity", on: ["NetCore", .target(name: "CSecurity", condition: .when(platforms: [.linux]))]),
        module("NetLogging", on: ["NetCore"]),
        module(
            "Networking",
            on: ["NetCore", "NetClient", "NetTransfer", "NetWebSocket", "NetCache", "NetSecurity", "NetLogging"]),
        module(
            "NetTesting",
            on: ["NetCore", "NetClient", "NetTransfer", "NetWebSocket", "NetCache", "NetSecurity", "NetLogging"]
        ),
        .executableTarget(name: "quickstart", dependencies: ["Networking", "NetTesting"], swiftSettings: settings),

        // Shared by the test targets: nginx with TLS, certificates, process helpers. Never a product.
        .target(name: "TestLab", dependencies: ["NetCore"], path: "Tests/TestLab", swiftSettings: settings),
        // Faults of a `MockServer` for the tests of our own HTTP/2. Not in TestLab, or each test would need each module.
        .target(name: "FaultLab", dependencies: ["NetTesting"], path: "Tests/FaultLab", swiftSettings: settings),
        // Killed by tests while they are at it.
        worker("crash-writer", in: "CrashWriter", on: "NetCache"),
        // Two of them share a cache's folder.
        worker("cache-worker", in: "CacheWorker", on: "NetCache"),
        worker("download-worker", in: "DownloadWorker", on: "NetTransfer"),
        worker("upload-worker", in: "UploadWorker", on: "NetTransfer"),
        // Calls `exit` during requests.
        worker("exit-worker", in: "ExitWorker", on: "NetClient"),
        // Stopped and slowed down by Scripts/soak.
        worker("soak-worker", in: "SoakWorker", on: "NetTransport"),
        // For Scripts/check-cache-suite.
        .executableTarget(
            name: "cache-driver", dependencies: ["NetClient", "NetCache"], path: "Tests/CacheDriver",
            swiftSettings: settings),
        .testTarget(name: "TestLabTests", dependencies: ["TestLab"], swiftSettings: testSettings),
        tests(for: "NetSystem"),
        tests(for: "NetCore"),
        tests(for: "NetTransport", on: ["NetClient", "NetTesting", "FaultLab", "exit-worker"]),
        tests(for: "NetClient", on: ["NetTesting"]),
        tests(for: "NetTransfer", on: ["NetTesting", "Networking", "download-worker", "upload-worker"]),
        tests(for: "NetWebSocket", on: ["NetTesting"]),
        tests(for: "NetCache", on: ["NetClient", "NetTesting", "crash-writer", "cache-worker"]),
        tests(
            for: "NetSecurity",
            on: ["NetClient", "NetTesting", .target(name: "CSecurity", condition: .when(platforms: [.linux]))]),
        tests(for: "NetLogging", on: ["NetClient", "NetTransfer", "NetTesting"]),
        tests(for: "NetTesting", on: ["NetClient", "NetTransfer", "NetCache", "NetLogging", "FaultLab"]),
        tests(for: "Networking", on: ["NetTesting", "quickstart"]),
        // Where the modules meet: each front door with each source of credentials, each cache, redirects, refreshes and retries.
        .testTarget(
            name: "SeamTests", dependencies: ["Networking", "NetTesting", "TestLab", "FaultLab"],
            swiftSettings: testSettings),
        // An app of Xcode 26: what it declares belongs to the main actor (SE-0466), in Swift 6 and in Swift 5, with "Approachable
        // Concurrency" and without.
        .testTarget(
            name: "MainActorTests", dependencies: ["Networking", "NetTesting", "TestLab"],
            swiftSettings: [.defaultIsolation(MainActor.self)] + testFlags),
        .testTarget(
            name: "MainActorSwift5Tests", dependencies: ["Networking", "NetTesting", "TestLab"],
            swiftSettings: [
                .defaultIsolation(MainActor.self), .swiftLanguageMode(.v5),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"),
            ] + testFlags),
    ],
    swiftLanguageModes: [.v6]
)

/// The targets that another target of this package needs.
func needs(of target: Target) -> [String] {
    target.dependencies.compactMap { dependency in
        switch dependency {
        case .targetItem(let name, _), .byNameItem(let name, _): name
        default: nil
        }
    }
}

// For a quick loop (Scripts/check): NETWORKING_TESTS=NetCore,NetCache leaves the tests of these modules, and what they need.
if let modules = Context.environment["NETWORKING_TESTS"] {
    var needed = Set<String>()
    var queue = modules.split(separator: ",").map { "\($0)Tests" }
    while let name = queue.popLast() {
        guard needed.insert(name).inserted else { continue }
        queue += package.targets.first { $0.name == name }.map(needs) ?? []
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.contains($0.name) }
}
