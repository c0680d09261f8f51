/// The file that a caller's path denotes, to be replaced by a download or an archive.
///
/// A symbolic link at the end of the path is followed: its target is replaced or created, and the link stays. Only a regular file may be
/// replaced. A device, a named pipe, a socket and a folder are an ``obstacle``.
package struct FileTarget: Sendable {
    /// The path with links resolved.
    package let path: String
    /// The kind of the existing file, or nil if there is none.
    package let kind: FileKind?
    private let givenPath: String

    /// The number of links that the system follows.
    private static let linkLimit = 40

    /// Resolves the links. Fails with `ELOOP` for a cycle of links, or with the error of reading a link.
    package init(_ path: String) throws(SystemError) {
        givenPath = path
        // `stat` comes first, because the links in /proc are not paths.
        if let kind = Directory.kind(behind: path), kind != .regular {
            (self.path, self.kind) = (path, kind)
            return
        }
        var current = path
        for _ in 0..<Self.linkLimit {
            guard let status = Directory.status(of: current), status.kind == .link else {
                (self.path, kind) = (current, Directory.status(of: current)?.kind)
                return
            }
            let link = try Directory.link(at: current)
            current = link.hasPrefix("/") ? link : Directory.folder(of: current) + "/" + link
        }
        throw SystemError("open", path, code: ELOOP)
    }

    /// Why nothing can be written there, as a sentence for developers, or nil if there is nothing or a regular file.
    package var obstacle: String? {
        guard let kind, kind != .regular else { return nil }
        return
            "\(givenPath) is \(kind.rawValue), and would be replaced. Name a regular file, or one that does not exist."
    }
}

/// The folder for records that outlive the process, such as those of unfinished transfers.
package enum RecordsFolder {
    #if os(tvOS)
        /// *Caches* is an app's only writable folder, and the system may empty it while the app does not run.
        package static let isLimitedToCaches = true
    #else
        /// Whether only *Caches* is writable, as on tvOS.
        package static let isLimitedToCaches = false
    #endif

    /// Returns the user's folder for application data: *Application Support* on Apple platforms, *Caches* on tvOS, `~/.local/share` on Linux.
    package static func url(isLimitedToCaches: Bool = isLimitedToCaches) -> URL {
        FileManager.default
            .urls(for: isLimitedToCaches ? .cachesDirectory : .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
    }
}
