import NetClient
import NetCore

/// Opens an event stream: sends the request, and looks at what came (WHATWG HTML, section 9.2.3).
struct EventSource: Sendable {
    let call: StreamCall
    let configuration: ServerSentEventsConfiguration

    var clock: any NetworkClock { call.client.clock }

    /// The request for what comes behind an event.
    func request(lastEventID: String) throws(NetworkFailure) -> StreamRequest {
        var call = try call.prepare()
        for (name, value) in [("Accept", Self.typeName), ("Cache-Control", "no-store")]
        where call.request.value(forHTTPHeaderField: name) == nil {
            call.request.setValue(value, forHTTPHeaderField: name)
        }
        if !lastEventID.isEmpty { call.request.setValue(lastEventID, forHTTPHeaderField: "Last-Event-ID") }
        call.request.cachePolicy = .reloadIgnoringLocalCacheData
        if reconnects(call) { call.context.takesNoRetries() }
        return call
    }

    /// Whether a request is sent again when its event stream has ended.
    func reconnects(_ call: StreamRequest) -> Bool {
        switch configuration.reconnection {
        case .never: false
        case .safeMethods: HTTPMethod(rawValue: call.request.httpMethod ?? "GET").isSafe
        case .always: true
        }
    }

    /// A new connection; nil if the server says that there are no more events (204).
    func connect(_ request: StreamRequest, lastEventID: String) async throws(NetworkFailure) -> EventConnection? {
        let response = try await call.response(to: request)
        guard response.status != 204 else { return nil }
        let type = response.headers["Content-Type"]
        guard let type, MediaType(type) == MediaType(Self.typeName) else {
            throw NetworkFailure(
                serializing: UnacceptableContentType(expected: [Self.typeName], received: type), response: response,
                data: Data(), timestamp: clock.now)
        }
        return EventConnection(
            response.body, lastEventID: lastEventID, maximumEventSize: configuration.maximumEventSize,
            errors: call.errors(of: response))
    }

    private static let typeName = "text/event-stream"
}

extension RequestContext {
    /// Who sends a request again by rules of his own does not want the client's policy to do so as well. New credentials are still tried.
    mutating func takesNoRetries() {
        self[RetryPolicyKey.self] = RetryPolicy(maxRetries: 0)
        self[RetryCountKey.self] = 0
    }
}

extension ServerSentEventSequence {
    /// Where there is one response and no other.
    var onlyConnection: EventConnection? {
        guard case .response(let body) = source else { return nil }
        return EventConnection(
            body, lastEventID: configuration.lastEventID, maximumEventSize: configuration.maximumEventSize,
            errors: errors)
    }
}
