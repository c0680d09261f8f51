/// A request's body before the client compressed it, for logs and progress.
package final class UncodedBody: Sendable {
    package let body: HTTPBody
    /// The `Content-Encoding` of the compressed body.
    package let coding: String
    private let count = Locked<Int64>(0)

    package init(_ body: HTTPBody, coding: String) {
        self.body = body
        self.coding = coding
    }

    /// The bytes that the current reader of a stream has compressed.
    package var bytesRead: Int64 { count.withLock { $0 } }

    /// Begins another reading of a stream.
    package func rewind() { count.withLock { $0 = 0 } }
    package func advance(by bytes: Int) { count.withLock { $0 += Int64(bytes) } }
}
