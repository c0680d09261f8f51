public import NetCore

/// An HTTP/1.1 and HTTP/2 server in the test's own process, on a loopback port that the system chooses. With a
/// ``MockCertificate`` it speaks TLS.
///
/// Use it for what only real sockets show: connections that are reused, bodies that are cut, responses that are late or never
/// come. It answers from a script, by routes, or by a closure, and records the requests.
///
/// ```swift
/// let server = try MockServer()
/// server.enqueue(.status(503), .json(user))                 // the next two requests, whatever they ask for
/// server.on(.get, "/health", .text("up"))                   // every other request to /health
/// let user: User = try await networking.request(url: server.url("/user"), retryCount: 1)
/// #expect(server.requests.count == 2)
/// await server.stop()
/// ```
///
/// A request takes the next scripted response. If there is none, a route answers it, and else the handler. The server has one
/// thread for all connections. It stops by ``stop()`` or with its last reference, so keep a reference until the test ends. A
/// handler that uses the server should capture it `weak`.
public final class MockServer: Sendable {
    /// Answers a complete request. It runs in a task of its own, which is cancelled when the client closes the connection.
    /// A thrown error becomes a 500 that describes the error.
    public typealias Handler = @Sendable (RecordedRequest) async throws -> MockResponse

    /// The TCP port on 127.0.0.1, or zero for a Unix-domain socket.
    public let port: Int
    /// `http://127.0.0.1:PORT`, or `http://localhost` for a Unix-domain socket. With a certificate, the scheme is `https`.
    public let url: URL

    private let services: LoopConnection.Services
    private let thread: LoopThread

    /// Creates and starts a server.
    ///
    /// - Parameters:
    ///   - unixSocketPath: the path of a Unix-domain socket in place of a TCP port. The file must not exist. It is removed when the server
    ///     stops.
    ///   - certificate: the certificate for TLS, or nil for plain HTTP. TLS needs OpenSSL 3 or 1.1, which is loaded on first use.
    ///   - clientCertificates: whether clients show a certificate of their own (mutual TLS), and who issues it. It needs a `certificate`.
    ///   - httpVersions: the versions of HTTP. The default is HTTP/1.1 alone. A plain server chooses by the first bytes of the
    ///     client, a server with TLS by ALPN.
    ///   - http2: the settings for HTTP/2.
    ///   - bodyLimit: the bytes of a request body to keep in ``RecordedRequest/body``.
    ///   - requestLimit: the number of requests to keep in ``requests``. The oldest are dropped first. Limit it in load tests, which
    ///     would otherwise measure the memory of the journal.
    ///   - sendsContinue: whether `Expect: 100-continue` gets a 100. If false, the client waits as long as it likes.
    ///   - handler: answers the requests that neither the script nor a route answers. The default answers 404.
    /// - Throws: ``NetTestingError`` if the system refuses a socket, the path, or the thread;
    ///   ``NetTestingError/unavailable(_:)`` if OpenSSL is missing or does not accept a certificate, if client certificates are to be
    ///   shown without TLS, and on watchOS, which blocks sockets.
    public init(
        unixSocketPath: String? = nil, certificate: MockCertificate? = nil,
        clientCertificates: MockCertificate.ClientPolicy = .notRequested, httpVersions: MockHTTPVersions = .http1Only,
        http2: MockHTTP2Settings = MockHTTP2Settings(), keepingBodiesUpTo bodyLimit: Int = 64 << 20,
        keepingRequestsUpTo requestLimit: Int = .max, sendsContinue: Bool = true,
        _ handler: @escaping Handler = { _ in .notFound }
    ) throws {
        let advice = "Answer by a mock client, or run the tests on another system."
        if let reason = SystemTraits.refusalOfSockets(for: "A mock server", advice) {
            throw NetTestingError.unavailable(reason)
        }
        if certificate == nil, clientCertificates != .notRequested {
            throw NetTestingError.unavailable("Client certificates need TLS. Give the server a certificate.")
        }
        let tls = try certificate.map { try TLSContext($0, clients: clientCertificates, versions: httpVersions) }
        let commands = try CommandQueue()
        let listener = try unixSocketPath.map(Listener.unixDomain(path:)) ?? Listener.loopback()
        let authority = unixSocketPath == nil ? "127.0.0.1:\(listener.port)" : "localhost"
        port = listener.port
        let services = LoopConnection.Services(
            dispatcher: Locked(Dispatcher(handler: handler)), commands: commands, keptBody: max(0, bodyLimit),
            keptRequests: max(0, requestLimit), sendsContinue: sendsContinue, tls: tls, versions: httpVersions,
            http2: http2.limited)
        self.services = services
        do {
            guard let url = URL(string: "\(tls == nil ? "http" : "https")://\(authority)") else {
                throw URLError(.badURL)
            }
            self.url = url
            thread = try LoopThread {
                EventLoop(listener: listener, services: services) { number, channel, now in
                    let connection = Connection(number: number, channel: channel, services: services)
                    if let fault = services.dispatcher.withLock({ $0.takeFault(at: .onAccept) }) {
                        connection.perform(fault, now: now)
                    }
                    return connection
                }.run()
            }
        } catch {
            listener.close()
            throw error
        }
    }

