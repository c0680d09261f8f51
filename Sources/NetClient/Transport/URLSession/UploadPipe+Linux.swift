#if !canImport(Security)
    /// Takes chunks from a task and gives them to a blocking reader: FoundationNetworking takes "nothing now" for the end.
    final class UploadPipe: @unchecked Sendable {
        // Unchecked: every property below stands behind `condition`.
        private let condition = NSCondition()
        private var chunk = Data()
        private var writer: CheckedContinuation<Bool, Never>?
        private var isFinished = false
        private var isFailed = false

        /// Never nil here; it can be on Apple's platforms.
        init?() {}

        /// For one reader.
        var input: InputStream { PipeInputStream(pipe: self) }

        /// Returns when the reader has taken the chunk: false if it never will.
        func write(_ data: Data) async -> Bool {
            await withCheckedContinuation { continuation in
                condition.lock()
                guard !isFailed else {
                    condition.unlock()
                    return continuation.resume(returning: false)
                }
                chunk = data
                writer = continuation
                condition.signal()
                condition.unlock()
            }
        }

        /// All is written.
        func finish() {
            condition.lock()
            isFinished = true
            condition.signal()
            condition.unlock()
        }

        /// Nothing more comes, and what came is not all: the reader gets an error. After ``finish()`` it changes nothing.
        func fail() {
            condition.lock()
            isFailed = !isFinished
            let writer = self.writer
            self.writer = nil
            condition.signal()
            condition.unlock()
            writer?.resume(returning: false)
        }

        fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            condition.lock()
            while chunk.isEmpty, !isFinished, !isFailed { condition.wait() }
            guard !isFailed, !chunk.isEmpty else {
                defer { condition.unlock() }
                return isFailed ? -1 : 0
            }
            let count = chunk.copyBytes(to: buffer)
            chunk = count < chunk.count ? chunk.dropFirst(count) : Data()
            let done = chunk.isEmpty ? writer : nil
            if chunk.isEmpty { writer = nil }
            condition.unlock()
            done?.resume(returning: true)
            return count
        }
    }

    /// The stream that FoundationNetworking reads.
    private final class PipeInputStream: InputStream {
        private let pipe: UploadPipe
        private var status = Stream.Status.notOpen

        init(pipe: UploadPipe) {
            self.pipe = pipe
            super.init(data: Data())
        }

        override func open() { status = .open }
        override func close() { status = .closed }
        override var streamStatus: Stream.Status { status }
        override var streamError: (any Error)? { nil }
        override var hasBytesAvailable: Bool { true }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
        }

        override func getBuffer(
            _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
        ) -> Bool { false }
    }
#endif
