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

    private static let furtherDirectories = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/usr/local/bin"]
}
