public import NetCore

extension Downloader {
    /// The destination of a downloaded file.
    public enum Destination: Hashable, Sendable {
        /// This file. Its folder has to exist.
        ///
        /// If it is a symbolic link, the file behind the link is replaced or created, and the link stays. A device, a named pipe, a socket and
        /// a folder are refused with ``DownloadError/Code/cannotWrite``, before anything is sent.
        case file(URL)
        /// This folder, which has to exist. The file gets the server's name for it (`Content-Disposition`, or the end of the URL).
        ///
        /// The file never leaves the folder. If a symbolic link, or anything else but a regular file, has that name there, the download is refused.
        case folder(URL)
        /// A new temporary folder. The file gets the server's name for it. The caller owns file and folder.
        case temporary

        /// Creates the destination that a URL names: ``folder(_:)`` if a folder exists there, or nothing does and the URL ends with a slash, and else
        /// ``file(_:)``. Creates nothing on disk.
        ///
        /// - Parameter url: nil for ``temporary``.
        public init(_ url: URL?) {
            guard let url else {
                self = .temporary
                return
            }
            let isFolder = Directory.kind(behind: url.path).map { $0 == .folder } ?? url.hasDirectoryPath
            self = isFolder ? .folder(url) : .file(url)
        }

        /// The folder for the parts, on the destination's file system, so that the last step is a rename.
        var gatheringFolder: URL {
            switch self {
            case .file(let url) where !url.isFileURL: url.deletingLastPathComponent()
            case .file(let url):
                // Behind a link, which may lead to another file system.
                URL(
                    fileURLWithPath: Directory.folder(of: (try? FileTarget(url.path).path) ?? url.path),
                    isDirectory: true)
            case .folder(let url): url
            case .temporary: FileManager.default.temporaryDirectory
            }
        }

        /// - Throws: ``DownloadError`` if the destination cannot be written, or an existing file must not be replaced.
        func check(_ existingFile: Downloader.Options.ExistingFile) throws(DownloadError) {
            let folder = gatheringFolder
            guard folder.isFileURL else {
                throw DownloadError(
                    .cannotWrite,
                    "The destination of a download has to be a file URL, not \(Redactor.standard.text(of: folder)).")
            }
            guard Directory.kind(behind: folder.path) == .folder else {
                throw DownloadError(.cannotWrite, "The folder \(folder.path) does not exist. Create it first.")
            }
            guard access(folder.path, W_OK | X_OK) == 0 else {
                throw DownloadError(SystemError("access", folder.path), at: folder.path)
            }
            guard case .file(let url) = self else { return }
            let target = try Self.target(url)
            if existingFile == .refuse, target.kind != nil { throw .exists(url.path) }
        }

        func check(_ name: String?, _ existingFile: Downloader.Options.ExistingFile) throws(DownloadError) {
            guard case .folder(let folder) = self, let name else { return }
            let path = folder.appendingPathComponent(name, isDirectory: false).path
            switch existingFile {
            case .replace: try Self.checkReplaceable(path)
            case .refuse: if Directory.status(of: path) != nil { throw .exists(path) }
            case .keepBoth: break
            }
        }

        /// A server that knows the name of a link must not choose the file behind it.
        private static func checkReplaceable(_ path: String) throws(DownloadError) {
            guard let kind = Directory.status(of: path)?.kind, kind != .regular else { return }
            throw DownloadError(
                .cannotWrite,
                "The server's name for the file belongs to \(kind.rawValue): \(path). Name a file, or keep both.")
        }

        /// Returns the file behind a name that the caller chose.
        private static func target(_ url: URL) throws(DownloadError) -> FileTarget {
            let target: FileTarget
            do { target = try FileTarget(url.path) } catch { throw DownloadError(error, at: url.path) }
            if let obstacle = target.obstacle { throw DownloadError(.cannotWrite, obstacle) }
            return target
        }

