/// A request's body before the client compressed it, for logs and progress.
package final class UncodedBody: Sendable {
    package let body: HTTPBody
    /// The `Content-Encoding` of the compressed body.
    package let coding: String
    /// The bytes that the current reader of a stream has compressed.
    private let count = Locked<Int64>(0)

    package init(_ body: HTTPBody, coding: String) {
        self.body = body
        self.coding = coding
    }

    /// Begins another reading of a stream.
    package func rewind() { count.withLock { $0 = 0 } }

    package func advance(by bytes: Int) { count.withLock { $0 += Int64(bytes) } }

    /// Turns a transport's reports of the compressed body into reports of this one, whose length the caller knows.
    func reports(
        to progress: @escaping @Sendable (RequestContext.Progress) -> Void
    ) -> @Sendable (RequestContext.Progress) -> Void {
        { [self] report in
            var report = report
            if report.bytesSent > 0 {
                if let length = body.length, let coded = report.bytesToSend, coded > 0 {
                    report.bytesSent = Int64(Double(length) * min(1, Double(report.bytesSent) / Double(coded)))
                } else {
                    report.bytesSent = count.withLock { $0 }
                }
            }
            report.bytesToSend = body.length
            progress(report)
        }
    }
}
