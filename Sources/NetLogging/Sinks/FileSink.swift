public import NetCore

/// Writes messages to a file that only this user can read (0600), and begins a new one when it has grown large.
///
/// `app.log` is the newest, `app.log.1` the one before it, and so on; the oldest goes. One process writes to it. The lines are those of
/// ``StandardErrorSink``.
///
/// ```swift
/// let sink = try FileSink(url: folder.appendingPathComponent("network.log"))
/// let logger = NetworkLogger(sinks: [sink])
/// ```
public final class FileSink: LogSink {
    private struct State {
        var file: PrivateFile?
        var size: Int64
    }

    private let path: String
    private let maximumFileSize: Int64
    private let maximumFileCount: Int
    private let showsPrivate: Bool
    private let state: Locked<State>

    /// A sink that appends to the file.
    ///
    /// - Parameters:
    ///   - url: a regular file, or none yet, in a folder that is there. Its permissions are reset to 0600. A symbolic link, a device, a
    ///     named pipe and a folder are refused; for the standard error use ``StandardErrorSink``.
    ///   - maximumFileSize: bytes after which a new file is begun; 1 MiB unless set. A single line may be longer.
    ///   - maximumFileCount: how many files there are at most, the newest included; 5 unless set, 1 at least.
    ///   - showsPrivate: whether private and sensitive messages are written.
    /// - Throws: ``LogFileError`` if it cannot be opened.
    public init(
        url: URL, maximumFileSize: Int64 = 1 << 20, maximumFileCount: Int = 5, showsPrivate: Bool = false
    ) throws {
        path = url.path
        self.maximumFileSize = max(1, maximumFileSize)
        self.maximumFileCount = max(1, maximumFileCount)
        self.showsPrivate = showsPrivate
        let file = try PrivateFile(appendingTo: url.path)
        state = Locked(State(file: file, size: try file.size()))
    }

    /// Writes the message.
    ///
    /// - Throws: ``LogFileError``, such as that the disk is full. The next message is tried all the same.
    public func write(_ event: LogEvent) throws {
        let line = Data(LogLine.text(of: event, showsPrivate: showsPrivate).utf8)
        try state.withLock { state in
            if state.size > 0, state.size + Int64(line.count) > maximumFileSize { try rotate(&state) }
            let file = try state.file ?? open(&state)
            try file.write(line)
            state.size += Int64(line.count)
        }
    }

    private func rotate(_ state: inout State) throws {
        // A rename would replace whatever has one of the names.
        for number in 0..<maximumFileCount {
            if let obstacle = PrivateFile.obstacle(at: number == 0 ? path : "\(path).\(number)") { throw obstacle }
        }
        state.file = nil
        for number in stride(from: maximumFileCount - 1, to: 0, by: -1) {
            let older = number == 1 ? path : "\(path).\(number - 1)"
            // There may be fewer yet.
            guard rename(older, "\(path).\(number)") == 0 || errno == ENOENT else {
                throw LogFileError("rename", older)
            }
        }
        if maximumFileCount == 1 { unlink(path) }
        _ = try open(&state)
    }

    private func open(_ state: inout State) throws -> PrivateFile {
        let file = try PrivateFile(appendingTo: path)
        state = State(file: file, size: try file.size())
        return file
    }
}
