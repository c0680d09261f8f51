#if canImport(Security)
    /// Writes chunks into a bound pair of streams, whose other half `URLSession` reads. A custom `InputStream` does not work on Apple's
    /// platforms: the loader calls methods that are not public.
    final class UploadFeed: NSObject, StreamDelegate, @unchecked Sendable {
        // Unchecked: only `queue` uses `output` and the properties after it, and only URLSession uses `input`.
        let input: InputStream
        private let output: OutputStream
        private let queue = DispatchQueue(label: "NetClient.URLSessionTransport.upload")
        /// The chunk that is being written.
        private var chunk: Chunk?
        private var isOver = false
        /// The feed itself while it gets events, since a stream does not retain its delegate.
        private var delegate: UploadFeed?

        private struct Chunk {
            let data: Data
            var offset = 0
            let continuation: CheckedContinuation<Bool, Never>
        }

        private init(_ input: InputStream, _ output: OutputStream) { (self.input, self.output) = (input, output) }

        /// Returns nil if the system has no streams. End the feed by ``finish()`` or ``fail()``.
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

        /// Returns when the chunk is written. Returns false if it cannot be.
        func write(_ data: Data) async -> Bool {
            await withCheckedContinuation { continuation in
                queue.async {
                    guard !self.isOver else { return continuation.resume(returning: false) }
                    self.chunk = Chunk(data: data, continuation: continuation)
                    self.advance()
                }
            }
        }

        /// Writes while there is space, since a write without space blocks. The next event comes when URLSession has read.
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

        /// Ends the body.
        func finish() {
            queue.async {
                self.end()
                self.output.close()
            }
        }

        /// Ends the feed without closing the stream, which URLSession would take for the end of the body. The caller cancels the task, and
        /// keeps the feed until the task has ended.
        func fail() { queue.async { self.end() } }

        private func end() {
            guard !isOver else { return }
            isOver = true
            settle(false)
            output.delegate = nil
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
            delegate = nil
        }

        deinit { output.close() }
    }

    extension Exchange {
        /// Proceeds at once: the body is read while it is sent.
        func prepareBody(_ proceed: @escaping @Sendable () -> Void) { proceed() }

        func makeStream(of body: HTTPBody) -> InputStream? {
            guard let feed = UploadFeed.make() else { return nil }
            let task = Task { [weak self] in
                do {
                    try await body.sendChunks { await feed.write($0) }
                    feed.finish()
                } catch {
                    // The exchange first: the task fails together with its stream, with a less exact error.
                    self?.stop(TransportError.ofBody(error, url: self?.url))
                    feed.fail()
                }
            }
            // Replaces the feed of an earlier attempt.
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
