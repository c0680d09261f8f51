import NetCore

/// The lines of a response, as text: see ``ResponseStream/lines(maximumLength:)``.
public struct LineSequence: AsyncSequence, Sendable {
    /// A line without its end.
    public typealias Element = String

    let body: HTTPBody
    let limit: Int
    let errors: StreamErrors

    /// Reads from the start. Of a response that came over a connection, only the first iterator gives the lines.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: LineReader(body, limit: limit, errors: errors))
    }

    /// Goes through the lines.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: LineReader

        /// The next line, or nil at the end.
        ///
        /// - Throws: what ``ResponseStream`` says, ``NetworkError/responseTooLarge(limit:)`` for a line over the limit.
        public mutating func next() async throws -> String? {
            try await reader.next { line, _ in String(decoding: line, as: UTF8.self) }
        }
    }
}
