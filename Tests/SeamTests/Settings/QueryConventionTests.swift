import NetTesting
import Networking
import TestLab
import Testing

/// The same conventions of queries and forms through every front door, wherever they are set.
@Suite struct QueryConventionTests {
    enum Level: CaseIterable, Sendable { case client, derivedClient, facade, request }

    @Test(arguments: QueryDoor.all.map(\.name), Level.allCases)
    func queryEncodingIsTheSameThroughEachDoor(name: String, level: Level) async throws {
        let door = try #require(QueryDoor.all.first { $0.name == name })
        guard level != .request || door.takesOptions else { return }
        let lab = try QueryLab(level)
        try await door.send(lab)
        let request = try #require(lab.server.requests.first)
        #expect((door.sends == .form ? request.bodyText : request.query) == door.sends.text)
        if door.sends == .form { #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded") }
        await lab.client.shutdown(.cancel)
    }

    /// The call's settings win over the request's, and those over the client's.
    @Test func nearestQueryEncodingWins() async throws {
        let lab = try QueryLab(.client)
        var request = Request<SettingAnswer>(method: .get, path: "/", query: ["on": true, "tag": ["a"]])
        _ = try await lab.client.send(request)
        request.options.queryEncoding = .default
        _ = try await lab.client.send(request)
        _ = try await lab.client.builder(for: request).options { $0.queryEncoding = .alamofire }.send()
        _ = try await lab.client.builder(for: request).options { $0.queryEncoding = nil }.send()
        let client = "on=1&tag%5B%5D=a"
        #expect(lab.server.requests.map(\.query) == [client, "on=true&tag=a", client, client])
    }

    /// A text is sent as it is by every door that takes a body, unless its type is JSON or its field says otherwise.
    @Test func stringsAreSentAsText() async throws {
        let lab = try QueryLab(.client)
        let url = lab.server.url("/")
        let text = "a \"b\""
        try await lab.networking.request(url: url, method: .post, body: text)
        try await lab.networking.request(RequestConfig(url: url, method: .post, body: text))
        _ = try await lab.client.send(Request<SettingAnswer>(method: .post, path: "/", body: text))
        let _: SettingAnswer = try await lab.client.send(text, to: QueryEndpoint(method: .post, body: text))
        let _: SettingAnswer = try await QueryAPI(baseURL: lab.server.url, client: lab.client)
            .request(.post, path: "/", body: text)
        let stored = try RequestConfig(url: url, method: .post, body: text).decodedAgain()
        try await lab.networking.request(stored)
        try await lab.pend { try await $0.add(stored) }
        #expect(lab.server.requests.map(\.bodyText) == Array(repeating: text, count: 7))
        #expect(lab.server.requests.allSatisfy { $0.headers["Content-Type"] == "text/plain; charset=utf-8" })
        try await lab.networking.request(url: url, method: .post, body: text, contentType: .json)
        try await lab.networking.request(url: url, method: .post, body: text, headers: [.contentType("text/csv")])
        let last = lab.server.requests.suffix(2)
        #expect(last.map(\.bodyText) == [#""a \"b\"""#, text])
        #expect(last.map { $0.headers["Content-Type"] } == ["application/json", "text/csv"])
    }
}

/// A server, and a client whose requests have other conventions than the default.
struct QueryLab: Sendable {
    let server: MockServer
    let client: NetworkClient
    let own: QueryEncoding?
    var networking: Networking { Networking(client: client) }

    static let encoding: QueryEncoding = {
        var encoding = QueryEncoding.alamofire
        (encoding.dates, encoding.wholeNumbers, encoding.keys) = (.secondsSince1970, .integer, .snakeCase)
        (encoding.spaces, encoding.nilValues) = (.plus, .empty)
        return encoding
    }()

    static let parameters: [String: any Encodable & Sendable] = [
        "pageSize": 5, "tag": ["a/b", "b c"], "since": Date(timeIntervalSince1970: 0), "isOpen": true,
        "theNote": String?.none,
    ]

    init(_ level: QueryConventionTests.Level) throws {
        server = try MockServer { request in
            switch request.path {
            case "/events": .events([.event("x")])
            case "/socket": .webSocket()
            default: .json(SettingAnswer(text: "hello"))
            }
        }
        var configuration = NetworkClient.Configuration(baseURL: server.url)
        let plain = NetworkClient(configuration: configuration)
        configuration.queryEncoding = Self.encoding
        own = level == .request ? Self.encoding : nil
        client =
            switch level {
            case .client: NetworkClient(configuration: configuration)
            case .derivedClient: plain.with { $0.queryEncoding = Self.encoding }
            case .facade: Networking(configuration: configuration).client
            case .request: plain
            }
    }

