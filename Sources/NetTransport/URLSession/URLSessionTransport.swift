/// The transport for Apple's platforms, on `URLSession`. It also runs on Linux, for a `URLSession` of the caller; otherwise use
/// `CurlTransport` there.
///
/// It sends one exchange: the caller gets redirects, 401 and every other status, nothing is cached, and the body is streamed. Its time limits
/// are exact to the millisecond on both platforms. They start with the call, so they also run while a request waits for a free
/// connection (``TransportConfiguration/Limits/connectionsPerHost``), which `URLSession` does not report.
///
/// Settings that the platform lacks are refused with ``NetworkError/unsupported(_:)`` when a request is sent, and listed in ``missingCapabilities``.
/// Some faults of Foundation on Linux cannot be refused: a response that ends inside its header section, one with trailers, and a redirect to
/// `//[::1]/` abort the process, and a redirect without `Location` loses its body. So send requests only to trusted servers there.
///
/// On Linux a request body from a stream is collected before it is sent (above 1 MiB in a file without a name), because all sessions of a
/// process share one queue, which must not wait for a stream. A few percent of the tasks that are cancelled while a body is received leak
/// there, with their session.
///
/// `URLSession` reports the version of HTTP only at the end of a response: ``TransportResponse/version`` is right for
/// ``RequestContext/Delivery/collected(limit:)`` on Apple's platforms, and HTTP/1.1 otherwise.
///
/// Releasing the transport ends its session, after the exchanges in flight.
public final class URLSessionTransport: ConfiguredTransport {
    package let configuration: TransportConfiguration
    package let clientState = ClientState()
    package let isPlatformDefault: Bool
    package var keepsDeadlines: Bool { false }
    /// Why every request is refused; nil if none is.
    let refusal: (any Error)?
    /// The part of ``refusal`` that other settings do not cure.
    private let lastingRefusal: NetworkError?
    let addressGuard: AddressGuard?
    let sessions: SessionBox
    /// Whether it was made from a session of the caller.
    private let isLent: Bool

    /// Creates a transport with a session of its own.
    ///
    /// - Parameter configuration: if this platform lacks a setting, each request is refused.
    public convenience init(configuration: TransportConfiguration = .init()) {
        self.init(configuration, refusal: nil, isPlatformDefault: false)
    }

    /// - Parameter refusal: the error of every request; nil to find out from the configuration.
    init(_ configuration: TransportConfiguration, refusal known: NetworkError?, isPlatformDefault: Bool) {
        self.configuration = configuration
        self.isPlatformDefault = isPlatformDefault
        lastingRefusal = known
        isLent = false
        var (addressGuard, security, refusal) = (AddressGuard?.none, SecurityAdapter(), known as (any Error)?)
        do {
            addressGuard = try AddressGuard(configuration.addressPolicy)
            if let refusal = Self.refusal(of: configuration) { throw refusal }
            security = try SecurityAdapter(configuration)
        } catch {
            refusal = known ?? error
        }
        (self.addressGuard, self.refusal) = (addressGuard, refusal)
        // Ephemeral: cookies, cache and credentials are its own, and in memory only.
        let session = URLSessionConfiguration.ephemeral
        session.removeCookies()
        session.httpMaximumConnectionsPerHost = max(1, configuration.limits.connectionsPerHost)
        URLSessionPlatform.apply(configuration, to: session)
        sessions = SessionBox(configuration: session, security: security)
    }

    /// Creates a transport that sends as a session of yours does.
    ///
    /// A session without a delegate (also `URLSession.shared`) is rebuilt from its configuration. Its cookies, headers, protocol classes and
    /// timeouts apply; its cache does not, since an interceptor caches. A session with a delegate is used itself: its delegate answers
    /// all challenges, and receives the metrics, the progress, the data and the end of each task. It is not asked about redirects, responses,
    /// bodies and the URL cache, which this transport decides. Shutting down this transport leaves the session open.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` for a background session, and on Linux for a session with a delegate.
    public init(session: URLSession) throws(NetworkError) {
        var configuration = TransportConfiguration()
        configuration.timeouts.idle = session.configuration.timeoutIntervalForRequest
        configuration.timeouts.total = session.configuration.timeoutIntervalForResource
        configuration.cookies = TransportConfiguration.CookieStorage(of: session.configuration)
        // The client adds these fields before the cache, as they are part of the request's identity.
        for (name, value) in session.configuration.httpAdditionalHeaders ?? [:] {
            if let name = name as? String, let value = value as? String {
                configuration.additionalHeaders.add(name: name, value: value)
            }
        }
        self.configuration = configuration
        (refusal, lastingRefusal) = (nil, nil)
        addressGuard = nil
        isPlatformDefault = false
        isLent = true
        sessions = try SessionBox(borrowing: session)
    }

    deinit { sessions.close(stopsExchanges: false) }

    /// The capabilities that this platform's `URLSession` lacks.
    public var missingCapabilities: [TransportConfiguration.Capability: String] { Self.missing }

