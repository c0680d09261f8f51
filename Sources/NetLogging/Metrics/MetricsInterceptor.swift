public import NetCore

/// Told of each call when it is over.
///
/// ```swift
/// struct SlowCalls: MetricsObserver {
///     func record(_ call: CallMetrics) {
///         if call.duration > 2 { print("\(call.id) took \(call.duration) s: \(call.exchanges)") }
///     }
/// }
/// ```
public protocol MetricsObserver: Sendable {
    /// Takes the metrics of one call. It is called where the response was read: be quick, and hand over what takes time.
    func record(_ call: CallMetrics)
}

/// Measures each call and tells observers: ``MetricsSummary``, or one of your own.
///
/// ```swift
/// let summary = MetricsSummary()
/// let client = NetworkClient(callInterceptors: [MetricsInterceptor(observers: [summary])])
/// // later
/// print(summary.total.duration.percentile(0.95) as Any)
/// ```
///
/// It belongs among `callInterceptors:`, where it sees all attempts and redirects of a call. A call whose body is read as a stream is over when the
/// stream is.
public struct MetricsInterceptor: HTTPInterceptor {
    private let observers: [any MetricsObserver]
    private let sanitization: SanitizationConfig

    /// An interceptor.
    ///
    /// - Parameters:
    ///   - observers: who is told.
    ///   - sanitization: what is left out of URLs.
    public init(observers: [any MetricsObserver], sanitization: SanitizationConfig = .default) {
        self.observers = observers
        self.sanitization = sanitization
    }

    /// Sends the request on, and measures. Changes neither request nor response nor error.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await CallTrace.follow(request, next) { [observers, sanitization] call in
            let metrics = call.metrics(sanitization.redactor)
            for observer in observers { observer.record(metrics) }
        }
    }
}
