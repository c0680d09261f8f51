/// What a check works with: transports, servers, and a way to say what it expects.
struct ConformanceBench: Sendable {
    let makeTransport: @Sendable (TransportConfiguration) throws -> any HTTPTransport
    let servers: ConformanceServers
    /// With one, the servers speak HTTP/2 and nothing else.
    var certificate: MockCertificate?

    /// Longer than anything on loopback takes, so that a hang fails the check and a busy machine does not.
    static let patience: TimeInterval = 20

    /// A new transport.
    func transport(_ edit: (inout TransportConfiguration) -> Void = { _ in }) throws -> any HTTPTransport {
        var configuration = TransportConfiguration()
        configuration.proxy = .none
        if let certificate { configuration.certificateAuthorities = .only(pem: certificate.authority) }
        edit(&configuration)
        return try makeTransport(configuration)
    }

    /// Runs a body with a server of its own, and ends the server.
    func withServer<Result: Sendable>(_ body: (MockServer) async throws -> Result) async throws -> Result {
        let server = try MockServer(
            certificate: certificate, httpVersions: certificate == nil ? .http1Only : .http2Only)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// A request with a timeout that ends a hang.
    func request(_ url: URL, _ method: HTTPMethod = .get, headers: HTTPHeaders = HTTPHeaders()) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        request.timeoutInterval = Self.patience
        if !headers.isEmpty { request.allHTTPHeaderFields = headers.dictionary }
        return request
    }

    /// Sends and collects.
    func collect(
        _ request: URLRequest, body: HTTPBody? = nil, over transport: any HTTPTransport, limit: Int = 64 << 20
    ) async throws -> (response: TransportResponse, data: Data) {
        var context = RequestContext()
        context.delivery = .collected(limit: limit)
        let response = try await transport.send(request, body: body, context: context)
        return (response, try await response.body.collect(upTo: limit))
    }

    /// The error of a request that has to fail.
    func failure(
        of request: URLRequest, body: HTTPBody? = nil, over transport: any HTTPTransport,
        context: RequestContext = RequestContext()
    ) async throws -> any Error {
        do {
            let response = try await transport.send(request, body: body, context: context)
            for try await _ in response.body {}
            throw ConformanceFailure("it succeeded with status \(response.status)")
        } catch let failure as ConformanceFailure {
            throw failure
        } catch {
            return error
        }
    }

    /// Demands a ``TransportError`` with one of these codes, and with the URL.
    func expectFailure(
        _ codes: TransportError.Code..., of request: URLRequest, body: HTTPBody? = nil,
        over transport: any HTTPTransport, context: RequestContext = RequestContext()
    ) async throws {
        let error = try await failure(of: request, body: body, over: transport, context: context)
        guard let found = error as? TransportError else {
            throw ConformanceFailure("expected TransportError \(codes.map(\.rawValue)), got \(error)")
        }
        try expect(codes.contains(found.code), "expected \(codes.map(\.rawValue)), got \(found)")
        // A body cannot know whose it is; the pipeline adds the URL to its error.
        try expect(found.url != nil || found.code == .requestBodyFailed, "the error names no URL: \(found)")
    }

    /// Demands something.
    func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        if !condition { throw ConformanceFailure(message()) }
    }

    /// Demands that two values are equal.
    func expect<Value: Equatable>(_ found: Value, equals expected: Value, _ what: String) throws {
        try expect(found == expected, "\(what): expected \(expected), got \(found)")
    }

    /// Waits until something is true, by looking again and again: for what happens on another thread.
    func eventually(_ what: String, _ condition: () async -> Bool) async throws {
        for _ in 0..<Int(Self.patience * 100) {
            if await condition() { return }
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        throw ConformanceFailure("it never came to this: \(what)")
    }

    /// A server that was given, or the reason to leave the check out.
    func need<Server>(_ server: Server?, _ name: String) throws -> Server {
        guard let server else { throw MissingServer(reason: "no ConformanceServers.\(name) was given") }
        return server
    }
}
