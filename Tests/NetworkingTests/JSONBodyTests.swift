import NetTesting
import Networking
import Testing

/// A nested body of mixed types, which is a `JSONValue`.
@Suite struct JSONBodyTests {
    let server: MockServer
    let networking = Networking()
    static let sent: JSONValue = ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]]

    init() throws { server = try MockServer { .data($0.body, contentType: "application/json") } }

    @Test func nestedLiteralsAreJSONBodies() async throws {
        MarkedQueue.markMain()
        let (print, url) = (Transcript(), server.url("/"))
        let inner: JSONValue = ["b": 1, "c": "x", "d": [true, nil, 2.5]]
        let value: JSONValue = try await networking.request(
            url: url, method: .post, bodyParameters: ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]] as JSONValue])
        #expect(value == Self.sent)
        let response: NetworkResponse<JSONValue> = await networking.request(url: url, method: .post, body: ["a": inner])
        #expect(response.value == Self.sent)
        try await networking.request(url: url, method: .put, body: Self.sent)
        networking.request(url: url, method: .post, bodyParameters: ["a": inner]) {
            (response: NetworkResponse<JSONValue>) in print("main", response.value == Self.sent)
        }
        #expect(try await (print.line(), server.requests.count) == ("main true", 4))
        for request in server.requests { #expect(try request.json() == Self.sent) }
    }

    /// Variables of either type, and flat literals, go where they belong.
    @Test func variablesAreJSONBodies() async throws {
        let url = server.url("/")
        let plain: [String: any Encodable & Sendable] = ["a": 1, "b": Date(timeIntervalSince1970: 0)]
        let json: [String: JSONValue] = ["a": nil]
        let id = 7
        let first: JSONValue = try await networking.request(url: url, method: .post, bodyParameters: plain)
        let second: JSONValue = try await networking.request(url: url, method: .post, bodyParameters: json)
        let third: JSONValue = try await networking.request(
            url: url, method: .post, bodyParameters: ["id": id, "n": "x"])
        #expect((first["a"], second, third) == (1, ["a": nil], ["id": 7, "n": "x"]))
        let none: NetworkResponse<Data> = await networking.request(url: url, method: .post, bodyParameters: [:])
        #expect(none.value?.isEmpty == true)
    }
}
