/// The transport of Apple's platforms, on `URLSession`. It also builds and runs on Linux, for those who bring a
/// `URLSession` of their own; the transport to prefer there is `CurlTransport`.
///
/// It sends one exchange at a time: redirects, 401 and every other status are given to the caller, nothing is cached, and
/// the body is streamed. Its timeouts are its own timers, to the millisecond on both platforms. They run from the moment a
/// request is handed over, so a request that waits for a free connection (``TransportConfiguration/Limits/connectionsPerHost``)
/// uses up its timeout meanwhile, since `URLSession` does not tell when its turn comes.
///
/// What a platform cannot do is refused with ``NetworkError/unsupported(_:)`` when something is sent, and listed in
/// ``missingCapabilities``. Some of it cannot be refused, for Foundation on Linux decides it before we are asked: a response
/// that ends inside its header section, and a redirect to `//[::1]/`, abort the process; a redirect without `Location`
/// loses its body. So talk only to servers that you trust with it there.
///
/// On Linux a request body from a stream is collected first (above 1 MiB in a file without a name) and then sent: all
/// sessions of a process share one queue there, which must not wait for a stream. A few in a hundred of the tasks that are
/// cancelled while a body arrives are leaked there, and with them their session.
///
/// `URLSession` does not say which version of HTTP a response came in until it has ended:
/// ``TransportResponse/version`` is right for ``ResponseDelivery/collected(limit:)`` on Apple's platforms, and HTTP/1.1
/// otherwise.
///
/// When the transport is released its session ends too, after what is still in flight.
public final class URLSessionTransport: ConfiguredTransport {
    package let configuration: TransportConfiguration
    package let cookies: CookieStore?
    let refusal: (any Error)?
    let addressGuard: AddressGuard?
    let sessions: SessionPool

    /// A transport with a session of its own.
    ///
    /// - Parameter configuration: what this platform cannot do is refused when something is sent.
    public init(configuration: TransportConfiguration = .init()) {
        let settings = URLSessionPlatform.sessionConfiguration(for: configuration)
        let (adapter, refusal) = URLSessionPlatform.security(for: configuration)
        self.configuration = configuration
        cookies = .make(configuration.cookies)
        do {
            addressGuard = try AddressGuard(configuration.addressPolicy)
            self.refusal = Self.refusal(of: configuration) ?? refusal
        } catch {
            addressGuard = nil
            self.refusal = error
        }
        sessions = SessionPool(SessionBox(configuration: settings, security: adapter))
    }

    /// A transport that sends as a session of yours would.
    ///
    /// A session without a delegate (`URLSession.shared` too) is rebuilt from its configuration, so its cookies, headers,
    /// protocol classes and timeouts count; its cache does not, since caching is an interceptor's work. A session with a
    /// delegate is used itself, its delegate gets what concerns the session as a whole, and shutting down this
    /// transport leaves it open.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` for a background session, and on Linux for a session with a delegate.
    public init(session: URLSession) throws {
        var configuration = TransportConfiguration()
        configuration.timeouts.idle = session.configuration.timeoutIntervalForRequest
        configuration.timeouts.total = session.configuration.timeoutIntervalForResource
        configuration.cookies = CookieStorage(of: session.configuration)
        // What the session would add is added before the cache, so that it is known whose request it is.
        for (name, value) in session.configuration.httpAdditionalHeaders ?? [:] {
            if let name = name as? String, let value = value as? String {
                configuration.additionalHeaders.add(name: name, value: value)
            }
        }
        self.configuration = configuration
        cookies = .make(configuration.cookies)
        refusal = nil
        addressGuard = nil
        sessions = SessionPool(try SessionBox(borrowing: session))
    }

    deinit {
        sessions.close()
    }

    /// What this platform's `URLSession` leaves out.
    public var missingCapabilities: [TransportCapability: String] { URLSessionPlatform.missingCapabilities }

    /// Sends one request.
    ///
    /// - Throws: ``TransportError``; `CancellationError`; ``NetworkError/unsupported(_:)`` for what this platform cannot do;
    ///   ``NetworkError/responseTooLarge(limit:)``; a ``NetworkFailure`` around ``NetworkError/pinningFailed(host:)`` with
    ///   what the trust policy threw beneath it, or around ``NetworkError/noInternetConnection``.
    public func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse
    {
        try Task.checkCancellation()
        if let refusal { throw refusal }
        try addressGuard?.check(request.url)
        var request = request
        // Cookies are the client's to add and to keep.
        request.httpShouldHandleCookies = false
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

    /// Ends what is in flight with ``TransportError/Code/shutDown``, and the session with it. A session that was given is
    /// left open.
    public func shutdown() async {
        sessions.close(stoppingWith: .shutDown)
    }
}

extension URLSessionTransport {
    /// What no `URLSession` can do, on any platform.
    private static func refusal(of configuration: TransportConfiguration) -> NetworkError? {
        let usual = TransportConfiguration()
        if configuration.unixSocketPath != nil {
            return .unsupported("URLSession cannot connect to Unix-domain sockets. On Linux, CurlTransport can.")
        }
        if !configuration.resolveOverrides.isEmpty {
            return .unsupported("URLSession cannot override name look-ups. On Linux, CurlTransport can.")
        }
        if configuration.addressPolicy.requiresPublicAddress {
            return .unsupported(
                "URLSession does not show the address to which it connects, so that addressPolicy would not be kept. On Linux, "
                    + "use CurlTransport; elsewhere, allow hosts by their names.")
        }
        if configuration.httpVersions != usual.httpVersions {
            return .unsupported("URLSession chooses the version of HTTP itself. Leave httpVersions at .automatic.")
        }
        if !configuration.decodesContent {
            return .unsupported("URLSession always decodes Content-Encoding. Leave decodesContent at true.")
        }
        if configuration.limits.idleConnections != usual.limits.idleConnections {
            return .unsupported(
                "URLSession decides itself how many idle connections it keeps: leave idleConnections alone.")
        }
        if configuration.limits.concurrentExchanges != usual.limits.concurrentExchanges {
            return .unsupported("URLSession has no limit on exchanges over all hosts: leave concurrentExchanges alone.")
        }
        // The idle timeout runs while connecting too, so a longer one for connecting is kept anyway.
        if let connect = configuration.timeouts.connect, connect > 0, connect != usual.timeouts.connect,
            connect < configuration.timeouts.idle ?? .infinity
        {
            return .unsupported(
                "URLSession has no timeout for connecting alone. Set timeouts.idle to \(connect) s or less, which bounds it "
                    + "too, or leave timeouts.connect alone.")
        }
        return URLSessionPlatform.refusal(of: configuration)
    }
}
