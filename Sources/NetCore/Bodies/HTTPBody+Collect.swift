extension HTTPBody {
    /// Reads all of it into memory.
    ///
    /// - Parameter limit: the most bytes to accept.
    /// - Throws: ``NetworkError/responseTooLarge(limit:)`` as soon as it is clear that there are more (at once where the
    ///   length is known), and what reading throws.
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

    /// Reads the start of it into memory: all, or the first bytes up to the limit. For the bodies of error responses.
    ///
    /// - Parameter limit: the most bytes to give; a negative number counts as zero.
    /// - Throws: what reading throws.
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

    /// Reads the start of it into memory, and gives a body that still has all of it: to look at a body that somebody else is
    /// to read.
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

    /// The bytes, if they are in memory already.
    public var data: Data? {
        if case .data(let data) = source { data } else { nil }
    }
}

extension HTTPBody {
    /// The same body, whose reader meets other errors.
    ///
    /// - Parameter includingCancellation: whether a `CancellationError` becomes another one too; by default it stays.
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

/// The most that is reserved on the word of a length: a server may claim any.
private let maximumReservation: Int64 = 16 << 20

/// What was read of a body already, then what was not.
private final class Rest: @unchecked Sendable {
    // Unchecked: a body is read by one reader at a time, and `init(length:pulling:)` lets one alone in.
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
