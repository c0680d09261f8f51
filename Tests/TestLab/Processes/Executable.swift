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

    /// Where it lies.
    ///
    /// - Throws: ``LabError`` that says which package to install.
    package static func require(_ name: String, package: String? = nil) throws -> String {
        if let found = find(name) { return found }
        let package = package ?? name
        throw LabError(
            "\(name) is not installed. On Debian: apt-get install \(package) (or Scripts/install-test-tools). "
                + "On macOS: brew install \(name)"
        )
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
