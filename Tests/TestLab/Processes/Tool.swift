internal import NetCore
package import Testing

/// A program that some tests run. `make tools` installs all of them.
package enum Tool: String, Sendable {
    case nginx, openssl, tinyproxy, microsocks, stunnel, lighttpd, curl, python3, zstd, ip, chromium
    /// The Python packages of Scripts/test-requirements.txt.
    case pythonPackages = "the Python packages"
    /// The JSON schemas of HAR files.
    case harSchemas = "the HAR schemas"

    var isInstalled: Bool {
        switch self {
        // Its certificates are made by openssl.
        case .nginx: Executable.find("nginx") != nil && Tool.openssl.isInstalled
        case .chromium: Executable.find("chromium-headless-shell") ?? Executable.find("chromium") != nil
        case .pythonPackages: Self.builds("test-python/requirements.txt")
        case .harSchemas: Self.builds("har-schema/har.json")
        default: Executable.find(rawValue) != nil
        }
    }

    /// Whether `.build` has a file. Looks for it upwards, since Tests/AppleStubs compiles this file through a link.
    private static func builds(_ path: String) -> Bool {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            if FileManager.default.fileExists(atPath: "\(folder.path)/.build/\(path)") { return true }
        }
        return false
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a suite or a test where an app cannot start programs, such as those of this package that tests kill.
    package static var startsProcesses: Self { requires() }

    /// Skips a suite or a test where it cannot start the programs it needs. Scripts/test lists what was skipped.
    ///
    /// If the environment has `NETWORKING_REQUIRE_TOOLS`, as in `make ci`, nothing is skipped for a missing program: it makes the test fail.
    package static func requires(_ tools: Tool...) -> Self {
        let isStrict = ProcessInfo.processInfo.environment["NETWORKING_REQUIRE_TOOLS"] != nil
        let missing = isStrict ? [] : tools.filter { !$0.isInstalled }
        let reason =
            canStartProcesses
            ? "missing: \(missing.map(\.rawValue).joined(separator: ", "))" : "This system starts no other programs."
        return .enabled(if: canStartProcesses && missing.isEmpty, Comment(rawValue: reason))
    }
}
