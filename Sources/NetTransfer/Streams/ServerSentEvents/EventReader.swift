import NetCore

/// Reads the events of one connection after the other (WHATWG HTML, section 9.2.3).
struct EventReader {
    private let sequence: ServerSentEventSequence
    private let endMarker: String?
    private var connection: EventConnection?
    private var lastEventID: String
    private var reconnectionTime: TimeInterval
    /// Whether the last request is one that is sent again.
    private var isReconnecting = false
    private var failedAttempts = 0
    private var hasEnded = false

    /// What is waited for at least before a request is sent again.
    private static let shortestPause: TimeInterval = 0.1

    init(_ sequence: ServerSentEventSequence) {
        self.sequence = sequence
        endMarker = sequence.configuration.endMarker
        lastEventID = sequence.configuration.lastEventID
        reconnectionTime = sequence.configuration.reconnectionTime
    }

    /// The next event if all of it was read already, as most are: so that it needs no asynchronous call. Nil leaves it to
    /// ``awaited()`` to find out.
    mutating func ready() throws -> ServerSentEvent? {
        do {
            guard let event = try connection?.ready() else { return nil }
            if !isEndMarker(event) { return event }
            end()
            return nil
        } catch {
            throw ended(by: error)
        }
    }

    /// The next event where none was ``ready()``, or nil at the end.
    mutating func awaited() async throws -> ServerSentEvent? {
        guard !hasEnded else { return nil }
        do {
            if let event = try await nextEvent(), !isEndMarker(event) { return event }
            end()
            return nil
        } catch {
            throw ended(by: error)
        }
    }

    /// What is made of the next event, or nil at the end.
    ///
    /// - Parameter make: what it throws is the end as well.
    mutating func next<Value>(_ make: (ServerSentEvent) throws -> Value) async throws -> Value? {
        var event = try ready()
        if event == nil { event = try await awaited() }
        do {
            return try event.map(make)
        } catch {
            throw ended(by: error)
        }
    }

    private func isEndMarker(_ event: ServerSentEvent) -> Bool {
        guard let endMarker else { return false }
        return event.data == endMarker
    }

    private mutating func ended(by error: any Error) -> any Error {
        defer { end() }
        return (connection?.errors ?? sequence.errors)(error)
    }

    /// Lets the connection go, which closes it.
    private mutating func end() {
        hasEnded = true
        connection = nil
    }

    private mutating func nextEvent() async throws -> ServerSentEvent? {
        while true {
            if connection == nil {
                connection = try await connect()
                guard connection != nil else { return nil }
            }
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

    /// The next connection; nil if there is to be none.
    private mutating func connect() async throws -> EventConnection? {
        guard case .call(let source) = sequence.source else { return sequence.onlyConnection }
        while true {
            let request = try source.request(lastEventID: lastEventID)
            isReconnecting = source.reconnects(request)
            do throws(NetworkFailure) {
                let connection = try await source.connect(request, lastEventID: lastEventID)
                failedAttempts = 0
                return connection
            } catch {
                failedAttempts += 1
                guard isReconnecting, error.mayPass,
                    failedAttempts < sequence.configuration.maxConsecutiveErrors
                else { throw error }
                let backoff = sequence.configuration.backoff.seconds(
                    for: failedAttempts - 1, random: .random(in: 0...1))
                try await pause(atLeast: max(backoff, error.requestedPause(now: source.clock.now)))
            }
        }
    }

    private func pause(atLeast seconds: TimeInterval = 0) async throws {
        guard case .call(let source) = sequence.source else { return }
        try await source.clock.sleep(for: max(Self.shortestPause, reconnectionTime, seconds))
    }
}