    func url(_ path: String) -> URL { server.url(path) }

    func config(_ path: String = "/") -> RequestConfig {
        var config = RequestConfig(url: url(path), queryParameters: Self.parameters)
        config.options.queryEncoding = own
        return config
    }

    func form() -> RequestConfig {
        var config = RequestConfig(url: url("/"), method: .post, bodyParameters: Self.parameters)
        (config.contentType, config.options.queryEncoding) = (.formURLEncoded, own)
        return config
    }

    func request(_ path: String = "/", method: HTTPMethod = .get) -> Request<SettingAnswer> {
        var request = Request<SettingAnswer>(method: method, path: path, query: Self.parameters)
        request.options.queryEncoding = own
        return request
    }

    func endpoint(
        _ path: String = "/", method: HTTPMethod = .get, body: (any Encodable & Sendable)? = nil
    ) -> QueryEndpoint { QueryEndpoint(path: path, method: method, body: body, encoding: own) }

    func pend(_ add: (PendingOperationsQueue) async throws -> Void) async throws {
        let folder = try TemporaryDirectory()
        let queue = try await PendingOperationsQueue(fileURL: folder.file("queue"), client: client)
        try await add(queue)
        _ = await queue.processAll()
    }
}

struct QueryEndpoint: LongPollingEndpoint {
    typealias Response = SettingAnswer
    var path = "/", method = HTTPMethod.get
    var body: (any Encodable & Sendable)?
    var encoding: QueryEncoding?
    var queryParameters: [String: String] { ["pageSize": "a b/c"] }
    var contentType: RequestContentType { body is String ? .clientEncoder : .formURLEncoded }
    var options: RequestOptions {
        var options = RequestOptions()
        options.queryEncoding = encoding
        return options
    }
}

extension RequestConfig {
    fileprivate func decodedAgain() throws -> RequestConfig {
        try JSONDecoder().decode(RequestConfig.self, from: JSONEncoder().encode(self))
    }
}

private struct QueryAPI: APIClient { let baseURL: URL, client: NetworkClient }

private struct QueryObject: Encodable, Sendable {
    let pageSize = 5, tag = ["a/b", "b c"], since = Date(timeIntervalSince1970: 0), isOpen = true
    let theNote: String? = nil
}

struct QueryDoor: Sendable {
    enum Sent: Sendable {
        case query, endpointQuery, form
        var text: String {
            self == .endpointQuery
                ? "page_size=a+b/c" : "is_open=1&page_size=5&since=0&tag%5B%5D=a/b&tag%5B%5D=b+c&the_note="
        }
    }

    let name: String
    let takesOptions: Bool
    let sends: Sent
    let send: @Sendable (QueryLab) async throws -> Void

    init(
        _ name: String, _ sends: Sent = .query, takesOptions: Bool = true,
        send: @escaping @Sendable (QueryLab) async throws -> Void
    ) { (self.name, self.sends, self.takesOptions, self.send) = (name, sends, takesOptions, send) }

    static let all = facade + requests + endpoints + forms

    private static let facade = [
        QueryDoor("url", takesOptions: false) {
            try await $0.networking.request(url: $0.url("/"), queryParameters: QueryLab.parameters)
        },
        QueryDoor("url, response", takesOptions: false) {
            let response: NetworkResponse<SettingAnswer> = await $0.networking.request(
                url: $0.url("/"), queryParameters: QueryLab.parameters)
            #expect(response.isSuccess)
        },
        QueryDoor("url with a body", takesOptions: false) {
            try await $0.networking.request(
                url: $0.url("/"), method: .post, queryParameters: QueryLab.parameters, body: [1])
        },
        QueryDoor("config") { try await $0.networking.request($0.config()) },
        QueryDoor("config, decoded") { try await $0.networking.request($0.config().decodedAgain()) },
        QueryDoor("completion") { lab in
            await withCheckedContinuation { done in
                lab.networking.request(lab.config(), queue: .global()) { (_: NetworkResponse<SettingAnswer>) in
                    done.resume()
                }
            }
        },
        QueryDoor("chain") { lab in
            await withCheckedContinuation { done in
                lab.networking.chain(lab.config()).responseData(queue: .global()) { _ in done.resume() }
            }
        },
        QueryDoor("stream", takesOptions: false) {
            _ = try await $0.networking.stream(url: $0.url("/"), queryParameters: QueryLab.parameters)
        },
        QueryDoor("stream of a config") { _ = try await $0.networking.stream($0.config()) },
        QueryDoor("events") { for try await _ in $0.networking.serverSentEvents($0.config("/events")) { break } },
        QueryDoor("pending config") { lab in try await lab.pend { try await $0.add(lab.config()) } },
    ]

