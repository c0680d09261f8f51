public import NetCore

/// Keeps what was sent and received, to look at it afterwards: as a HAR file for browsers and proxies, or as a page with a waterfall.
///
/// ```swift
/// let recorder = TrafficRecorder()
/// let client = NetworkClient(callInterceptors: [recorder])
/// // … later:
/// try recorder.archive.write(to: folder.appendingPathComponent("traffic.har"))
/// try recorder.waterfall().write(to: folder.appendingPathComponent("traffic.html"))
/// ```
///
/// Secrets are left out when something is recorded, and so are in neither memory nor file: see ``SanitizationConfig``. It keeps the last calls only.
/// It belongs among `callInterceptors:`, where it sees all attempts and redirects of a call. Bodies that are in memory and not long are recorded;
/// streams are not.
public final class TrafficRecorder: HTTPInterceptor {
    private struct Recorded {
        let metrics: CallMetrics
        let entries: [HTTPArchive.Entry]
    }

    private let sanitization: SanitizationConfig
    private let bodyLimit: Int
    private let observers: [any MetricsObserver]
    private let recorded: Locked<Ring<Recorded>>

    /// A recorder.
    ///
    /// - Parameters:
    ///   - sanitization: what is left out.
    ///   - maximumCallCount: how many calls are kept; then the oldest go. 500 unless set, at least 1.
    ///   - maximumBodySize: bytes of a body that is recorded; longer ones are left out. 64 KiB unless set.
    ///   - observers: told of each call's metrics besides.
    public init(
        sanitization: SanitizationConfig = .default, maximumCallCount: Int = 500, maximumBodySize: Int = 64 << 10,
        observers: [any MetricsObserver] = []
    ) {
        self.sanitization = sanitization
        bodyLimit = max(0, maximumBodySize)
        self.observers = observers
        recorded = Locked(Ring(capacity: maximumCallCount))
    }

    /// Sends the request on, and records. Changes neither request nor response nor error.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await CallTrace.follow(request, next) { [self] call in record(call) }
    }

    /// The metrics of the calls that are kept, in the order in which they ended.
    public var calls: [CallMetrics] { recorded.withLock { $0.all.map(\.metrics) } }

    /// What is kept, as a HAR file.
    public var archive: HTTPArchive {
        let entries = recorded.withLock { $0.all.flatMap(\.entries) }
        return HTTPArchive(entries: entries.sorted { $0.startedDateTime.date < $1.startedDateTime.date })
    }

    /// What is kept, as a page.
    public func waterfall(title: String = "Network traffic") -> Waterfall { Waterfall(archive, title: title) }

    /// Forgets all.
    public func reset() { recorded.withLock { _ = $0.takeAll() } }

    private func record(_ call: CallRecord) {
        let redactor = sanitization.redactor
        let metrics = call.metrics(redactor)
        let entries = ArchiveBuilder(redactor: redactor, bodyLimit: bodyLimit).entries(for: call)
        recorded.withLock { _ = $0.append(Recorded(metrics: metrics, entries: entries)) }
        for observer in observers { observer.record(metrics) }
    }
}
