import NetCore

/// Runs an operation that many times at once. The first error cancels the others.
func atOnce(_ count: Int, _ run: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count { group.addTask { try await run(number) } }
        for try await _ in group {}
    }
}

/// The transports, servers and expectations of a check.
struct TransportFixture: Sendable {
    let makeTransport: @Sendable (TransportConfiguration) throws -> any HTTPTransport
    let servers: ConformanceServers
    /// The certificate with which the servers speak HTTP/2 only; nil for HTTP/1.1.
    var certificate: MockCertificate?
    /// The URL of the check's own server.
    var serverURL: URL?

    /// The time limit in seconds. A hang exceeds it, and a busy machine does not.
    private static let timeLimit: TimeInterval = 20

    /// Returns a new transport.
    func transport(_ edit: (inout TransportConfiguration) -> Void = { _ in }) throws -> any HTTPTransport {
        var configuration = TransportConfiguration()
        configuration.proxy = .none
        if let certificate { configuration.certificateAuthorities = .only(pem: certificate.authority) }
        edit(&configuration)
        return try makeTransport(configuration)
    }

    /// Returns a new transport that trusts the authority of ``servers``.
    func trustingTransport(_ edit: (inout TransportConfiguration) -> Void = { _ in }) throws -> any HTTPTransport {
        let authority = try need(servers.authority, "authority")
        return try transport {
            $0.certificateAuthorities = .only(pem: authority)
            edit(&$0)
        }
    }

    /// Runs a body with a new server, to which requests without a URL go.
    func withServer(_ body: (TransportFixture, MockServer) async throws -> Void) async throws {
        let server = try MockServer(
            certificate: certificate, httpVersions: certificate == nil ? .http1Only : .http2Only)
        var test = self
        test.serverURL = server.url
        do {
            try await body(test, server)
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Returns a server's URL of a small file, or throws if the server was not given.
    func smallFile(_ server: URL?, _ name: String) throws -> URL {
        try need(server, name).appendingPathComponent("small")
    }

    /// Expects the small file of a server that was given.
    func expectSmallFile(_ url: URL, over transport: any HTTPTransport) async throws {
        let (response, data) = try await collect(request(url), over: transport)
        try expect(response.status, equals: 200, "status")
        try expect(response.headers["Content-Length"], equals: "\(data.count)", "Content-Length")
    }

    /// Returns a server that was given. If it was not, the check is left out.
    func need<Server>(_ server: Server?, _ name: String) throws -> Server {
        guard let server else { throw MissingServer(reason: "no ConformanceServers.\(name) was given") }
        return server
    }

    func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw NetworkError.invalidURL }
        return url
    }

    /// Returns a request whose timeout ends a hang.
    func request(_ url: URL, _ method: HTTPMethod = .get) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        request.timeoutInterval = Self.timeLimit
        return request
    }

    /// Sends a request, by default GET to the check's own server over a new transport, and returns when the head of the response is there.
    func send(
        _ request: URLRequest? = nil, body: HTTPBody? = nil, over transport: (any HTTPTransport)? = nil,
        context: RequestContext = RequestContext()
    ) async throws -> TransportResponse {
        guard let request = request ?? serverURL.map({ self.request($0) }) else {
            throw ConformanceFailure("the check has no server")
        }
        return try await (transport ?? self.transport()).send(request, body: body, context: context)
    }

    /// Sends a request and collects the response.
    func collect(
        _ request: URLRequest? = nil, body: HTTPBody? = nil, over transport: (any HTTPTransport)? = nil,
        limit: Int = 64 << 20, progress: (@Sendable (RequestContext.Progress) -> Void)? = nil
    ) async throws -> (response: TransportResponse, data: Data) {
        let transport = try transport ?? self.transport()
        // Until the body is read.
        defer { withExtendedLifetime(transport) {} }
        var context = RequestContext()
        context.delivery = .collected(limit: limit)
        context.progress = progress
        let response = try await send(request, body: body, over: transport, context: context)
        return (response, try await response.body.collect(upTo: limit))
    }

    /// Sends a request, and expects a response with this status.
    @discardableResult
    func expectStatus(
        _ status: Int, of request: URLRequest? = nil, body: HTTPBody? = nil, over transport: (any HTTPTransport)? = nil
    ) async throws -> TransportResponse {
        let response = try await collect(request, body: body, over: transport).response
        try expect(response.status, equals: status, "status")
        return response
    }

    /// Sends a request, and expects a response with this text.
    func expectText(
        _ text: String, of request: URLRequest? = nil, over transport: (any HTTPTransport)? = nil
    ) async throws {
        let data = try await collect(request, over: transport).data
        try expect(String(decoding: data, as: UTF8.self), equals: text, "body")
    }

    /// Checks what a busy machine may spoil: up to five times, until it does not fail.
    func upToFiveTimes(_ check: () async throws -> Void) async throws {
        for _ in 1..<5 where (try? await check()) != nil { return }
        try await check()
    }

    /// Sends a request that must fail, and returns its error.
    func failure(
        of request: URLRequest? = nil, body: HTTPBody? = nil, over transport: (any HTTPTransport)? = nil,
        context: RequestContext = RequestContext()
    ) async throws -> any Error {
        let transport = try transport ?? self.transport()
        defer { withExtendedLifetime(transport) {} }
        do {
            let response = try await send(request, body: body, over: transport, context: context)
            for try await _ in response.body {}
            throw ConformanceFailure("it succeeded with status \(response.status)")
        } catch let error where !(error is ConformanceFailure) {
            return error
        }
    }

    /// Expects a ``TransportError`` with one of these codes, and with the URL.
    func expectFailure(
        _ codes: TransportError.Code..., of request: URLRequest? = nil, body: HTTPBody? = nil,
        over transport: (any HTTPTransport)? = nil, context: RequestContext = RequestContext()
    ) async throws {
        let error = try await failure(of: request, body: body, over: transport, context: context)
        guard let found = error as? TransportError else {
            throw ConformanceFailure("expected TransportError \(codes.map(\.rawValue)), got \(error)")
        }
        try expect(codes.contains(found.code), "expected \(codes.map(\.rawValue)), got \(found)")
        // A body does not know its URL. The pipeline adds it to the error.
        try expect(found.url != nil || found.code == .requestBodyFailed, "the error names no URL: \(found)")
    }

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        if !condition { throw ConformanceFailure(message()) }
    }

    func expect<Value: Equatable>(_ found: Value, equals expected: Value, _ what: String) throws {
        try expect(found == expected, "\(what): expected \(expected), got \(found)")
    }

    /// Polls until a condition is true, for events of another thread.
    func eventually(_ what: String, _ condition: () async -> Bool) async throws {
        for _ in 0..<Int(Self.timeLimit * 100) {
            if await condition() { return }
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        throw ConformanceFailure("it never happened: \(what)")
    }
}
