public import CoreMetrics
public import Logging
public import NetClient
public import NetCore
public import Tracing

/// The logs, metrics and traces of a client: where they go, and their limits.
///
/// ```swift
/// var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://api.example.com"))
/// configuration.observe(with: Observability(logger: logger))
/// let client = NetworkClient(configuration: configuration)
/// ```
///
/// The defaults use the systems that the program bootstrapped: `LoggingSystem`, `MetricsSystem` and `InstrumentationSystem`. Metrics and
/// traces that are not bootstrapped when a request is sent are left out. README.md says what each costs.
///
/// Nothing secret leaves: URLs are redacted as in the descriptions of errors, no header field is shown, and errors are shown by their
/// secret-free descriptions.
public struct Observability: Sendable {
    /// The destination of metrics.
    public enum MetricsDestination: Sendable {
        /// The factory of `MetricsSystem`, from the first request after it was bootstrapped.
        case system
        case factory(any MetricsFactory)
        case off
    }

    /// The source of spans, and of the header fields that carry the trace to the server.
    public enum TracerSource: Sendable {
        /// The tracer of `InstrumentationSystem` at the time of the call, which `withTracer` may replace.
        case system
        case tracer(any Tracer)
        case off
    }

    /// Logs the end of each call, and at the level `debug` each attempt. Nil logs nothing.
    ///
    /// The level is `error` for a failure and a status from 500, `warning` for a status from 400, and `info` otherwise, also for a
    /// cancelled call.
    public var logger: Logging.Logger?
    /// The destination of metrics.
    public var metrics: MetricsDestination
    /// The source of spans.
    public var tracer: TracerSource

    /// The most servers (scheme, host and port) that get their own `server.address` in metrics, 100 by default; at least 0. Further servers
    /// share the value `_OTHER`, so that labels do not grow with URLs.
    public var maximumServers = 100
    /// The most URL templates in metrics and names of spans, 200 by default; at least 0. Further templates share the value `_OTHER`.
    public var maximumTemplates = 200
    /// Returns the template of a request's path, such as `/users/{id}`, or nil if it is not known. It names spans and becomes `url.template`.
    /// ``RequestContext/urlTemplate`` of a call wins. Called once for each call and redirect.
    ///
    /// A template must not contain values. Nil, the default, knows no templates.
    public var urlTemplate: (@Sendable (URLRequest) -> String?)?
    /// The servers that receive the trace and its baggage. The default is the origin of the call: a redirect to another origin does not
    /// carry them there, as with `TracePropagationInterceptor`.
    public var propagation = TracePropagationInterceptor.Scope.callOrigin

    /// Creates the settings.
    ///
    /// - Parameters:
    ///   - logger: logs the end of each call; nil logs nothing.
    ///   - metrics: the destination of metrics.
    ///   - tracer: the source of spans.
    public init(
        logger: Logging.Logger? = Logging.Logger(label: "networking"), metrics: MetricsDestination = .system,
        tracer: TracerSource = .system
    ) {
        self.logger = logger
        self.metrics = metrics
        self.tracer = tracer
    }
}

extension NetworkClient.Configuration {
    /// Logs, measures and traces the calls of clients with this configuration. A second call replaces the first.
    ///
    /// It adds two interceptors: the first of ``callInterceptors``, so that a call includes its redirects, retries and cache; and the last
    /// of ``interceptors``, so that each request that is really sent is measured, with what the other interceptors added. Call it after
    /// you have set both lists: an interceptor that is appended later is measured as part of the attempt.
    ///
    /// - Parameter observability: the destinations and limits. The default uses what the program bootstrapped.
    public mutating func observe(with observability: Observability = Observability()) {
        callInterceptors.removeAll { $0 is CallObservation }
        interceptors.removeAll { $0 is ExchangeObservation }
        let observation = Observation(observability)
        callInterceptors.insert(CallObservation(observation: observation), at: 0)
        interceptors.append(ExchangeObservation(observation: observation))
    }
}

extension NetworkClient {
    /// Returns a client that logs, measures and traces its calls: see ``NetworkClient/Configuration/observe(with:)``. It shares transport,
    /// cookies and cache with this one.
    ///
    /// - Parameter observability: the destinations and limits.
    public func observed(with observability: Observability = Observability()) -> NetworkClient {
        with { $0.observe(with: observability) }
    }
}

extension RequestContext {
    /// The template of the call's path, such as `/users/{id}`, for metrics and names of spans; nil if it is not known. It must not contain
    /// values. After a redirect, ``Observability/urlTemplate`` is asked instead.
    public var urlTemplate: String? {
        get { self[URLTemplateKey.self] }
        set { self[URLTemplateKey.self] = newValue }
    }
}

private enum URLTemplateKey: RequestContext.Key {
    static let defaultValue: String? = nil
}
