import NetCore

/// One response that is an event stream, being read.
struct EventConnection {
    private(set) var parser: ServerSentEventParser
    private var chunks: HTTPBody.AsyncIterator
    /// Of the response that is read.
    let errors: StreamErrors

    init(_ body: HTTPBody, lastEventID: String, maximumEventSize: Int, errors: StreamErrors) {
        parser = ServerSentEventParser(lastEventID: lastEventID, maximumEventSize: maximumEventSize)
        chunks = body.makeAsyncIterator()
        self.errors = errors
    }

    /// The next event, if all of it was read already: most are, and need no further asynchronous call.
    mutating func ready() throws(NetworkFailure) -> ServerSentEvent? {
        guard !Task.isCancelled else { return nil }
        do {
            return try parser.next()
        } catch {
            throw errors.failure(error)
        }
    }

    /// The next event, or nil at the end of the response.
    mutating func next() async throws(NetworkFailure) -> ServerSentEvent? {
        do {
            try await chunks.stopIfCancelled()
            while true {
                if let event = try parser.next() { return event }
                guard let chunk = try await chunks.next() else { return nil }
                parser.append(chunk)
            }
        } catch {
            throw errors.failure(error)
        }
    }
}
