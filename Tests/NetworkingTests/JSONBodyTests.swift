import NetTesting
import Networking
import Testing

/// A nested body of mixed types as a literal, in every call style by URL; all of them compile beside the flat ones.
@Suite struct JSONBodyTests {
    let server: MockServer
    let networking = Networking()
    static let sent: JSONValue = ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]]

    init() throws {
        server = try MockServer { .data($0.body, contentType: "application/json") }
    }

    @Test func asyncStyles() async throws {
        let url = server.url("/")
        let response: NetworkResponse<JSONValue> = await networking.request(
            url: url, method: .post, bodyParameters: ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]])
        #expect(response.value == Self.sent)
        let value: JSONValue = try await networking.request(
            url: url, method: .post, queryParameters: ["n": 1],
            bodyParameters: ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]])
        #expect(value == Self.sent)
        let void: NetworkResponse<Void> = await networking.request(
            url: url, method: .put, bodyParameters: ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]])
        #expect(void.isSuccess)
        try await networking.request(
            url: url, method: .put, bodyParameters: ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]])
        #expect(server.requests.count == 4)
        for request in server.requests { #expect(try request.json() == Self.sent) }
    }

    @Test func callbackStyles() async throws {
        MarkedQueue.markMain()
        let print = Transcript()
        let url = server.url("/")
        networking.request(url: url, method: .post, bodyParameters: ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]]) {
            (response: NetworkResponse<JSONValue>) in print("main", response.value == Self.sent)
        }
        networking.request(
            url: url, method: .post, bodyParameters: ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]],
            queue: MarkedQueue.make("queue")
        ) { (response: NetworkResponse<JSONValue>) in print("queue", response.value == Self.sent) }
        networking.request(url: url, method: .post, bodyParameters: ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]])
            .responseDecodable(of: JSONValue.self) { print("main", $0.value == Self.sent) }
        #expect(try await print.said(3).sorted() == ["main true", "main true", "queue true"])
        for (line, queue) in zip(print.texts, print.queues) { #expect(line.hasPrefix(queue ?? "none")) }
    }

    /// Variables of either type, and flat literals, go where they belong.
    @Test func variables() async throws {
        let url = server.url("/")
        let plain: [String: any Encodable & Sendable] = ["a": 1, "b": Date(timeIntervalSince1970: 0)]
        let json: [String: JSONValue] = ["a": nil]
        let id = 7
        let first: JSONValue = try await networking.request(url: url, method: .post, bodyParameters: plain)
        let second: JSONValue = try await networking.request(url: url, method: .post, bodyParameters: json)
        let third: JSONValue = try await networking.request(
            url: url, method: .post, bodyParameters: ["id": id, "n": "x"])
        #expect(first["a"] == 1)
        #expect(second == ["a": nil])
        #expect(third == ["id": 7, "n": "x"])
        let none: NetworkResponse<Data> = await networking.request(url: url, method: .post, bodyParameters: [:])
        #expect(none.value?.isEmpty == true)
    }
}
