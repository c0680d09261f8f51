public import NetCore

extension ResponseStream {
    /// Returns the parts of a multipart body of any subtype (RFC 2046, section 5.1): `multipart/mixed`, `multipart/form-data` (RFC 7578),
    /// `multipart/byteranges` (RFC 9110, section 14.6).
    ///
    /// ```swift
    /// let stream = try await client.stream(GetUserEndpoint(id: "123"))
    /// for try await part in try stream.parts() {
    ///     print(part.headers["Content-Type"] ?? "", try await part.body.collect(upTo: 1 << 20).count)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - maximumHeaderSize: the largest number of bytes of a part's header section; 16 KiB by default.
    ///   - maximumCount: the largest number of parts; 10,000 by default.
    /// - Throws: ``NetworkError/decodingError(_:)`` with a ``ResponseValidation/UnacceptableContentType`` if the response is not multipart, and
    ///   with ``ResponseStream/MultipartError/boundary`` if its `Content-Type` has no valid boundary.
    public func parts(maximumHeaderSize: Int = 16 << 10, maximumCount: Int = 10_000) throws -> ResponseStream.Parts {
        let type = headers["Content-Type"]
        guard type.flatMap(MediaType.init)?.type == "multipart" else {
            let error = ResponseValidation.UnacceptableContentType(expected: ["multipart/*"], received: type)
            throw errors(NetworkError.decodingError(error))
        }
        return try Parts(
            bytes, boundary: type.flatMap(MultipartScanner.boundary) ?? "", maximumHeaderSize: maximumHeaderSize,
            maximumCount: maximumCount, errors: errors)
    }

    /// The parts of a multipart body, in order: see ``ResponseStream/parts(maximumHeaderSize:maximumCount:)``.
    ///
    /// Each part's body is a stream that is read from the same connection. Going to the next part skips the rest of it, and the body of an
    /// earlier part cannot be read any more. Text around the parts is ignored. Lines end with CRLF, or with LF alone if the first delimiter does.
    ///
    /// It throws the errors of ``ResponseStream``, and ``NetworkError/decodingError(_:)`` with a ``ResponseStream/MultipartError``. An error
    /// ends the sequence.
    public struct Parts: AsyncSequence, Sendable {
        public typealias Element = Part

        fileprivate let body: HTTPBody
        fileprivate let scanner: MultipartScanner
        fileprivate let maximumHeaderSize: Int
        fileprivate let maximumCount: Int
        fileprivate let errors: StreamErrors

        /// Reads a multipart body from another source, such as a request in a test. The sequence throws ``NetworkError``.
        ///
        /// - Parameters:
        ///   - body: the body.
        ///   - boundary: the `boundary` parameter of its `Content-Type`, without quotes.
        ///   - maximumHeaderSize: the largest number of bytes of a part's header section.
        ///   - maximumCount: the largest number of parts.
        /// - Throws: ``NetworkError/decodingError(_:)`` with ``ResponseStream/MultipartError/boundary`` if the boundary is invalid.
        public init(
            _ body: HTTPBody, boundary: String, maximumHeaderSize: Int = 16 << 10, maximumCount: Int = 10_000
        ) throws {
            try self.init(
                body, boundary: boundary, maximumHeaderSize: maximumHeaderSize, maximumCount: maximumCount,
                errors: StreamErrors(nil, clock: .system, isPlain: true))
        }

        init(
            _ body: HTTPBody, boundary: String, maximumHeaderSize: Int, maximumCount: Int, errors: StreamErrors
        ) throws {
            guard let scanner = MultipartScanner(boundary: boundary, headerLimit: maximumHeaderSize) else {
                throw errors(NetworkError.decodingError(MultipartError.boundary))
            }
            self.body = body
            self.scanner = scanner
            self.maximumHeaderSize = maximumHeaderSize
            self.maximumCount = maximumCount
            self.errors = errors
        }

        /// Reads from the start. A response of a connection gives its parts only to the first iterator.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: PartSource(self)) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let source: PartSource

