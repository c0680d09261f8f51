public import NetCore

extension ResponseStream {
    /// The lines of a response, as text: see ``ResponseStream/lines(maximumLength:)``.
    public struct Lines: AsyncSequence, Sendable {
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
}

extension ResponseStream {
    /// The values of a response with one JSON text a line (NDJSON, JSON Lines): see ``ResponseStream/jsonLines(of:decoder:maximumLength:)``.
    public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// What stands on one line.
        public typealias Element = Value

        let body: HTTPBody
        let limit: Int
        let decoder: any BodyDecoder
        let errors: StreamErrors

        /// Reads from the start. Of a response that came over a connection, only the first iterator gives the values.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: LineReader(body, limit: limit, errors: errors), decoder: decoder)
        }

        /// Goes through the values.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var reader: LineReader
            fileprivate let decoder: any BodyDecoder

            /// The value of the next line that is not blank, or nil at the end.
            ///
            /// - Throws: what ``ResponseStream`` says, ``NetworkError/decodingError(_:)`` with a ``ResponseStream/JSONLineError`` inside,
            ///   ``NetworkError/responseTooLarge(limit:)`` for a line over the limit. Then it is at its end.
            @concurrent
            public mutating func next() async throws -> Value? {
                try await reader.next { [decoder] line, number in
                    guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else { return nil }
                    do {
                        return try decoder.decode(Value.self, from: Data(line))
                    } catch {
                        throw NetworkError.decodingError(
                            ResponseStream.JSONLineError(line: number, underlyingError: error))
                    }
                }
            }
        }
    }
}

extension ResponseStream {
    /// A line of a stream could not be decoded: inside ``NetworkError/decodingError(_:)``.
    public struct JSONLineError: Error, Sendable {
        /// The number of the line, 1 for the first. Blank lines count.
        public let line: Int
        /// What the decoder threw.
        public let underlyingError: any Error

        /// An error.
        public init(line: Int, underlyingError: any Error) {
            self.line = line
            self.underlyingError = underlyingError
        }
    }
}

extension ResponseStream.JSONLineError: CustomStringConvertible, SecretFreeError {
    /// The line's number and what is wrong, without what stands on the line.
    public var description: String { "line \(line): \(secretFreeText(of: underlyingError))" }
}
