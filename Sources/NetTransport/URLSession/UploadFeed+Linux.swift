#if !canImport(Security)
    /// A streamed body that is collected before its request begins: in memory up to a limit, above it in a file without a name, which the
    /// system removes with the process.
    ///
    /// FoundationNetworking reads a stream on the one queue that serves all sessions of the process, and takes an empty read for the end.
    /// Waiting there for the next chunk would block every other request, and deadlock if the chunk depends on one.
    final class UploadFeed: Sendable {
        private enum Content {
            case memory(Data)
            case file(FileHandle)
        }

        private static let memoryLimit = 1 << 20

        private let content = Locked(Content.memory(Data()))

        /// - Throws: ``TransportError/Code/requestBodyFailed`` if the disk refuses the bytes.
        func append(_ chunk: Data) throws {
            do {
                try content.withLock { content in
                    switch content {
                    case .file(let file): try file.write(contentsOf: chunk)
                    case .memory(var data):
                        content = .memory(Data())
                        data.append(chunk)
                        content = data.count <= Self.memoryLimit ? .memory(data) : .file(try Self.file(with: data))
                    }
                }
            } catch {
                throw TransportError(
                    .requestBodyFailed, phase: .preparing,
                    message: "The request's body cannot be kept until it is sent: \(error.localizedDescription)")
            }
        }

        private static func file(with data: Data) throws -> FileHandle {
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)").path
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            unlink(path)
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: data)
            return file
        }

        /// Returns a stream that starts at the first byte.
        func makeStream() -> InputStream { FeedStream(feed: self) }

        /// Does nothing: no task waits for the feed.
        func fail() {}

        fileprivate func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            content.withLock { content in
                switch content {
                case .memory(let data): data.dropFirst(offset).copyBytes(to: buffer)
                case .file(let file): pread(file.fileDescriptor, buffer.baseAddress, buffer.count, off_t(offset))
                }
            }
        }
    }

    /// The stream that FoundationNetworking reads.
    private final class FeedStream: InputStream {
        private let feed: UploadFeed
        private var status = Stream.Status.notOpen
        private var offset = 0

        init(feed: UploadFeed) {
            self.feed = feed
            super.init(data: Data())
        }

        override func open() { status = .open }
        override func close() { status = .closed }
        override var streamStatus: Stream.Status { status }
        override var streamError: (any Error)? { nil }
        override var hasBytesAvailable: Bool { true }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            let count = feed.read(at: offset, into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
            offset += max(0, count)
            return count
        }

        override func getBuffer(
            _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
        ) -> Bool { false }
    }

    extension Exchange {
        /// Collects a streamed body, then proceeds. A failure ends the exchange first.
        func prepareBody(_ proceed: @escaping @Sendable () -> Void) {
            guard case .stream(let body) = upload.kind else { return proceed() }
            let feed = UploadFeed()
            let task = Task {
                do {
                    try await body.sendChunks { chunk in
                        try feed.append(chunk)
                        noteActivity()
                        return true
                    }
                    state.withLock { $0.feed = feed }
                } catch {
                    stop(TransportError.ofBody(error, url: url))
                }
                proceed()
            }
            let hasEnded = state.withLock { state in
                state.pump = task
                return state.end != nil
            }
            if hasEnded { task.cancel() }
        }

        func makeStream(of body: HTTPBody) -> InputStream? { state.withLock { $0.feed }?.makeStream() }
    }
#endif
