package import NetCore

/// A new directory that only this user can read (0700). It goes, with all that is in it, when its owner lets go of it, or
/// when this process ends, even if that crashes.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    package init() throws {
        let parent = FileManager.default.temporaryDirectory
        var template = Array(parent.appendingPathComponent("networking-XXXXXX").path.utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else { throw LabError.system("mkdtemp") }
        url = URL(fileURLWithPath: path, isDirectory: true)
        try CleanupShell.shared.adopt(directory: path)
    }

    deinit {
        // Should this fail, the cleanup shell tries again at the end.
        if (try? FileManager.default.removeItem(at: url)) != nil { CleanupShell.shared.release(directory: url.path) }
    }

    /// The URL of a file in it, which need not be there.
    package func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }
}
