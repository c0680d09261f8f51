internal import NetCore

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