    private static let requests = [
        QueryDoor("request") { _ = try await $0.client.send($0.request()) },
        QueryDoor("request with an object") {
            var request = $0.request()
            (request.query, request.queryObject) = ([:], QueryObject())
            _ = try await $0.client.send(request)
        },
        QueryDoor("builder") { _ = try await $0.client.builder(for: $0.request()).send() },
        QueryDoor("builder, options") { lab in
            var request = lab.request()
            request.options.queryEncoding = nil
            _ = try await lab.client.builder(for: request).options { $0.queryEncoding = QueryLab.encoding }.send()
        },
        QueryDoor("builder, stream") { _ = try await $0.client.builder(for: $0.request()).stream() },
        QueryDoor("stream of a request") { _ = try await $0.client.stream($0.request()) },
        QueryDoor("events of a request") {
            for try await _ in $0.client.serverSentEvents(for: $0.request("/events")) { break }
        },
        QueryDoor("upload of a request") {
            _ = try await $0.client.upload(for: $0.request(method: .post), from: Data("x".utf8))
        },
    ]

    private static let endpoints = [
        QueryDoor("endpoint", .endpointQuery) { _ = try await $0.client.request($0.endpoint()) },
        QueryDoor("fetch", .endpointQuery) { let _: SettingAnswer = try await $0.client.fetch($0.endpoint()) },
        QueryDoor("stream of an endpoint", .endpointQuery) { _ = try await $0.client.stream($0.endpoint()) },
        QueryDoor("poll", .endpointQuery) { for await _ in $0.client.poll($0.endpoint()) { break } },
        QueryDoor("socket", .endpointQuery) { _ = try await $0.client.webSocket(to: $0.endpoint("/socket")) },
        QueryDoor("download", .endpointQuery) {
            _ = try await $0.client.download(from: $0.endpoint(), to: nil, registry: nil).task.value
        },
        QueryDoor("resumable upload", .endpointQuery) {
            let folder = try TemporaryDirectory()
            try Data("x".utf8).write(to: folder.file("a"))
            // The server does not speak the protocol.
            _ = try? await $0.client.resumableUpload(file: folder.file("a"), to: $0.endpoint(method: .post)).task.value
        },
        QueryDoor("pending endpoint", .endpointQuery) { lab in
            try await lab.pend { try await $0.add(lab.endpoint(method: .put)) }
        },
    ]

    private static let forms = [
        QueryDoor("form", .form, takesOptions: false) {
            try await $0.networking.request(
                url: $0.url("/"), method: .post, body: QueryObject(), contentType: .formURLEncoded)
        },
        QueryDoor("form of a config", .form) { try await $0.networking.request($0.form()) },
        QueryDoor("form of a decoded config", .form) { try await $0.networking.request($0.form().decodedAgain()) },
        QueryDoor("form of an endpoint", .form) {
            _ = try await $0.client.request($0.endpoint(method: .post, body: QueryObject()))
        },
        QueryDoor("form of a builder", .form) { lab in
            _ = try await lab.client.builder(for: QueryEndpoint(method: .post, body: QueryObject()))
                .options { $0.queryEncoding = QueryLab.encoding }.send()
        },
        QueryDoor("form that waited", .form) { lab in try await lab.pend { try await $0.add(lab.form()) } },
        QueryDoor("uploaded form", .form, takesOptions: false) {
            let _: SettingAnswer = try await $0.networking.upload(.form(QueryLab.parameters), to: $0.url("/"))
        },
        QueryDoor("form as the content of an upload", .form, takesOptions: false) {
            let uploader = Uploader(client: $0.client)
            let (_, task): (AsyncStream<TransferProgress>, TransferTask<NetworkResponse<SettingAnswer>>) =
                uploader.upload(.form(QueryLab.parameters), to: $0.url("/"))
            _ = try await task.value
        },
    ]
}
