/// The file to which a path leads that a caller gave for a file to be replaced: a download, an archive.
///
/// A symbolic link at the end of the path is followed: the file that it names is replaced or created, and the link stays. Only a regular
/// file may be replaced. A device, a named pipe, a socket and a folder are an ``obstacle``.
package struct FileTarget: Sendable {
    /// The path behind the links.
    package let path: String
    /// What stands there; nil for nothing.
    package let kind: FileKind?
    private let givenPath: String

    /// As many as the system follows.
    private static let linkLimit = 40

    /// Follows the links.
    ///
    /// - Throws: `ELOOP` for links that lead in a circle, or why a link cannot be read.
    package init(_ path: String) throws(SystemError) {
        givenPath = path
        // The system's answer comes first: a link of /proc names no path.
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

    /// Why nothing can be put there, in a sentence for developers; nil if nothing or a regular file is there.
    package var obstacle: String? {
        guard let kind, kind != .regular else { return nil }
        return
            "\(givenPath) is \(kind.rawValue), and would be replaced. Name a regular file, or one that does not exist."
    }
}
