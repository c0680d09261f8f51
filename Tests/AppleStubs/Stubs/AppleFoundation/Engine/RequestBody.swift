/// The body of a request while it is sent. Reads a stream on a thread of its own, since that may block for as long as somebody writes the other
/// end.
final class RequestBody: @unchecked Sendable {
    private let stream: InputStream
    private let condition = NSCondition()
    private var piece = Data()
    private var isAtEnd = false
    private var failure: (any Error)?
    private var isStopped = false
    private let whenReady: () -> Void

    /// - Parameter whenReady: called from the thread when there is something after ``read(_:)`` gave nil.
    init(_ stream: InputStream, whenReady: @escaping () -> Void) {
        self.stream = stream
        self.whenReady = whenReady
        let thread = Thread { self.pump() }
        thread.name = "URLSession body stream"
        thread.start()
    }

    private func pump() {
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        while condition.withLock({ waitForSpace() }) {
            let count = stream.read(&buffer, maxLength: buffer.count)
            condition.withLock {
                if count > 0 {
                    piece = Data(buffer[..<count])
                } else {
                    isAtEnd = true
                    if count < 0 { failure = stream.streamError ?? URLError(.requestBodyStreamExhausted) }
                }
            }
            whenReady()
            if count <= 0 { break }
        }
        stream.close()
    }

    private func waitForSpace() -> Bool {
        while !piece.isEmpty, !isStopped { condition.wait() }
        return !isStopped
    }

    /// Nil if there is nothing now; 0 at the end.
    func read(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        try condition.withLock {
            if let failure { throw failure }
            guard !piece.isEmpty else { return isAtEnd ? 0 : nil }
            let count = piece.copyBytes(to: buffer)
            piece = Data(piece.dropFirst(count))
            condition.broadcast()
            return count
        }
    }

    func stop() {
        condition.withLock {
            isStopped = true
            condition.broadcast()
        }
        // Wakes the thread from its read; other streams do not wait.
        (stream as? BoundInputStream)?.close()
    }
}
