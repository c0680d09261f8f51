import NetTesting
import TestLab
import Testing

extension HTTPTransport {
    /// Sends, and returns the response with its whole body, or with one that is to be read.
    func response(
        _ url: URL, _ method: String = "GET", headers: [String: String] = [:], body: HTTPBody? = nil,
        streamed: Bool = false, context: RequestContext = RequestContext()
    ) async throws -> TransportResponse {
        var context = context
        context.delivery = streamed ? .streamed : .collected(limit: 1 << 26)
        return try await send(URLRequest(url, method, headers: headers), body: body, context: context)
    }

    /// Sends, and returns a response whose body is to be read.
    func stream(_ url: URL) async throws -> TransportResponse { try await response(url, streamed: true) }

    /// Sends, and reads the whole response.
    func fetch(
        _ url: URL, _ method: String = "GET", headers: [String: String] = [:], body: HTTPBody? = nil,
        streamed: Bool = false, context: RequestContext = RequestContext()
    ) async throws -> (status: Int, headers: HTTPHeaders, body: Data) {
        let reply = try await response(url, method, headers: headers, body: body, streamed: streamed, context: context)
        return (reply.status, reply.headers, try await reply.body.collect(upTo: 1 << 26))
    }

    /// The error that sending and reading ends with.
    func failure(
        _ url: URL, _ method: String = "GET", body: HTTPBody? = nil, streamed: Bool = false,
        context: RequestContext = RequestContext()
    ) async throws -> any Error {
        let status: Int
        do {
            status = try await fetch(url, method, body: body, streamed: streamed, context: context).status
        } catch { return error }
        throw LabError("The response has the status \(status).")
    }

    /// Expects that sending and reading ends with a transport error that has one of these codes. Nil if the error is another one.
    @discardableResult
    func expectFailure(
        _ codes: TransportError.Code..., phase: TransportError.Phase? = nil, of url: URL, _ method: String = "GET",
        body: HTTPBody? = nil, streamed: Bool = false, context: RequestContext = RequestContext(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TransportError? {
        let error = try await failure(url, method, body: body, streamed: streamed, context: context)
        let found = error as? TransportError
        #expect(found.map { codes.contains($0.code) } == true, "\(error)", sourceLocation: sourceLocation)
        if let phase { #expect(found?.phase == phase, "\(error)", sourceLocation: sourceLocation) }
        return found
    }

    /// Sends a request to each URL at the same time, and expects that all succeed.
    func fetchAtOnce(_ urls: [URL]) async throws {
        let statuses = try await atOnce(urls.count) { try await fetch(urls[$0]).status }
        #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
    }
}

extension RequestContext {
    init(_ change: (inout RequestContext) -> Void) {
        self.init()
        change(&self)
    }

    /// With a call's deadline so many seconds from now.
    static func due(in time: TimeInterval) -> RequestContext { RequestContext { $0.deadline = $0.clock.uptime + time } }
}

func dataStream(_ chunks: [Data]) -> AsyncStream<Data> {
    AsyncStream { continuation in
        for chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
    }
}

func dataStream(_ texts: String...) -> AsyncStream<Data> { dataStream(texts.map { Data($0.utf8) }) }

extension Data {
    /// The bytes in pieces of this size. The last one may be smaller.
    func pieces(of size: Int) -> [Data] { stride(from: 0, to: count, by: size).map { dropFirst($0).prefix(size) } }
}

typealias SettingsChange = (inout TransportConfiguration) -> Void
typealias AddressPolicy = TransportConfiguration.AddressPolicy
typealias Proxy = TransportConfiguration.Proxy

extension TransportConfiguration {
    init(_ change: (inout TransportConfiguration) throws -> Void) rethrows {
        self.init()
        try change(&self)
    }
}

extension TransportConfiguration.Resolver {
    static let hanging = Self(name: "hanging") { _, _ in
        try await Task.sleep(nanoseconds: 1 << 60)
        return []
    }
}

extension URLRequest {
    init(_ url: URL, _ method: String = "GET", headers: [String: String] = [:]) {
        self.init(url: url)
        httpMethod = method
        allHTTPHeaderFields = headers
    }

    static func webSocket(_ url: URL) -> URLRequest {
        let key = ["Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="]
        return URLRequest(url, headers: key.merging(["Connection": "Upgrade", "Upgrade": "websocket"]) { $1 })
    }
}

func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

/// The URL of a server under another name.
func url(_ host: String, _ server: MockServer) throws -> URL {
    try url("\(server.url.scheme ?? "")://\(host):\(server.port)/")
}

func isUnsupported(_ error: any Error) -> Bool { if case .unsupported = error as? NetworkError { true } else { false } }
