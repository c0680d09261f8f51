import NetCore
import Testing

/// Each spelling of headers gives the same fields.
@Suite struct HeaderFieldsTests {
    private let variable = ["X-B": "2", "X-A": "1"]
    private let headers: HTTPHeaders = ["X-A": "1", "X-B": "2"]
    private let url = URL(fileURLWithPath: "/")

    @Test func headersOfConfigs() {
        let configs = [
            RequestConfig(url: url, headers: headers), RequestConfig(url: url, headers: HTTPHeaders(variable)),
            RequestConfig(url: url, headers: ["X-A": "1", "X-B": "2"]),
            RequestConfig(url: url, headers: [HTTPHeader(name: "X-A", value: "1"), .init(name: "X-B", value: "2")]),
            RequestConfig(url: url, bodyParameters: ["a": 1, "c": "x"], headers: ["X-A": "1", "X-B": "2"]),
            RequestConfig(url: url, body: [1], headers: ["X-A": "1", "X-B": "2"]),
        ]
        for config in configs { #expect(config.headers == headers) }
        #expect(RequestConfig(url: url).headers.isEmpty && RequestConfig(url: url, headers: [:]).headers.isEmpty)
        #expect(RequestConfig(url: url, headers: [.accept("a/b")]).headers["Accept"] == "a/b")
    }

    @Test func headersOfRequests() {
        let requests: [Request<EmptyResponse>] = [
            Request(path: "/", headers: HTTPHeaders(variable)), Request(path: "/", headers: headers),
            Request(path: "/", headers: ["X-A": "1", "X-B": "2"]),
        ]
        for request in requests { #expect(request.headers == headers) }
        #expect(Request<EmptyResponse>(path: "/", headers: [.accept("a/b")]).headers["Accept"] == "a/b")
    }

    /// In a literal of `HTTPHeaders` the last field of a name wins. A dictionary would trap.
    @Test func lastFieldOfALiteralWins() {
        #expect(RequestConfig(url: url, headers: ["A": "1", "A": "2"]).headers == ["A": "2"])
        #expect(RequestConfig(url: url, body: [1], headers: ["A": "1", "A": "2"]).headers == ["A": "2"])
        #expect(RequestConfig(url: url, bodyParameters: ["a": 1], headers: ["A": "1", "A": "2"]).headers == ["A": "2"])
        #expect(Request<EmptyResponse>(path: "/", headers: ["A": "1", "A": "2"]).headers == ["A": "2"])
    }
}