        /// Moves a file to the destination in one step: others see the old file, none, or the whole new one. Returns its URL.
        ///
        /// - Parameters:
        ///   - path: the file, on the same file system unless the destination has changed since.
        ///   - name: the server's name for the file.
        ///   - durability: whether the new name is on the medium when this returns.
        func place(
            _ path: String, named name: String, _ existingFile: Downloader.Options.ExistingFile,
            _ durability: Downloader.Options.Durability = .onCompletion
        ) throws(DownloadError) -> URL {
            let target: URL
            switch self {
            case .file(let url):
                let file = try Self.target(url)
                // If the name is taken, the file goes next to the caller's name.
                let isBeside = existingFile == .keepBoth && file.kind != nil
                target = isBeside ? url : URL(fileURLWithPath: file.path, isDirectory: false)
            case .folder(let url):
                target = url.appendingPathComponent(name, isDirectory: false)
                if existingFile == .replace { try Self.checkReplaceable(target.path) }
            case .temporary:
                let folder = gatheringFolder.appendingPathComponent(
                    "networking-\(UUID().uuidString)", isDirectory: true)
                do { try Directory.make(folder.path) } catch { throw DownloadError(error, at: folder.path) }
                target = folder.appendingPathComponent(name, isDirectory: false)
            }
            let placed = try Self.move(path, to: target, existingFile)
            if durability == .onCompletion { Directory.sync(placed.deletingLastPathComponent().path) }
            // The caller's name, which may be that of a link to the file.
            if case .file(let url) = self, placed == target { return url }
            return placed
        }

        private static func move(
            _ path: String, to target: URL, _ existingFile: Downloader.Options.ExistingFile
        ) throws(DownloadError) -> URL {
            switch existingFile {
            case .replace:
                guard rename(path, target.path) == 0 else {
                    throw DownloadError(SystemError("rename"), at: target.path)
                }
                return target
            case .refuse:
                guard try moveToFree(path, target.path) else { throw .exists(target.path) }
                return target
            case .keepBoth:
                let (stem, suffix) = SuggestedFilename.parts(of: target.lastPathComponent)
                for number in 1...9999 {
                    let name = number == 1 ? target.lastPathComponent : "\(stem) (\(number))\(suffix)"
                    let candidate = target.deletingLastPathComponent().appendingPathComponent(name, isDirectory: false)
                    if try moveToFree(path, candidate.path) { return candidate }
                }
                throw .exists(target.path)
            }
        }

        /// Moves the file to a free name, or returns false if it is taken. A link, unlike a rename, never replaces a file.
        private static func moveToFree(_ path: String, _ target: String) throws(DownloadError) -> Bool {
            if link(path, target) == 0 {
                Directory.remove(path)
                return true
            }
            switch errno {
            case EEXIST: return false
            // This file system has no links: another process may take the name in between.
            case EPERM, ENOTSUP, EMLINK, ENOSYS:
                guard Directory.status(of: target) == nil else { return false }
                guard rename(path, target) == 0 else { throw DownloadError(SystemError("rename"), at: target) }
                return true
            default: throw DownloadError(SystemError("link"), at: target)
            }
        }
    }
}

extension DownloadError {
    static func exists(_ path: String) -> DownloadError {
        DownloadError(
            .destinationExists, "The file \(path) exists already. Choose another name, replace it, or keep both.")
    }
}

extension Downloader.Destination: Codable {
    private enum Kind: String, Codable { case file, folder, temporary }

    private struct Stored: Codable {
        let kind: Kind
        var path: StoredPath?
    }

    public init(from decoder: any Decoder) throws {
        let stored = try Stored(from: decoder)
        switch (stored.kind, stored.path?.url) {
        case (.file, let url?): self = .file(url)
        case (.folder, let url?): self = .folder(url)
        case (.temporary, _): self = .temporary
        default:
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "The path is missing."))
        }
    }

    /// Encodes a kind and a path.
    public func encode(to encoder: any Encoder) throws {
        let stored =
            switch self {
            case .file(let url): Stored(kind: .file, path: StoredPath(url))
            case .folder(let url): Stored(kind: .folder, path: StoredPath(url))
            case .temporary: Stored(kind: .temporary)
            }
        try stored.encode(to: encoder)
    }
}
