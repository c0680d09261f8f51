internal import NetCore
package import Testing

/// A program that some tests run. `make tools` installs all of them.
package enum Tool: String, Sendable {
    case nginx, openssl, tinyproxy, microsocks, stunnel, lighttpd, curl, python3, zstd, ip, chromium, go, node
    /// The Python packages of Scripts/test-requirements.txt.
    case pythonPackages = "the Python packages"
    /// The JSON schemas of HAR files.
    case harSchemas = "the HAR schemas"

    /// Whether a missing program makes tests fail, as in `make ci`.
    private static let isStrict = ProcessInfo.processInfo.environment["NETWORKING_REQUIRE_TOOLS"] != nil

    /// Where the program is; for ``pythonPackages`` the interpreter that has them, for ``harSchemas`` their folder.
    ///
    /// If it is not installed, this cancels the current test, as ``Testing/Trait/requires(_:)`` does before the test starts. So a test
    /// without that trait is skipped too.
    ///
    /// - Throws: the cancellation; ``LabError`` outside of tests, and if the environment has `NETWORKING_REQUIRE_TOOLS`.
    package func path() throws -> String {
        if let place { return place }
        #if compiler(>=6.3)
            if !Self.isStrict, Test.current != nil { try Test.cancel("missing: \(rawValue)") }
        #endif
        throw LabError("\(rawValue) is not installed. Scripts/install-test-tools installs it, or says how.")
    }

    /// Returns the type, whose functions run the program by themselves: `Tool.openssl.needed(by: MockCertificate.self).make()`. Cancels the
    /// test as ``path()`` does.
    package func needed<Maker>(by maker: Maker.Type) throws -> Maker.Type {
        _ = try path()
        return maker
    }

    private var place: String? {
        switch self {
        // Its certificates are made by openssl.
        case .nginx: Tool.openssl.place == nil ? nil : Executable.find("nginx")
        case .chromium: Executable.find("chromium-headless-shell") ?? Executable.find("chromium")
        case .pythonPackages: Self.built("test-python", with: "requirements.txt").map { "\($0)/bin/python" }
        case .harSchemas: Self.built("har-schema", with: "har.json")
        default: Executable.find(rawValue)
        }
    }

    /// A folder in `.build` that has a file. Looks for `.build` upwards, since Tests/AppleStubs compiles this file through a link.
    private static func built(_ name: String, with file: String) -> String? {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let place = "\(folder.path)/.build/\(name)"
            if FileManager.default.fileExists(atPath: "\(place)/\(file)") { return place }
        }
        return nil
    }

    static func missing(of tools: [Tool]) -> [Tool] { isStrict ? [] : tools.filter { $0.place == nil } }
}

extension Trait where Self == ConditionTrait {
    /// Skips a suite or a test where an app cannot start programs, such as those of this package that tests kill.
    package static var startsProcesses: Self { requires() }

    /// Skips a suite or a test where it cannot start the programs it needs, before it begins. Scripts/test lists what was skipped.
    ///
    /// If the environment has `NETWORKING_REQUIRE_TOOLS`, as in `make ci`, nothing is skipped for a missing program: it makes the test fail.
    package static func requires(_ tools: Tool...) -> Self {
        let missing = Tool.missing(of: tools)
        let reason =
            canStartProcesses
            ? "missing: \(missing.map(\.rawValue).joined(separator: ", "))" : "This system starts no other programs."
        return .enabled(if: canStartProcesses && missing.isEmpty, Comment(rawValue: reason))
    }
}

/// Finds programs.
package enum Executable {
    /// Where a program of that name lies, or nil.
    ///
    /// Looks in `PATH`, and then where Debian keeps servers and Homebrew keeps everything: neither is in the `PATH` of an
    /// ordinary user or of an IDE.
    package static func find(_ name: String) -> String? {
        if name.contains("/") { return name }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return (path.split(separator: ":").map(String.init) + furtherDirectories)
            .map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Where it lies. A ``Tool`` that is not installed cancels the current test: see ``Tool/path()``.
    ///
    /// - Throws: ``LabError`` that says how to install it.
    package static func require(_ name: String) throws -> String {
        if let tool = Tool(rawValue: name) { return try tool.path() }
        if let found = find(name) { return found }
        throw LabError("\(name) is not installed. Scripts/install-test-tools installs what the tests need.")
    }

    /// Where a program of this package lies that was built with the tests.
    ///
    /// - Throws: ``LabError`` that says how to build it.
    package static func beside(_ name: String) throws -> String {
        let places =
            [Bundle.main.executableURL, URL(fileURLWithPath: CommandLine.arguments[0])].compactMap { $0 }
            + Bundle.allBundles.map(\.bundleURL)
        for place in places {
            let candidate = place.deletingLastPathComponent().appendingPathComponent(name).path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
        }
        throw LabError("\(name) is not built. Build all targets: swift build --build-tests")
    }

    private static let furtherDirectories = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/usr/local/bin"]
}