    /// Sends one request.
    ///
    /// - Throws: ``TransportError``; `CancellationError`; ``NetworkError/unsupported(_:)`` for what this platform lacks;
    ///   ``NetworkError/responseTooLarge(limit:)``; a ``NetworkFailure`` with the cause ``NetworkError/pinningFailed(host:)`` and the trust
    ///   policy's error as the underlying error, or with the cause ``NetworkError/noInternetConnection``.
    public func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse
    {
        try Task.checkCancellation()
        try check(request, context)
        sessions.announce(in: context)
        var request = request
        // The client adds and keeps cookies.
        request.httpShouldHandleCookies = false
        if configuration.httpVersions == .http3Preferred { URLSessionPlatform.preferHTTP3(&request) }
        let upload = try Upload(body, of: request)
        let prepared = upload.prepare(request)
        let exchange = Exchange(request, upload: upload, configuration: configuration, context: context)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                exchange.deliver(to: waiter)
                sessions.begin(exchange, request: prepared, upload: upload)
            }
        } onCancel: {
            exchange.stop(CancellationError())
        }
    }

    /// Throws what the transport refuses before anything is opened.
    func check(_ request: URLRequest, _ context: RequestContext) throws {
        if let refusal { throw refusal }
        try addressGuard?.check(request.url)
        if request.url?.hasUnixSocketScheme == true { throw Self.unixSocketRefusal }
        guard context.hasOptions, context.options.connectTimeout != nil else { return }
        throw NetworkError.unsupported(
            "URLSession has no timeout for connecting alone. Leave the call's connectTimeout alone; its timeoutInterval bounds "
                + "connecting too.")
    }

    package func with(_ configuration: TransportConfiguration) throws -> any ConfiguredTransport {
        guard !isLent else {
            throw NetworkError.unsupported(
                "A transport that was made from a URLSession cannot change its trust for one call. Use .platform(configuration)."
            )
        }
        return URLSessionTransport(configuration, refusal: lastingRefusal, isPlatformDefault: false)
    }

    package func cancel(_ group: ObjectIdentifier) { sessions.cancel(group) }

    /// Ends all exchanges with ``TransportError/Code/shutDown``, and the session. A session of the caller stays open.
    public func shutdown() async { sessions.close(stopsExchanges: true) }
}

extension URLSessionTransport {
    private static let missing = URLSessionPlatform.missingCapabilities.merging([
        .connectTimeout: "URLSession has no timeout for connecting alone; the idle timeout bounds it.",
        .decompression: "URLSession always decodes gzip, deflate and br; it cannot be switched off.",
        .unixSocket: "URLSession cannot connect to Unix-domain sockets.",
        .resolveOverride: "URLSession cannot override name look-ups.",
        .resolver: "URLSession cannot override name look-ups.",
        .dnsOverHTTPS: "URLSession looks up names as the system does, which decides about DNS over HTTPS.",
        .addressFamily: "URLSession chooses between IPv4 and IPv6 itself.",
        .localAddress: "URLSession leaves the local address to the system.",
        .http2PriorKnowledge: "URLSession speaks HTTP/2 by ALPN only.",
        .http3: "URLSession cannot require HTTP/3. On Apple platforms, .http3Preferred asks for it.",
        .addressPolicy: "URLSession does not report the address to which it connects; lists of hosts are enforced.",
    ]) { platform, _ in platform }

    private static let unixSocketRefusal = NetworkError.unsupported(
        "URLSession cannot connect to Unix-domain sockets. On Linux, CurlTransport can.")

    /// The error for settings that no platform's `URLSession` has.
    private static func refusal(of configuration: TransportConfiguration) -> NetworkError? {
        let usual = TransportConfiguration()
        if configuration.unixSocketPath != nil { return unixSocketRefusal }
        let connections: [(TransportConfiguration.Capability, Bool)] = [
            (.resolveOverride, !configuration.resolveOverrides.isEmpty), (.resolver, configuration.resolver != nil),
            (.dnsOverHTTPS, configuration.dnsOverHTTPS != nil),
            (.addressFamily, configuration.addressFamily != .any), (.localAddress, configuration.localAddress != nil),
            (.http2PriorKnowledge, configuration.httpVersions == .http2PriorKnowledge),
            (.http3, configuration.httpVersions == .http3Only),
        ]
        if let (capability, _) = connections.first(where: \.1) {
            return .unsupported("\(missing[capability] ?? "") On Linux, use CurlTransport.")
        }
        let prefersHTTP3 = configuration.httpVersions == .http3Preferred && URLSessionPlatform.canPreferHTTP3
        let limits = configuration.limits
        let (connect, idle) = (configuration.timeouts.connect ?? 0, configuration.timeouts.idle ?? .infinity)
        // The idle timeout also runs while connecting, so it enforces a longer timeout for connecting.
        let isShort = connect > 0 && connect != usual.timeouts.connect && connect < idle
        let text: String? =
            if configuration.addressPolicy.requiresPublicAddress {
                "URLSession does not report the address to which it connects, so addressPolicy cannot be enforced. On Linux, "
                    + "use CurlTransport; elsewhere, allow hosts by their names."
            } else if configuration.httpVersions != usual.httpVersions, !prefersHTTP3 {
                "URLSession chooses the version of HTTP itself. Leave httpVersions at .automatic."
            } else if !configuration.decodesContent {
                "URLSession always decodes Content-Encoding. Leave decodesContent at true."
            } else if limits.idleConnections != usual.limits.idleConnections {
                "URLSession decides how many idle connections it keeps. Leave idleConnections alone."
            } else if limits.concurrentExchanges != usual.limits.concurrentExchanges {
                "URLSession has no limit on exchanges over all hosts. Leave concurrentExchanges alone."
            } else if isShort {
                "URLSession has no timeout for connecting alone. Set timeouts.idle to \(connect) s or less, which bounds it "
                    + "too, or leave timeouts.connect alone."
            } else {
                nil
            }
        return text.map(NetworkError.unsupported) ?? URLSessionPlatform.refusal(of: configuration)
    }
}