    deinit { end() }

    /// Returns the URL of a path on this server.
    ///
    /// - Parameter path: the path, perhaps with a query: `"/search?q=a%20b"`. Characters not allowed in a URL are percent-encoded.
    public func url(_ path: String) -> URL {
        let path = path.hasPrefix("/") ? path : "/" + path
        return URL(string: url.absoluteString + path) ?? url.appendingPathComponent(path)
    }

    // MARK: Responses

    /// Adds responses to the script. Each answers one request, whatever it asks for, in the order in which the requests' heads arrive.
    public func enqueue(_ responses: MockResponse...) { enqueue(responses) }

    /// Adds responses to the script: see ``enqueue(_:)-(MockResponse...)``.
    public func enqueue(_ responses: [MockResponse]) { services.dispatcher.withLock { $0.script += responses } }

    /// The number of scripted responses that are left.
    public var enqueuedCount: Int { services.dispatcher.withLock(\.script.count) }

    /// Answers every request with that method and path. A route of GET answers HEAD too. A path that has only other methods gets 405.
    ///
    /// - Parameters:
    ///   - method: the method, or nil for any.
    ///   - path: the percent-encoded path without the query. A `*` at the end matches any rest. If several routes match, the one added last
    ///     answers.
    ///   - response: the response.
    public func on(_ method: HTTPMethod?, _ path: String, _ response: MockResponse) {
        add(Dispatcher.Route(method: method, path: path, answer: .fixed(response)))
    }

    /// Answers every request to that path: see ``on(_:_:_:)-(HTTPMethod?,String,MockResponse)``.
    public func on(_ path: String, _ response: MockResponse) { on(nil, path, response) }

    /// Answers every request with that method and path by a closure: see ``on(_:_:_:)-(HTTPMethod?,String,MockResponse)``.
    public func on(_ method: HTTPMethod?, _ path: String, respond: @escaping Handler) {
        add(Dispatcher.Route(method: method, path: path, answer: .ask(respond)))
    }

    /// Answers every request to that path by a closure: see ``on(_:_:_:)-(HTTPMethod?,String,MockResponse)``.
    public func on(_ path: String, respond: @escaping Handler) { on(nil, path, respond: respond) }

    private func add(_ route: Dispatcher.Route) { services.dispatcher.withLock { $0.routes.append(route) } }

    /// Serves a file. The route added last answers, so call it again to change the file.
    public func on(_ path: String, _ resource: MockResource) { on(nil, path) { resource.response(to: $0) } }

    /// Answers requests with valid credentials by a closure, and all others with 401 and a challenge.
    ///
    /// - Parameters:
    ///   - path: as in ``on(_:_:_:)-(HTTPMethod?,String,MockResponse)``.
    ///   - authentication: the scheme and the credentials.
    ///   - respond: answers the requests with valid credentials.
    public func on(_ path: String, requiring authentication: MockAuthentication, respond: @escaping Handler) {
        let checker = AuthenticationChecker(authentication)
        on(nil, path) { request in
            if let challenge = checker.challenge(for: request) { return challenge }
            return try await respond(request)
        }
    }

    /// Answers requests with valid credentials: see ``on(_:requiring:respond:)``.
    public func on(_ path: String, requiring authentication: MockAuthentication, _ response: MockResponse) {
        on(path, requiring: authentication) { _ in response }
    }

    /// Redirects a path by a chain of redirects: `path` to `path/1`, that to `path/2`, and so on, and the last one to `target`.
    ///
    /// - Parameters:
    ///   - path: the first path.
    ///   - count: the number of redirects, at least one.
    ///   - target: the `Location` of the last redirect.
    ///   - status: the status code of all redirects.
    public func redirect(_ path: String, times count: Int = 1, to target: String, status: Int = 302) {
        let paths = [path] + (1..<max(1, count)).map { "\(path)/\($0)" }
        for (here, next) in zip(paths, paths.dropFirst() + [target]) { on(here, .redirect(to: next, status: status)) }
    }

    // MARK: Requests and connections

