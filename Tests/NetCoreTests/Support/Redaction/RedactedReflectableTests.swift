import NetCore
import TestLab
import Testing

/// Nothing of a request or a response shows a secret, however it is printed and whatever it is nested in.
@Suite struct RedactedReflectableTests {
    private static let secret = "s3cr3tVa1ue"

    private struct Login: Codable, Sendable {
        var accessToken = RedactedReflectableTests.secret
    }

    private struct Holder {
        let value: Any
    }

    private final class ClassHolder {
        let value: Any?
        init(_ value: Any?) { self.value = value }
    }

    /// Each way in which a value becomes text.
    static func texts(of value: Any) -> [String] {
        let nested: [Any] = [
            value, Optional(value) as Any, [value], ["key": value], (value, 1), Holder(value: value),
            ClassHolder(value),
            [Holder(value: [Optional(value)])],
        ]
        return nested.flatMap { value -> [String] in
            var dumped = ""
            dump(value, to: &dumped)
            var printed = ""
            print(value, to: &printed)
            var debugged = ""
            debugPrint(value, to: &debugged)
            return [dumped, printed, debugged, "\(value)", String(describing: value), String(reflecting: value)]
                + leaves(of: value)
        }
    }

    /// What a logger finds that walks mirrors to the end.
    private static func leaves(of value: Any, depth: Int = 0) -> [String] {
        guard depth < 12 else { return [] }
        var mirror: Mirror? = Mirror(reflecting: value)
        var texts = ["\(value)"]
        while let current = mirror {
            for child in current.children {
                texts.append(child.label ?? "")
                texts += leaves(of: child.value, depth: depth + 1)
            }
            mirror = current.superclassMirror
        }
        return texts
    }

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
        enum Key: RequestContextKey { static let defaultValue = "" }
        context[Key.self] = secret
        let data = Data(#"{"accessToken":"\#(secret)"}"#.utf8)
        return [
            (
                "RequestConfig",
                RequestConfig(
                    url: url, method: .post, queryParameters: ["q": secret], bodyParameters: ["password": secret],
                    headers: headers)
            ),
            ("RequestConfig with a body", RequestConfig(url: url, method: .post, body: Login(), headers: headers)),
            ("Request", request),
            ("Request for a URL", Request<Login>(absoluteURL: url)),
            ("Request.Target", Request<Login>.Target.absolute(url)),
            ("TransportResponse", response),
            ("HTTPBody", body),
            ("RequestContext", context),
            ("RequestSnapshot", RequestSnapshot(urlRequest)),
            ("HTTPHeaders", headers),
            (
                "NetworkResponse",
                NetworkResponse<Login>(request: urlRequest, response: nil, data: data, result: .success(Login()))
            ),
            (
                "NetworkFailure",
                NetworkFailure(
                    cause: .requestFailed(statusCode: 400, data: data), request: RequestSnapshot(urlRequest),
                    response: ResponseSnapshot(statusCode: 400, headers: headers, body: data))
            ),
            ("TransportError", TransportError(.other, phase: .waiting, message: "token=\(secret)", url: url)),
        ]
    }()

    @Test("No secret shows", arguments: values.map(\.0)) func showsNoSecret(_ name: String) throws {
        let value = try #require(Self.values.first { $0.0 == name }).1
        let numbers = Array(Self.secret.utf8).prefix(4).map(String.init)
        for text in Self.texts(of: value) {
            #expect(!text.contains(Self.secret), "\(text)")
            // `dump` shows data as numbers.
            #expect(!text.contains(numbers.map { "- \($0)\n" }.joined(separator: "  ")), "\(text)")
        }
    }

    @Test func whatIsNoSecretShows() throws {
        let url = try #require(URL(string: "https://a.example/users?page=2"))
        let config = RequestConfig(
            url: url, queryParameters: ["sort": "name"], headers: [.accept("a/b")], retryCount: 2)
        let text = "\(config)"
        for part in [
            "RequestConfig(", "method: GET", "https://a.example/users?page=2", "sort", "Accept: a/b", "retryCount: 2",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
        #expect("\(Request<Login>(path: "/users/7"))".contains("/users/7"))
        #expect(
            "\(TransportResponse(status: 204, url: url))".hasPrefix(
                "TransportResponse(status: 204, url: https://a.example/"))
        #expect(Mirror(reflecting: config).children.contains { $0.label == "url" })
    }

    @Test func aTypeOfTheCallersHasIt() {
        struct APIKey: RedactedReflectable {
            let id: Int
            let secret = RedactedReflectableTests.secret
            var shownFields: KeyValuePairs<String, Any?> { ["id": id, "note": nil] }
        }
        #expect("\(APIKey(id: 7))" == "APIKey(id: 7)")
        #expect(Self.texts(of: APIKey(id: 7)).allSatisfy { !$0.contains(Self.secret) })
    }
}
