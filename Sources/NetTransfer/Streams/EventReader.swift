import NetClient
import NetCore

/// Reads the events of one connection after another (WHATWG HTML, section 9.2.3).
struct EventReader {
    private let sequence: ServerSentEventSequence
    private var configuration: ServerSentEventSequence.Configuration { sequence.configuration }
    private var connection: EventConnection?
    private var lastEventID: String
    private var reconnectionTime: TimeInterval
    /// Whether the last request may be sent again.
    private var isReconnecting = false
    private var failedAttempts = 0
    private var hasEnded = false

    init(_ sequence: ServerSentEventSequence) {
        self.sequence = sequence
        lastEventID = sequence.configuration.lastEventID
        reconnectionTime = sequence.configuration.reconnectionTime
    }

    /// Returns the next event if it has been read already, as most have, without an asynchronous call. If nil, call ``awaited()``.
    mutating func ready() throws -> ServerSentEvent? {
        do { return try connection?.ready().flatMap { deliver($0) } } catch { throw ended(by: error) }
    }

    /// Returns the next event after ``ready()`` has returned nil, or nil at the end.
    mutating func awaited() async throws -> ServerSentEvent? {
        guard !hasEnded else { return nil }
        do { return deliver(try await nextEvent()) } catch { throw ended(by: error) }
    }

    /// Returns a value made from the next event, or nil at the end. An error of `make` ends the sequence.
    mutating func next<Value>(_ make: (ServerSentEvent) throws -> Value) async throws -> Value? {
        var event = try ready()
        if event == nil { event = try await awaited() }
        do { return try event.map(make) } catch { throw ended(by: error) }
    }

    /// Returns an event, and ends the sequence if there is none, or it is the end marker.
    private mutating func deliver(_ event: ServerSentEvent?) -> ServerSentEvent? {
        if let event, event.data != sequence.configuration.endMarker { return event }
        end()
        return nil
    }

    private mutating func ended(by error: any Error) -> any Error {
        defer { end() }
        return (connection?.errors ?? sequence.errors)(error)
    }

    /// Closes the connection.
    private mutating func end() { (hasEnded, connection) = (true, nil) }

    private mutating func nextEvent() async throws -> ServerSentEvent? {
        while true {
            if connection == nil { connection = try await connect() }
            guard connection != nil else { return nil }
            do throws(NetworkFailure) {
                if let event = try await connection?.next() { return event }
                guard isReconnecting else { return nil }
            } catch {
                guard isReconnecting, error.mayPass else { throw error }
            }
            if let parser = connection?.parser {
                lastEventID = parser.lastEventID
                if let wanted = parser.reconnectionTime { reconnectionTime = min(wanted, longestRequestedPause) }
            }
            connection = nil
            try await pause()
        }
    }

    /// Opens the next connection. Nil if there is to be none.
    private mutating func connect() async throws -> EventConnection? {
        let call: StreamCall
        switch sequence.source {
        case .response(let body): return makeConnection(body, errors: sequence.errors)
        case .call(let source): call = source
        }
        while true {
            let request = try request(of: call)
            isReconnecting = reconnects(request)
            do throws(NetworkFailure) {
                let connection = try await open(request, of: call)
                failedAttempts = 0
                return connection
            } catch {
                failedAttempts += 1
                guard isReconnecting, error.mayPass, failedAttempts < configuration.maxConsecutiveErrors else {
                    throw error
                }
                let backoff = configuration.backoff.seconds(for: failedAttempts - 1, random: .random(in: 0...1))
                try await pause(atLeast: max(backoff, error.requestedPause(now: call.client.clock.now)))
            }
        }
    }

    private func pause(atLeast seconds: TimeInterval = 0) async throws {
        guard case .call(let call) = sequence.source else { return }
        try await call.client.clock.sleep(for: max(0.1, reconnectionTime, seconds))
    }

    private func makeConnection(_ body: HTTPBody, errors: StreamErrors) -> EventConnection {
        EventConnection(
            body, lastEventID: lastEventID, maximumEventSize: configuration.maximumEventSize, errors: errors)
    }
}

struct EventConnection {
    private(set) var parser: ServerSentEvent.Parser
    private var chunks: HTTPBody.AsyncIterator
    /// Wraps errors with the response of this connection.
    let errors: StreamErrors

    init(_ body: HTTPBody, lastEventID: String, maximumEventSize: Int, errors: StreamErrors) {
        parser = ServerSentEvent.Parser(lastEventID: lastEventID, maximumEventSize: maximumEventSize)
        chunks = body.makeAsyncIterator()
        self.errors = errors
    }

    /// Returns the next event if it has been read already.
    mutating func ready() throws(NetworkError) -> ServerSentEvent? { Task.isCancelled ? nil : try parser.next() }

    /// Returns the next event, or nil at the end of the response.
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

// Opening an event stream: the request, and the check of the response.
extension EventReader {
    private static let typeName = "text/event-stream"

    private func request(of call: StreamCall) throws(NetworkFailure) -> BuiltCall {
        var call = try call.build()
        for (name, value) in [("Accept", Self.typeName), ("Cache-Control", "no-store")]
        where call.request.value(forHTTPHeaderField: name) == nil {
            call.request.setValue(value, forHTTPHeaderField: name)
        }
        let field = HTTPHeader(name: "Last-Event-ID", value: lastEventID)
        // A server's ID may have control characters, which a field cannot carry. The caller's own ID is refused with an error.
        if !lastEventID.isEmpty, field.isValid || lastEventID == configuration.lastEventID {
            call.request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        call.request.cachePolicy = .reloadIgnoringLocalCacheData
        if reconnects(call) { call.context.takesNoRetries() }
        return call
    }

    /// Returns whether a request is sent again when its event stream has ended.
    private func reconnects(_ call: BuiltCall) -> Bool {
        switch configuration.reconnection {
        case .never: false
        case .safeMethods: HTTPMethod(rawValue: call.request.httpMethod ?? "GET").isSafe
        case .always: true
        }
    }

    /// Opens a connection. Nil if the server has no more events (204).
    private func open(_ request: BuiltCall, of call: StreamCall) async throws(NetworkFailure) -> EventConnection? {
        let response = try await call.response(to: request)
        guard response.status != 204 else { return nil }
        let type = response.headers["Content-Type"]
        guard let type, MediaType(type) == MediaType(Self.typeName) else {
            throw NetworkFailure(
                serializing: ResponseValidation.UnacceptableContentType(expected: [Self.typeName], received: type),
                response: response, data: Data(), timestamp: call.client.clock.now)
        }
        return makeConnection(response.body, errors: call.errors(of: response))
    }
}

extension RequestContext {
    /// Turns the client's retry policy off, for a caller with its own rules. Re-authentication still applies.
    mutating func takesNoRetries() {
        self[RetryPolicyKey.self] = RetryPolicy(maxRetries: 0)
        self[RetryCountKey.self] = 0
    }
}
