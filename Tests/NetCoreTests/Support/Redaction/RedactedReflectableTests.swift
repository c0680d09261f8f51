import NetCore
import TestLab
import Testing

/// No text of a request or a response shows a secret, printed alone or nested.
@Suite struct RedactedReflectableTests {
    private static let secret = "s3cr3tVa1ue"

    private struct Login: Codable, Sendable { var accessToken = RedactedReflectableTests.secret }

    static let values: [(String, any Sendable)] = {
        let secret = Self.secret
        guard let url = URL(string: "https://leia:\(secret)@a.example/p?token=\(secret)#\(secret)") else { return [] }
        let headers: HTTPHeaders = ["Authorization": "Bearer \(secret)", "X-Session": secret]
        var urlRequest = URLRequest(url: url)
        urlRequest.allHTTPHeaderFields = headers.dictionary
        urlRequest.httpBody = Data(secret.utf8)
        let body = HTTPBody(Data(secret.utf8))
        var response = TransportResponse(status: 200, headers: ["Set-Cookie": "a=\(secret)"], url: url, body: body)
        response.request = urlRequest
        var request = Request<Login>(
            method: .post, path: "/reset?token=\(secret)", query: ["q": secret],
            queryItems: [URLQueryItem(name: "a", value: secret)], queryObject: Login(), body: Login(), headers: headers)
        request.rawBody = body
        var context = RequestContext()
        context.origin = url
        context.partition = "leia"
        enum Key: RequestContext.Key { static let defaultValue = "" }
        context[Key.self] = secret
        let data = Data(#"{"accessToken":"\#(secret)"}"#.utf8)
        let config = RequestConfig(
            url: url, method: .post, queryParameters: ["q": secret], bodyParameters: ["password": secret],
            headers: headers)
        let answer = NetworkResponse<Login>(request: urlRequest, response: nil, data: data, result: .success(Login()))
        let failure = NetworkFailure(
            cause: .requestFailed(statusCode: 400, data: data), request: RequestSnapshot(urlRequest),
            response: ResponseSnapshot(statusCode: 400, headers: headers, body: data))
        return [
            ("RequestConfig", config),
            ("RequestConfig with a body", RequestConfig(url: url, method: .post, body: Login(), headers: headers)),
            ("Request", request), ("Request for a URL", Request<Login>(absoluteURL: url)),
            ("Request.Target", Request<Login>.Target.absolute(url)), ("TransportResponse", response),
            ("HTTPBody", body), ("RequestContext", context), ("RequestSnapshot", RequestSnapshot(urlRequest)),
            ("HTTPHeaders", headers), ("HTTPHeader", HTTPHeader.authorization(bearerToken: secret)),
            ("ResponseSnapshot", ResponseSnapshot(statusCode: 400, headers: headers, body: data)),
            ("NetworkResponse", answer), ("NetworkFailure", failure),
            ("TransportError", TransportError(.other, phase: .waiting, message: "token=\(secret)", url: url)),
        ]
    }()

    @Test("No secret shows", arguments: values.map(\.0)) func showsNoSecret(_ name: String) throws {
        let value = try #require(Self.values.first { $0.0 == name }).1
        #expect(textsShowing(Self.secret, of: value) == [])
    }

    @Test func harmlessPartsAreShown() throws {
        let url = try url("https://a.example/users?page=2")
        let config = RequestConfig(
            url: url, queryParameters: ["sort": "name"], headers: [.accept("a/b")], retryCount: 2)
        let text = "\(config)"
        for part in [
            "RequestConfig(", "method: GET", "https://a.example/users?page=2", "sort", "Accept: a/b", "retryCount: 2",
        ] { #expect(text.contains(part), "\(part): \(text)") }
        #expect("\(Request<Login>(path: "/users/7"))".contains("/users/7"))
        #expect(
            "\(TransportResponse(status: 204, url: url))".hasPrefix(
                "TransportResponse(status: 204, url: https://a.example/"))
        #expect(Mirror(reflecting: config).children.contains { $0.label == "url" })
    }

    @Test func customTypeIsRedacted() {
        struct APIKey: RedactedReflectable {
            let id: Int
            let secret = RedactedReflectableTests.secret
            var shownFields: KeyValuePairs<String, Any?> { ["id": id, "note": nil] }
        }
        #expect("\(APIKey(id: 7))" == "APIKey(id: 7)" && textsShowing(Self.secret, of: APIKey(id: 7)) == [])
    }
}
