public import NetCore

/// Writes messages to a file with mode 0600, and starts a new file when it has grown large.
///
/// `app.log` is the newest file, `app.log.1` the one before it, and so on. The oldest file is removed. Only one process may write to the file.
/// The lines have the format of ``StandardErrorSink``.
///
/// ```swift
/// let sink = try FileSink(url: folder.appendingPathComponent("network.log"))
/// let logger = NetworkLogger(sinks: [sink])
/// ```
public final class FileSink: LogSink {
    private struct State {
        var file: DiskFile?
        var size: Int64
    }

    private let path: String
    private let maximumFileSize: Int64
    private let maximumFileCount: Int
    private let showsPrivate: Bool
    private let state: Locked<State>

    /// Creates a sink that appends to the file.
    ///
    /// - Parameters:
    ///   - url: a regular file, or a new one in an existing folder. The sink resets its permissions to 0600. It refuses a symbolic link, a
    ///     device, a named pipe and a folder. For standard error use ``StandardErrorSink``.
    ///   - maximumFileSize: the bytes after which the sink starts a new file. A single line may be longer.
    ///   - maximumFileCount: the maximum number of files, the newest included; at least 1.
    ///   - showsPrivate: whether the sink writes the text of private and sensitive messages.
    /// - Throws: ``FileSink/FileError`` if the file cannot be opened.
    public init(
        url: URL, maximumFileSize: Int64 = 1 << 20, maximumFileCount: Int = 5, showsPrivate: Bool = false
    ) throws {
        path = url.path
        self.maximumFileSize = max(1, maximumFileSize)
        self.maximumFileCount = max(1, maximumFileCount)
        self.showsPrivate = showsPrivate
        state = Locked(try Self.open(path))
    }

    /// - Throws: ``FileSink/FileError``, for instance if the disk is full. If it cannot start a new file, it continues in the present one.
    public func write(_ event: LogEvent) throws {
        let line = Data(LogLine.text(of: event, showsPrivate: showsPrivate).utf8)
        try state.withLock { state in
            var failure: (any Error)?
            if state.size > 0, state.size + Int64(line.count) > maximumFileSize {
                do {
                    try rotate(&state)
                } catch {
                    // The line goes to the file that is there. The next attempt is after as many bytes, so that it does not drop another file.
                    failure = error
                    state.size = 0
                }
            }
            if state.file == nil {
                let opened = try Self.open(path)
                state = State(file: opened.file, size: failure == nil ? opened.size : 0)
            }
            do throws(SystemError) { try state.file?.write(line) } catch { throw FileError(error, path) }
            state.size += Int64(line.count)
            if let failure { throw failure }
        }
    }

    private func rotate(_ state: inout State) throws {
        // A rename would replace a folder, link or device that has one of the names.
        for number in 0..<maximumFileCount {
            if let obstacle = FileError.obstacle(at: number == 0 ? path : "\(path).\(number)") { throw obstacle }
        }
        state = State(file: nil, size: 0)
        for number in stride(from: maximumFileCount - 1, to: 0, by: -1) {
            let older = number == 1 ? path : "\(path).\(number - 1)"
            // Not all files may exist yet.
            guard rename(older, "\(path).\(number)") == 0 || errno == ENOENT else {
                throw FileError(SystemError("rename"), older)
            }
        }
        if maximumFileCount == 1 { unlink(path) }
        state = try Self.open(path)
    }

    private static func open(_ path: String) throws -> State {
        do throws(SystemError) {
            let file = try DiskFile(appendingTo: path)
            return State(file: file, size: try file.status().size)
        } catch {
            throw FileError.obstacle(at: path) ?? FileError(error, path)
        }
    }

    /// The reason why a log file, an archive or a page cannot be written.
    public struct FileError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
        public let path: String
        /// The system's error number: `ENOSPC`, `EACCES`. For a path with something other than a regular file: `EISDIR` for a folder, `ELOOP` for
        /// a symbolic link, and `ENOTSUP` for a device, a named pipe or a socket.
        public let systemCode: Int32
        private let text: String

        init(_ error: SystemError, _ path: String) {
            text = "Cannot \(error.operation) \(path): \(String(cString: strerror(error.code)))"
            self.path = path
            systemCode = error.code
        }

        private init(_ obstacle: String, at path: String, _ kind: FileKind?) {
            text = obstacle
            self.path = path
            systemCode = kind == .folder ? EISDIR : kind == .link ? ELOOP : ENOTSUP
        }

        public var description: String { text }
        public var errorDescription: String? { description }

        /// The error for a path that has a link, or anything but a regular file. Nil for a regular file and for an unused path.
        static func obstacle(at path: String) -> FileError? {
            guard let kind = Directory.status(of: path)?.kind, kind != .regular else { return nil }
            return FileError("\(path) is \(kind.rawValue), not a regular file.", at: path, kind)
        }

        /// Writes a file with mode 0600 in one step, in place of an older one. Follows a symbolic link: see ``FileTarget``.
        static func write(_ data: Data, to url: URL) throws(FileError) {
            let target: FileTarget
            do throws(SystemError) {
                target = try FileTarget(url.path)
                if target.obstacle == nil { try AtomicFile.write(data, to: target.path) }
            } catch {
                throw FileError(error, error.path ?? url.path)
            }
            if let obstacle = target.obstacle { throw FileError(obstacle, at: url.path, target.kind) }
        }
    }
}
