public import NetCore

/// A real HTTP/1.1 and HTTP/2 server in the test's own process, on a loopback port that the system chooses, with TLS if it gets a
/// ``MockCertificate``.
///
/// What a client does with real sockets, a mock of the client cannot show: connections that are reused, bodies that are cut,
/// answers that come late or never. It is scripted, routed, or answers by a closure; it records what it received.
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
/// Each request takes the next scripted response; if there is none, a route; then the handler. The server has one thread,
/// however many connections there are. It stops by ``stop()`` or with its last reference, so keep one until the test is over;
/// a handler that uses the server should capture it `weak`.
public final class MockServer: Sendable {
    /// Answers a request when all of it is there. It runs in a task of its own, which is cancelled when the client goes away.
    /// A thrown error becomes a 500 that tells it.
    public typealias Handler = @Sendable (RecordedRequest) async throws -> MockResponse

    /// The TCP port on 127.0.0.1; zero if it listens on a Unix-domain socket.
    public let port: Int
    /// `http://127.0.0.1:PORT`, or `http://localhost` for a Unix-domain socket, whose path the client has to know. With a certificate,
    /// `https`.
    public let url: URL

    private let dispatcher: Dispatcher
    let journal: Watched<Journal>
    let mailbox: Mailbox
    private let thread: LoopThread

    /// Listens and starts.
    ///
    /// - Parameters:
    ///   - unixSocketPath: listens on a Unix-domain socket at that path, which must not exist yet, instead of a TCP port. The
    ///     file is removed when the server stops.
    ///   - certificate: speaks TLS, by OpenSSL 3 or 1.1, which is loaded when it is first needed. Nil for plain HTTP.
    ///   - httpVersions: the versions of HTTP. The default is HTTP/1.1 alone. A plain server chooses by the first bytes of the client, a
    ///     server with TLS by ALPN.
    ///   - http2: how it speaks HTTP/2.
    ///   - bodyLimit: the bytes of a request body that are kept in ``RecordedRequest/body``.
    ///   - requestLimit: the requests that are kept in ``requests``; the oldest are dropped first. For load tests, which
    ///     would otherwise measure the memory of the journal.
    ///   - sendsContinue: whether `Expect: 100-continue` gets its 100. With false, the client waits as long as it likes.
    ///   - handler: answers what no script and no route does. 404 by default.
    /// - Throws: ``NetTestingError`` if the system refuses a socket, the path, or the thread;
    ///   ``NetTestingError/unavailable(_:)`` if there is no OpenSSL, or it does not take the certificate, and on watchOS, which blocks
    ///   sockets.
    public init(
        unixSocketPath: String? = nil,
        certificate: MockCertificate? = nil,
        httpVersions: MockHTTPVersions = .http1Only,
        http2: MockHTTP2Settings = MockHTTP2Settings(),
        keepingBodiesUpTo bodyLimit: Int = 64 << 20,
        keepingRequestsUpTo requestLimit: Int = .max,
        sendsContinue: Bool = true,
        _ handler: @escaping Handler = { _ in .notFound }
    ) throws {
        let advice = "Answer by a mock client, or run the tests on another system."
        if let reason = SystemTraits.refusalOfSockets(for: "A mock server", advice) {
            throw NetTestingError.unavailable(reason)
        }
        let tls = try certificate.map { try TLSContext($0, versions: httpVersions) }
        let listener = try unixSocketPath.map(Listener.unixDomain(path:)) ?? Listener.loopback()
        let authority = unixSocketPath == nil ? "127.0.0.1:\(listener.port)" : "localhost"
        port = listener.port
        dispatcher = Dispatcher(handler: handler)
        journal = Watched(Journal())
        do {
            guard let url = URL(string: "\(tls == nil ? "http" : "https")://\(authority)") else {
                throw URLError(.badURL)
            }
            self.url = url
            mailbox = try Mailbox()
        } catch {
            listener.close()
            throw error
        }
        let services = Connection.Services(
            dispatcher: dispatcher, journal: journal, mailbox: mailbox, keptBody: max(0, bodyLimit),
            keptRequests: max(0, requestLimit), sendsContinue: sendsContinue, tls: tls,
            versions: httpVersions, http2: http2.limited
        )
        do {
            thread = try LoopThread { EventLoop(listener: listener, services: services).run() }
        } catch {
            listener.close()
            mailbox.close()
            throw error
        }
    }

    deinit {
        end()
    }

