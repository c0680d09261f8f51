import NetCore
import TestLab
import Testing

/// No text of a request, a response, an error or a configuration shows a secret, printed alone or nested.
@Suite struct RedactedReflectableTests {
    private static let secret = "s3cr3t"

    private struct Login: Codable, Sendable { var accessToken = RedactedReflectableTests.secret }

    private static func request() throws -> URLRequest {
        var request = URLRequest(
            url: try url("https://\(secret):\(secret)@a.example/p?token=\(secret)&\(secret)#\(secret)"))
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = [
            "Authorization": "Bearer \(secret)", "Cookie": secret, "X-Session": secret, "X-Whatever": secret,
            "Accept": "a/b",
        ]
        request.httpBody = Data(secret.utf8)
        return request
    }

    static let values: [(String, any Sendable)] = {
        let secret = Self.secret
        guard let urlRequest = try? Self.request(), let url = urlRequest.url else { return [] }
        let headers = HTTPHeaders(urlRequest.allHTTPHeaderFields ?? [:])
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
        let snapshot = ResponseSnapshot(statusCode: 400, headers: headers, body: data)
        let failure = NetworkFailure(
            cause: .requestFailed(statusCode: 400, data: data), request: RequestSnapshot(urlRequest), response: snapshot
        )
        return [
            ("RequestConfig", config),
            ("RequestConfig with a body", RequestConfig(url: url, method: .post, body: Login(), headers: headers)),
            ("Request", request), ("Request for a URL", Request<Login>(absoluteURL: url)),
            ("Request.Target", Request<Login>.Target.absolute(url)), ("TransportResponse", response),
            ("HTTPBody", body), ("RequestContext", context), ("RequestSnapshot", RequestSnapshot(urlRequest)),
            ("HTTPHeaders", headers), ("HTTPHeader", HTTPHeader.authorization(bearerToken: secret)),
            ("ResponseSnapshot", snapshot), ("NetworkResponse", answer), ("NetworkFailure", failure),
            ("TransportError", TransportError(.other, phase: .waiting, message: "token=\(secret)", url: url)),
        ]
    }()

    @Test("No secret shows", arguments: values.map(\.0)) func showsNoSecret(_ name: String) throws {
        let value = try #require(Self.values.first { $0.0 == name }).1
        #expect(textsShowing(Self.secret, of: value) == [])
    }

    private static let urlError = URLError(
        .timedOut, userInfo: [NSURLErrorFailingURLErrorKey: "https://a.example/?q=\(secret)"])

    @Test(arguments: allErrors.map(\.error) + [.unknown(urlError), .unknown(NetworkFailure.unknown(urlError))])
    func errorsShowNoSecret(_ error: NetworkError) throws {
        let failure = NetworkFailure(
            wrapping: error, request: try Self.request(),
            response: ResponseSnapshot(
                statusCode: 500, headers: ["Set-Cookie": Self.secret, "Location": "https://\(Self.secret)/"],
                body: Data(Self.secret.utf8)))
        let values: [Any] = [
            error, error.localizedDescription, try #require(error.errorDescription), try #require(error.failureReason),
            Result<Int, NetworkError>.failure(error), failure, failure.localizedDescription,
            failure.errorDescription ?? "",
        ]
        for value in values { #expect(textsShowing(Self.secret, of: value) == []) }
        #expect(failure.response?.bodyPreview == Self.secret, "the value itself is unchanged")
        let headers = failure.request?.headers
        #expect(headers?["Authorization"] == "[REDACTED]" && headers?["Accept"] == "a/b")
    }

    @Test func transportConfigurationsShowNoSecret() {
        let (secret, data) = (Self.secret, Data(Self.secret.utf8))
        let proxies: [(TransportConfiguration.Proxy, String)] = [
            (.http(host: "proxy.example", port: 3128, username: secret, password: secret), "http://proxy.example:3128"),
            (.https(host: "::1", port: 1, username: secret, password: secret), "https://[::1]:1"),
            (.socks5(host: "p", port: 1, username: secret, password: secret), "socks5h://p:1"),
            (.socks5(host: "p", port: 1, resolvesNamesLocally: true), "socks5://p:1"), (.system, "system"),
            (.none, "none"),
        ]
        var configuration = TransportConfiguration()
        for (proxy, text) in proxies {
            #expect(proxy.description == text && textsShowing(secret, of: proxy) == [])
            configuration.proxy = proxy
            for certificate: TransportConfiguration.ClientCertificate in [
                .pem(certificate: data, key: data, password: secret), .pkcs12(data, password: secret),
            ] {
                configuration.clientCertificate = certificate
                for value in [configuration, certificate] as [Any] { #expect(textsShowing(secret, of: value) == []) }
            }
        }
    }

    @Test func versionsOfTLSAreOrdered() {
        #expect(TransportConfiguration.TLSVersion.allCases.sorted() == [.v1_0, .v1_1, .v1_2, .v1_3])
        #expect(TransportConfiguration().minimumTLSVersion == .v1_2)
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
        let response = "\(TransportResponse(status: 204, url: url))"
        #expect(response.hasPrefix("TransportResponse(status: 204, url: https://a.example/"))
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