    /// The requests in the order of arrival, including incomplete ones. Malformed requests are in ``protocolErrors``.
    public var requests: [RecordedRequest] { services.journal.read { Array($0.requests) } }

    /// The number of requests received, including requests that are no longer kept.
    public var requestCount: Int { services.journal.read(\.requests.endIndex) }

    /// The reasons why requests were refused as malformed.
    public var protocolErrors: [String] { services.journal.read(\.protocolErrors) }

    /// The number of connections accepted so far.
    public var connectionCount: Int { services.journal.read(\.accepted) }

    /// The number of open connections.
    public var openConnections: Int { services.journal.read(\.open) }

    /// Returns the next request that no earlier call returned, and waits for it if necessary.
    ///
    /// - Parameter timeout: the time limit in seconds of real time.
    /// - Throws: ``NetTestingError/timedOut(seconds:)``; ``NetTestingError/stopped`` if the server is or gets stopped;
    ///   `CancellationError`.
    public func takeRequest(timeout: TimeInterval = 60) async throws -> RecordedRequest {
        try await services.journal.wait(timeout: timeout) { journal in
            if let request = journal.takeRequest() { return request }
            if journal.isStopped { throw NetTestingError.stopped }
            return nil
        }
    }

    /// Waits until at most that many connections are open, for example to see that a cancelled request closed its connection.
    /// A connection counts once the server has accepted it, so take its request first.
    ///
    /// - Parameters:
    ///   - count: the number of connections that may be open.
    ///   - timeout: the time limit in seconds of real time.
    /// - Throws: ``NetTestingError/timedOut(seconds:)``, `CancellationError`.
    public func waitForOpenConnections(atMost count: Int = 0, timeout: TimeInterval = 60) async throws {
        try await services.journal.wait(timeout: timeout) { $0.open <= count ? () : nil }
    }

    // MARK: HTTP/2

    /// The HTTP/2 connections in the order in which they were accepted, including closed ones.
    public var http2Connections: [MockHTTP2Connection] { services.journal.read(\.http2Connections) }

    /// Waits until ``http2Connections`` satisfy a condition.
    ///
    /// ```swift
    /// try await server.waitForHTTP2 { $0.contains { $0.resets.contains { $0.code == .cancel } } }
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: the time limit in seconds of real time.
    ///   - condition: called after each change.
    /// - Throws: ``NetTestingError/timedOut(seconds:)``, `CancellationError`.
    public func waitForHTTP2(
        timeout: TimeInterval = 60, _ condition: @escaping @Sendable ([MockHTTP2Connection]) -> Bool
    ) async throws {
        try await services.journal.wait(timeout: timeout) { condition($0.http2Connections) ? () : nil }
    }

    /// Sends GOAWAY on open HTTP/2 connections, idle or not. Each closes when its accepted streams are complete. With a code other
    /// than ``TransportError/HTTP2Code/noError``, it closes at once.
    ///
    /// - Parameters:
    ///   - code: the error code.
    ///   - lastStream: the last-stream-id, or nil for the last stream that the server accepted. Streams beyond it are dropped.
    ///   - connection: the number of a connection, or nil for all.
    public func goAway(_ code: TransportError.HTTP2Code = .noError, lastStream: Int? = nil, connection: Int? = nil) {
        updateHTTP2(connection) { $0.goAway(code, last: lastStream) }
    }

    /// Sends frames on open HTTP/2 connections, outside of any response. A frame whose stream is nil is sent on stream 0.
    ///
    /// - Parameters:
    ///   - frames: the frames.
    ///   - connection: the number of a connection, or nil for all.
    public func send(_ frames: [MockHTTP2Frame], connection: Int? = nil) {
        updateHTTP2(connection) { for frame in frames { $0.write(frame) } }
    }

    private func updateHTTP2(_ connection: Int?, _ change: @escaping @Sendable (HTTP2Connection) -> Void) {
        services.commands.post { loop in
            loop.update(connection) { connection in
                guard let http2 = connection as? HTTP2Connection, http2.isExchanging else { return false }
                change(http2)
                return true
            }
        }
    }

    // MARK: Stopping

    /// Closes all connections. The server goes on to accept new ones.
    public func closeConnections() { services.commands.post { $0.closeConnections() } }

    /// Closes all connections and stops. Afterwards no descriptor and no thread of the server is left. Running handlers are
    /// cancelled, but not waited for. The recorded requests stay. Later calls do nothing.
    public func stop() async { end() }

    private func end() {
        services.commands.post { $0.stop() }
        // This blocks until the loop has closed its sockets. The loop waits for no task, so it cannot hang.
        thread.join()
        // The closures may hold the server.
        services.dispatcher.withLock { $0 = Dispatcher() }
    }
}