    /// The URL of a path on this server.
    ///
    /// - Parameter path: what follows the authority, with its query: `"/search?q=a%20b"`. What is not allowed in a URL is
    ///   percent-encoded.
    public func url(_ path: String) -> URL {
        let path = path.hasPrefix("/") ? path : "/" + path
        return URL(string: url.absoluteString + path) ?? url.appendingPathComponent(path)
    }

    // MARK: What it answers

    /// Adds responses to the script: each is the answer to one request, in the order in which their header fields arrive,
    /// whatever they ask for.
    public func enqueue(_ responses: MockResponse...) {
        dispatcher.enqueue(responses)
    }

    /// Adds responses to the script: see ``enqueue(_:)-(MockResponse...)``.
    public func enqueue(_ responses: [MockResponse]) {
        dispatcher.enqueue(responses)
    }

    /// How many scripted responses no request has taken yet.
    public var enqueuedCount: Int { dispatcher.scriptedCount }

    /// Answers every request with that method and path. A route of GET answers HEAD too; a path that is known only with other
    /// methods gives 405.
    ///
    /// - Parameters:
    ///   - method: nil for any.
    ///   - path: compared with the percent-encoded path of the request, without its query. With a `*` at its end it stands
    ///     for all paths that begin so. Of several routes that match, the one added last answers.
    ///   - response: the answer.
    public func on(_ method: HTTPMethod?, _ path: String, _ response: MockResponse) {
        dispatcher.add(Dispatcher.Route(method: method, path: path, answer: .fixed(response)))
    }

    /// Answers every request to that path: see ``on(_:_:_:)-(HTTPMethod?,String,MockResponse)``.
    public func on(_ path: String, _ response: MockResponse) {
        on(nil, path, response)
    }

    /// Answers every request with that method and path by a closure: see ``on(_:_:_:)-(HTTPMethod?,String,MockResponse)``.
    public func on(_ method: HTTPMethod?, _ path: String, respond: @escaping Handler) {
        dispatcher.add(Dispatcher.Route(method: method, path: path, answer: .ask(respond)))
    }

    /// Answers every request to that path by a closure: see ``on(_:_:_:)-(HTTPMethod?,String,MockResponse)``.
    public func on(_ path: String, respond: @escaping Handler) {
        on(nil, path, respond: respond)
    }

    // MARK: What it has seen

    /// The requests in the order in which they were received, the cut ones too. Malformed ones are in ``protocolErrors``.
    public var requests: [RecordedRequest] { journal.read { Array($0.requests) } }

    /// How many requests were received, also those that are not kept any more.
    public var requestCount: Int { journal.read(\.requests.endIndex) }

    /// Why requests were refused as malformed. Empty, if the client is right.
    public var protocolErrors: [String] { journal.read(\.protocolErrors) }

    /// The connections that were accepted so far.
    public var connectionCount: Int { journal.read(\.accepted) }

    /// The connections that are open now.
    public var openConnections: Int { journal.read(\.open) }

    /// The next request that was not taken by this method before; waits for it if need be. Each request is given once.
    ///
    /// - Parameter timeout: how long to wait, in seconds of real time.
    /// - Throws: ``NetTestingError/timedOut(seconds:)``; ``NetTestingError/stopped`` if the server is or gets stopped;
    ///   `CancellationError`.
    public func takeRequest(timeout: TimeInterval = 60) async throws -> RecordedRequest {
        try await journal.wait(timeout: timeout) { journal in
            if let request = journal.takeRequest() { return request }
            if journal.isStopped { throw NetTestingError.stopped }
            return nil
        }
    }

    /// Waits until no more than that many connections are open: what a test does to see that a cancelled request closed its own.
    /// A connection counts once the server has accepted it: take its request first.
    ///
    /// - Parameters:
    ///   - count: how many may be open.
    ///   - timeout: how long to wait, in seconds of real time.
    /// - Throws: ``NetTestingError/timedOut(seconds:)``, `CancellationError`.
    public func waitForOpenConnections(atMost count: Int = 0, timeout: TimeInterval = 60) async throws {
        try await journal.wait(timeout: timeout) { $0.open <= count ? () : nil }
    }

    // MARK: Its end

    /// Closes all connections, idle or not. New ones are welcome.
    public func closeConnections() {
        mailbox.post(.closeConnections)
    }

    /// Closes everything: when it returns, no descriptor and no thread of the server is left, and handlers that still run are
    /// cancelled, but not waited for. What was recorded stays. Twice is fine.
    public func stop() async {
        end()
    }

    private func end() {
        mailbox.post(.stop)
        // It blocks for as long as the loop needs to close its sockets; the loop waits for no task, so this cannot hang.
        thread.join()
        dispatcher.clear()
    }
}
