#if canImport(Security)
    /// Takes chunks from a task and writes them into a bound pair of streams, whose other half `URLSession` reads. A stream of
    /// our own will not do on Apple's platforms: its loader calls methods that are not public.
    final class UploadFeed: @unchecked Sendable {
        // Unchecked: `output` is used on `queue` only, and `input` is handed to URLSession and not touched again.
        let input: InputStream
        private let output: OutputStream
        private let queue = DispatchQueue(label: "NetClient.URLSessionTransport.upload")
        private let isFailed = Locked(false)

        /// Nil if the system gives no streams.
        init?() {
            var input: InputStream?
            var output: OutputStream?
            Stream.getBoundStreams(withBufferSize: 256 * 1024, inputStream: &input, outputStream: &output)
            guard let input, let output else { return nil }
            self.input = input
            self.output = output
            queue.async { self.output.open() }
        }

        /// Returns when the chunk is in the pair: false if it never will be.
        func write(_ data: Data) async -> Bool {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.writeAll(data)) }
            }
        }

        /// A write would block until URLSession reads, which it does not do any more after a failure: so it looks first. The
        /// millisecond is short beside what the network needs for the buffer.
        private func writeAll(_ data: Data) -> Bool {
            data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
                var offset = 0
                while offset < bytes.count {
                    if isFailed.withLock({ $0 }) || output.streamStatus == .error { return false }
                    guard output.hasSpaceAvailable, let base = bytes.baseAddress else {
                        Thread.sleep(forTimeInterval: 0.001)
                        continue
                    }
                    let rest = base.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
                    let count = output.write(rest, maxLength: bytes.count - offset)
                    guard count > 0 else { return false }
                    offset += count
                }
                return true
            }
        }

        /// All is written.
        func finish() {
            queue.async { self.output.close() }
        }

        /// Nothing more comes. The stream is not closed, since URLSession would take that for the end of the body: whoever
        /// calls this cancels the task, and holds the pipe until the task has ended.
        func fail() {
            isFailed.withLock { $0 = true }
        }

        deinit {
            output.close()
        }
    }

    extension Exchange {
        /// A stream is read while it is sent.
        func prepareBody(_ proceed: @escaping @Sendable () -> Void) { proceed() }

        func makeStream(of body: HTTPBody) -> InputStream? {
            guard let feed = UploadFeed() else { return nil }
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
