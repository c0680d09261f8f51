import NetTesting
import Networking
import Testing

/// Bodies of any type in every call style by URL; all of them compile beside `bodyParameters`.
@Suite struct BodyTests {
    private struct Ship: Codable, Equatable, Sendable {
        var id = 7
        var name = "a+b & c"
    }

    let server: MockServer
    let networking = Networking()
    private var url: URL { server.url("/") }

    init() throws { server = try MockServer { .data($0.body, contentType: "application/json") } }

    @Test func bodiesInAsyncCalls() async throws {
        let response: NetworkResponse<[Int]> = await networking.request(url: url, method: .post, body: [1, 2])
        #expect(response.value == [1, 2])
        let value: Ship = try await networking.request(
            url: url, method: .put, queryParameters: ["n": 1], body: Ship(), headers: ["X-A": "1"], retryCount: 1)
        #expect(value == Ship())
        let config = RequestConfig(url: url, method: .post, body: ["a": [1]])
        let void: NetworkResponse<Void> = await networking.request(config)
        #expect(void.isSuccess)
        try await networking.request(url: url, method: .post, body: Data("raw".utf8), headers: [.contentType("a/b")])
        let list: [Ship]? = try await networking.request(url: url, method: .post, body: [Ship()])
        #expect(list == [Ship()])
        let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.count == 5 && bodies[0] == "[1,2]" && bodies[2] == #"{"a":[1]}"# && bodies[3] == "raw")
        #expect(server.requests[1].headers["X-A"] == "1" && server.requests[3].headers["Content-Type"] == "a/b")
    }

    @Test func bodiesInCallbackCalls() async throws {
        MarkedQueue.markMain()
        let print = Transcript()
        networking.request(url: url, method: .post, body: [Ship()]) { (response: NetworkResponse<[Ship]>) in
            print("main", response.value == [Ship()])
        }
        networking.request(url: url, method: .post, body: [Ship()], queue: MarkedQueue.make("queue")) {
            (response: NetworkResponse<[Ship]>) in print("queue", response.value == [Ship()])
        }
        networking.request(url: url, method: .post, body: [Ship()])
            .responseDecodable(of: [Ship].self) { print("main", $0.value == [Ship()]) }
        #expect(try await print.said(3).sorted() == ["main true", "main true", "queue true"])
        for (line, queue) in zip(print.texts, print.queues) { #expect(line.hasPrefix(queue ?? "none")) }
    }

    @Test func formURLEncodedBodies() async throws {
        let text: String = try await networking.request(
            url: url, method: .post, body: ["user": "Leia", "note": "a+b & c"], contentType: .formURLEncoded)
        #expect(text == "note=a%2Bb%20%26%20c&user=Leia")
        let ship: String = try await networking.request(
            url: url, method: .post, body: Ship(), contentType: .formURLEncoded)
        #expect(ship == "id=7&name=a%2Bb%20%26%20c")
        #expect(server.requests.allSatisfy { $0.headers["Content-Type"] == "application/x-www-form-urlencoded" })
    }

    /// In every style, and not sent at all.
    @Test func bodyOnGetIsRefused() async throws {
        let response: NetworkResponse<Data> = await networking.request(url: url, body: [1])
        let parameters: NetworkResponse<Data> = await networking.request(url: url, bodyParameters: ["a": 1])
        for response in [response, parameters] {
            #expect(response.error?.code == "invalid_request")
            #expect(response.failure?.underlyingError is RequestBuildingError)
        }
        let error = await #expect(throws: NetworkError.self) { try await networking.request(url: url, body: [1]) }
        #expect(error?.code == "invalid_request")
        let print = Transcript()
        networking.chain(RequestConfig(url: url, body: [1])).responseData(queue: .global()) { print($0.error?.code) }
        #expect(try await print.line() == "invalid_request" && server.requests.isEmpty)
        var asked = RequestConfig(url: url, body: [1])
        asked.allowsBodyOnGet = true
        let sent: [Int] = try await networking.request(asked)
        #expect(sent == [1] && server.requests.map(\.method) == ["GET"])
    }

    /// Through every style: nil for 204 and for an empty body, `.noData` for a type that is not optional.
    @Test(arguments: [200, 204]) func optionalIsNilWithoutABody(_ status: Int) async throws {
        let server = try MockServer { _ in MockResponse(status: status) }
        let url = server.url("/")
        let value: Ship? = try await networking.request(url: url)
        #expect(value == nil)
        let response: NetworkResponse<Ship?> = await networking.request(url: url)
        #expect(response.isSuccess && response.value == .some(nil))
        let print = Transcript()
        networking.request(url: url, queue: .global()) { (response: NetworkResponse<Ship?>) in print(response.isSuccess)
        }
        networking.chain(RequestConfig(url: url))
            .responseDecodable(of: Ship?.self, queue: .global()) { print($0.isSuccess) }
        #expect(try await print.said(2) == ["true", "true"])
        #expect(try await networking.client.send(Request<Ship?>(absoluteURL: url)) == nil)
        await #expect(throws: NetworkError.noData) { try await networking.request(url: url) as Ship }
    }

    // MARK: Nested bodies of mixed types

    private static let sent: JSONValue = ["a": ["b": 1, "c": "x", "d": [true, nil, 2.5]]]

    @Test func nestedLiteralsAreJSONBodies() async throws {
        MarkedQueue.markMain()
        let print = Transcript()
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