            /// Returns the next part as soon as its header section has arrived, or nil after the closing delimiter.
            @concurrent
            public mutating func next() async throws -> Part? { try await source.next() }
        }
    }

    /// A part of a multipart body.
    public struct Part: Sendable {
        public let headers: HTTPHeaders
        /// The content, read as it arrives. It can be read once, before the next part.
        public let body: HTTPBody

        /// The name of a form's field (RFC 7578, section 4.2), or nil. `%22`, `%0D` and `%0A` are decoded, as in browsers.
        public var name: String? {
            let parameters = FieldParameters.parse(headers["Content-Disposition"] ?? "")
            guard var name = parameters.first(where: { $0.name == "name" })?.value else { return nil }
            for (text, character) in [("%22", "\""), ("%0D", "\r"), ("%0A", "\n")] {
                name = name.replacingOccurrences(of: text, with: character)
            }
            return name
        }

        /// The name of the file, safe to create in a directory: without other directories, and without characters that file systems refuse.
        /// Nil if the part has none. The name as sent is in `Content-Disposition`.
        public var filename: String? {
            ContentDisposition.filename(in: headers["Content-Disposition"]).flatMap(SuggestedFilename.sanitized)
        }

        /// The range of bytes of the whole that the part holds (`Content-Range`), or nil.
        public var contentRange: Range<Int64>? { ContentRange(headers["Content-Range"])?.bytes }

        /// The length of the whole of which the part holds a range, or nil if it is unknown.
        public var completeLength: Int64? { ContentRange(headers["Content-Range"])?.total }
    }

    /// The error of a multipart body that cannot be read. ``NetworkError/decodingError(_:)`` contains it.
    public enum MultipartError: Error, Hashable, Sendable {
        /// The `Content-Type` has no boundary, or an invalid one.
        case boundary
        /// The body ends before its closing delimiter.
        case truncated
        /// A delimiter line or a header section is invalid.
        case malformed
        /// A header section is larger than permitted.
        case headerTooLarge(limit: Int)
        case tooManyParts(limit: Int)
    }
}

extension ResponseStream.MultipartError: CustomStringConvertible, SecretFreeError {
    public var description: String {
        switch self {
        case .boundary: "The Content-Type has no boundary of 1 to 256 bytes."
        case .truncated: "The body ends before its closing delimiter. Send the request again."
        case .malformed: "A delimiter or a header section of the multipart body is malformed."
        case .headerTooLarge(let limit):
            "The header section of a part has more than \(limit) bytes. Raise maximumHeaderSize if that is expected."
        case .tooManyParts(let limit): "The body has more than \(limit) parts. Raise maximumCount if that is expected."
        }
    }
}

/// The one reader of a multipart body, shared by the iterator and the bodies of the parts.
private final class PartSource: Sendable {
    private struct State {
        var scanner: MultipartScanner
        /// Nil after the end.
        var chunks: HTTPBody.AsyncIterator?
        /// An event that a part's body has read.
        var pending: MultipartScanner.Event?
        /// The number of the current part: 1 for the first.
        var part = 0
        var error: (any Error)?

        mutating func event() async throws -> MultipartScanner.Event {
            if let event = pending {
                pending = nil
                return event
            }
            while true {
                if let event = try scanner.next() { return event }
                if let chunk = try await chunks?.next() { scanner.append(chunk) } else { scanner.finish() }
            }
        }
    }

    /// Nil while the state is in use.
    private let state: Locked<State?>
    private let parts: ResponseStream.Parts

    init(_ parts: ResponseStream.Parts) {
        state = Locked(State(scanner: parts.scanner, chunks: parts.body.makeAsyncIterator()))
        self.parts = parts
    }

    /// Returns the next part, and skips the rest of the current one.
    func next() async throws -> ResponseStream.Part? {
        try await with { state in
            try await state.chunks?.stopIfCancelled()
            while state.chunks != nil {
                switch try await state.event() {
                case .content: continue
                case .part(let headers):
                    state.part += 1
                    guard state.part <= parts.maximumCount else {
                        throw NetworkError.decodingError(
                            ResponseStream.MultipartError.tooManyParts(limit: parts.maximumCount))
                    }
                    let body = HTTPBody(pulling: { [part = state.part] in try await self.content(of: part) })
                    return ResponseStream.Part(headers: headers, body: body)
                case .end:
                    // To the end of the body, so that its connection can be used again.
                    while try await state.chunks?.next() != nil {}
                    state.chunks = nil
                }
            }
            return nil
        }
    }

    private func content(of part: Int) async throws -> Data? {
        try await with(part) { state in
            guard state.pending == nil, state.chunks != nil else { return nil }
            let event = try await state.event()
            if case .content(let data) = event { return data }
            state.pending = event
            return nil
        }
    }

    /// - Parameter part: the part that must be the current one.
    private func with<Value: Sendable>(
        _ part: Int? = nil, _ read: (inout State) async throws -> Value?
    ) async throws -> Value? {
        let taken = state.withLock { state in
            defer { state = nil }
            return state
        }
        guard var current = taken else {
            throw parts.errors(NetworkError.unsupported("Read a multipart body in one task, one part after the other."))
        }
        defer { state.withLock { $0 = current } }
        if let part, part != current.part {
            throw parts.errors(NetworkError.unsupported("Read the body of a part before you go to the next part."))
        }
        if let error = current.error { throw error }
        do {
            return try await read(&current)
        } catch {
            let error = parts.errors(error.ofMultipart(limit: parts.maximumHeaderSize))
            current.error = error
            current.chunks = nil
            throw error
        }
    }
}

extension Error {
    fileprivate func ofMultipart(limit: Int) -> any Error {
        guard let problem = self as? MultipartScanner.Problem else { return self }
        let error: ResponseStream.MultipartError =
            switch problem {
            case .malformed: .malformed
            case .truncated: .truncated
            case .headerTooLarge: .headerTooLarge(limit: limit)
            }
        return NetworkError.decodingError(error)
    }
}
