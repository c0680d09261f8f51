#if canImport(Security)
    /// Takes chunks from a task and writes them into a bound pair of streams, whose other half `URLSession` reads. A stream of
    /// our own will not do on Apple's platforms: its loader calls methods that are not public.
    final class UploadFeed: NSObject, StreamDelegate, @unchecked Sendable {
        // Unchecked: `output` and what follows it are used on `queue` only, and `input` is handed to URLSession and not touched again.
        let input: InputStream
        private let output: OutputStream
        private let queue = DispatchQueue(label: "NetClient.URLSessionTransport.upload")
        /// The chunk that is being written: one at most.
        private var chunk: Chunk?
        private var isOver = false
        /// A stream does not retain its delegate, so the delegate stays until it gets no more events.
        private var delegate: UploadFeed?

        private struct Chunk {
            let data: Data
            var offset = 0
            let continuation: CheckedContinuation<Bool, Never>
        }

        private init(_ input: InputStream, _ output: OutputStream) {
            self.input = input
            self.output = output
        }

        /// Nil if the system gives no streams. What is made has to be ended, by ``finish()`` or ``fail()``.
        static func make() -> UploadFeed? {
            var input: InputStream?
            var output: OutputStream?
            Stream.getBoundStreams(withBufferSize: 256 * 1024, inputStream: &input, outputStream: &output)
            guard let input, let output else { return nil }
            let feed = UploadFeed(input, output)
            feed.queue.async { feed.open() }
            return feed
        }

        private func open() {
            delegate = self
            output.delegate = self
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue)
            output.open()
        }

        /// Returns when the chunk is in the pair: false if it never will be.
        func write(_ data: Data) async -> Bool {
            await withCheckedContinuation { continuation in
                queue.async {
                    guard !self.isOver else { return continuation.resume(returning: false) }
                    self.chunk = Chunk(data: data, continuation: continuation)
                    self.advance()
                }
            }
        }

        /// Writes as much as there is space for: a write without space would block. The rest follows with the next event, which comes when
        /// URLSession has read.
        private func advance() {
            while var chunk, chunk.offset < chunk.data.count {
                guard output.streamStatus != .error else { return settle(false) }
                guard output.hasSpaceAvailable else { return }
                let count = chunk.data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Int in
                    guard let base = bytes.baseAddress else { return -1 }
                    let rest = base.advanced(by: chunk.offset).assumingMemoryBound(to: UInt8.self)
                    return output.write(rest, maxLength: bytes.count - chunk.offset)
                }
                guard count > 0 else { return settle(false) }
                chunk.offset += count
                self.chunk = chunk
            }
            settle(true)
        }

        private func settle(_ isWritten: Bool) {
            chunk?.continuation.resume(returning: isWritten)
            chunk = nil
        }

        /// Called by the stream, on `queue`.
        func stream(_ stream: Stream, handle event: Stream.Event) {
            if event.contains(.errorOccurred) || event.contains(.endEncountered) {
                settle(false)
            } else if event.contains(.hasSpaceAvailable) {
                advance()
            }
        }

        /// All is written.
        func finish() {
            queue.async {
                self.end()
                self.output.close()
            }
        }

        /// Nothing more comes. The stream is not closed, since URLSession would take that for the end of the body: whoever
        /// calls this cancels the task, and holds the pipe until the task has ended.
        func fail() {
            queue.async { self.end() }
        }

        private func end() {
            guard !isOver else { return }
            isOver = true
            settle(false)
            output.delegate = nil
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
            delegate = nil
        }

        deinit {
            output.close()
        }
    }

    extension Exchange {
        /// A stream is read while it is sent.
        func prepareBody(_ proceed: @escaping @Sendable () -> Void) { proceed() }

        func makeStream(of body: HTTPBody) -> InputStream? {
            guard let feed = UploadFeed.make() else { return nil }
            let task = Task { [weak self] in
                do {
                    try await body.sendChunks { await feed.write($0) }
                    feed.finish()
                } catch {
                    // First the exchange: the task fails as soon as its stream does, and knows less about it.
                    self?.stop(TransportError.ofBody(error, url: self?.url))
                    feed.fail()
                }
            }
            // In place of the one of the attempt before, if there was one.
            let (oldPump, oldFeed, hasEnded) = state.withLock { state in
                defer { (state.pump, state.feed) = (task, feed) }
                return (state.pump, state.feed, state.end != nil)
            }
            oldPump?.cancel()
            oldFeed?.fail()
            if hasEnded {
                task.cancel()
                feed.fail()
            }
            return feed.input
        }
    }
#endif
