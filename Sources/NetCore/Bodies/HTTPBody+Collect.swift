extension HTTPBody {
    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: the maximum number of bytes.
    /// - Throws: ``NetworkError/responseTooLarge(limit:)`` as soon as the limit is exceeded (at once if ``length`` is known), and the
    ///   errors of reading.
    public func collect(upTo limit: Int) async throws -> Data {
        if let length, length > Int64(limit) { throw NetworkError.responseTooLarge(limit: limit) }
        if case .data(let data) = source { return data }
        var result = Data()
        if let length { result.reserveCapacity(Int(Swift.min(length, maximumReservation))) }
        for try await chunk in self {
            guard chunk.count <= limit - result.count else { throw NetworkError.responseTooLarge(limit: limit) }
            result.append(chunk)
        }
        return result
    }

    /// Reads the start of the body into memory, up to a number of bytes. For the bodies of error responses.
    ///
    /// - Parameter limit: the maximum number of bytes; a negative number counts as zero.
    public func prefix(upTo limit: Int) async throws -> Data {
        guard limit > 0 else { return Data() }
        if case .data(let data) = source { return data.prefix(limit) }
        var result = Data()
        for try await chunk in self {
            result.append(chunk.prefix(limit - result.count))
            if result.count >= limit { break }
        }
        return result
    }

    /// Reads the start into memory and returns it with a body that still has all bytes.
    package func peek(upTo limit: Int) async throws -> (start: Data, whole: HTTPBody) {
        if isReplayable { return (try await prefix(upTo: limit), self) }
        var iterator = makeAsyncIterator()
        var start = Data()
        while start.count < limit {
            guard let chunk = try await iterator.next() else { return (start, HTTPBody(start)) }
            start.append(chunk)
        }
        let rest = Rest(start: start, iterator: iterator)
        return (start.prefix(Swift.max(0, limit)), HTTPBody(length: length, pulling: { try await rest.next() }))
    }

    /// The bytes if they are in memory, else nil.
    public var data: Data? {
        if case .data(let data) = source { data } else { nil }
    }

    /// Returns the same body with transformed errors.
    ///
    /// - Parameter includingCancellation: whether a `CancellationError` is transformed too.
    package func mappingErrors(
        includingCancellation: Bool = false, _ transform: @escaping @Sendable (any Error) -> any Error
    ) -> HTTPBody {
        guard case .stream(let makeReader) = source else { return self }
        let mapped = Source.stream {
            let read = makeReader()
            return {
                do {
                    return try await read()
                } catch let error as CancellationError where !includingCancellation {
                    throw error
                } catch {
                    throw transform(error)
                }
            }
        }
        return HTTPBody(source: mapped, length: length, isReplayable: isReplayable)
    }
}

/// The most bytes to reserve for a declared length, since a server may declare any.
private let maximumReservation: Int64 = 16 << 20

/// The bytes of a body that were read already, followed by the rest.
private final class Rest: @unchecked Sendable {
    // Unchecked: `init(length:pulling:)` lets only one reader in.
    private var start: Data?
    private var iterator: HTTPBody.AsyncIterator

    init(start: Data, iterator: HTTPBody.AsyncIterator) {
        self.start = start
        self.iterator = iterator
    }

    func next() async throws -> Data? {
        guard let start else { return try await iterator.next() }
        self.start = nil
        return start
    }
}
