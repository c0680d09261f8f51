import NetClient

/// Records the events of calls.
final class StepRecorder: NetworkEventObserver, HTTPInterceptor {
    let observesSteps: Bool
    private let events = Locked<[NetworkEvent]>([])

    init(observesSteps: Bool = true) { self.observesSteps = observesSteps }

    func observe(_ event: NetworkEvent) { events.withLock { $0.append(event) } }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var next = next
        next.context.observers.append(self)
        return try await next(request)
    }

    /// A context with this observer, for a response that is wanted whole.
    var context: RequestContext { RequestContext { $0.observers = [self] } }

    /// The events with their values.
    var names: [String] { events.withLock { $0.map(Self.name) } }
    /// The events without their values.
    var kinds: [String] { names.map { String($0.prefix { $0 != " " }) } }
    var exchanges: [UInt64?] { events.withLock { $0.map(\.exchange) } }

    /// The connection that was told with the handshake.
    var secured: TransportResponse.Connection? {
        events.withLock { events in
            events.lazy.compactMap { if case .step(.secured(let facts)) = $0.kind { facts } else { nil } }.first
        }
    }

    private static func name(_ event: NetworkEvent) -> String {
        switch event.kind {
        case .sending: "sending"
        case .responded: "responded"
        case .failed: "failed"
        case .retrying: "retrying"
        case .notice: "notice"
        case .step(.connecting(let address)): "connecting \(address)"
        case .step(.secured(let connection)): "secured \(connection.tlsVersion.map { "\($0)" } ?? "")"
        case .step(let step): "\(step)"
        }
    }
}
