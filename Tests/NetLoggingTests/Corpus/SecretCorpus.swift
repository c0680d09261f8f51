import NetCore
import Testing

/// Generated traffic with a secret in it: each place where one can stand, times each kind of secret, times each encoding.
enum SecretCorpus {
    enum Encoding: String, CaseIterable, Sendable {
        case plain, percent, base64
        func callAsFunction(_ text: String) -> String {
            switch self {
            case .plain: text
            case .percent: text.utf8.map { String(format: "%%%02X", $0) }.joined()
            // For URLs, and without padding.
            case .base64:
                Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                    .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
            }
        }
    }

    /// One exchange with a secret in one place.
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        /// The secret as it stands there.
        let secret: String
        /// As it stands there or in any other encoding.
        let forbidden: [String]
        var request: URLRequest
        var body: HTTPBody?
        var response: TransportResponse
        var error: (any Error & Sendable)?
    }

    static let secrets: [(kind: String, plain: String)] = [
        ("word", "S3CR3Tx9"), ("phrase", "correcthorse"),
        ("web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r"),
        ("card", "4111111111111111"), ("random", "q7XfP2mZr9LkT4vBn8Ws"),
    ]

    struct Place: Sendable {
        let name: String
        let put: @Sendable (inout Case, String) throws -> Void
    }

    static func cases() throws -> [Case] {
        let url = try #require(URL(string: "https://api.example.com/v1/things"))
        return try places.flatMap { place in
            try secrets.flatMap { secret in
                try Encoding.allCases.map { encoding in
                    let standing = encoding(secret.plain)
                    var result = Case(
                        description: "\(secret.kind), \(encoding) in \(place.name)", secret: standing,
                        forbidden: Encoding.allCases.flatMap { [$0(secret.plain), $0(secret.plain).lowercased()] },
                        request: URLRequest(url: url), response: TransportResponse(status: 200, url: url))
                    try place.put(&result, standing)
                    return result
                }
            }
        }
    }

    private static func url(_ text: String) -> Place {
        Place(name: "URL \(text)") {
            $0.request.url = URL(string: text.replacingOccurrences(of: "*", with: $1))
            $0.response.url = $0.request.url
        }
    }

    private static func requestBody(_ type: String, _ text: String) -> Place {
        Place(name: "request, \(type): \(text)") {
            $0.request.httpMethod = "POST"
            $0.request.setValue(type, forHTTPHeaderField: "Content-Type")
            $0.body = HTTPBody(text.replacingOccurrences(of: "*", with: $1))
        }
    }

    private static func part(_ head: String, _ content: String = "*") -> Place {
        requestBody(
            "multipart/form-data; boundary=x",
            "--x\r\nContent-Disposition: form-data; \(head)\r\n\r\n\(content)\r\n--x--\r\n")
    }

    private static func responseBody(_ type: String, _ text: String) -> Place {
        Place(name: "response, \(type): \(text)") {
            $0.response.headers["Content-Type"] = type
            $0.response.body = HTTPBody(text.replacingOccurrences(of: "*", with: $1))
        }
    }

    private static func error(_ name: String, _ make: @escaping @Sendable (String) -> any Error & Sendable) -> Place {
        Place(name: "error: \(name)") { $0.error = make($1) }
    }

    static let places = requestHeaders + responseHeaders + urlPlaces + jsonPlaces + bodyPlaces + errorPlaces

    private static let requestHeaders: [Place] =
        [
            "Authorization", "authorization", "Cookie", "X-API-Key", "X-CSRF-Token", "X-Anything",
            "Proxy-Authorization", "Referer", "Origin",
        ].map { name in
            Place(name: "request header \(name)") { $0.request.setValue("a=\($1)", forHTTPHeaderField: name) }
        }

    private static let responseHeaders: [Place] =
        ["Set-Cookie", "X-Session", "WWW-Authenticate", "Link", "X-RateLimit-Key", "Location"].map { name in
            Place(name: "response header \(name)") {
                $0.response.headers.append(name: name, value: "sid=\($1); Path=/")
            }
        }

    private static let urlPlaces: [Place] =
        [
            "https://a.example/?token=*", "https://a.example/?q=*&page=1", "https://a.example/?page=*",
            "https://a.example/?limit=*&state=*", "https://a.example/?a=1&*", "https://a.example/?a=1;token=*",
            "https://*:*@a.example:8443/?x", "https://a.example/#*", "https://a.example/?filter%5Bx%5D=*",
            "https://*@a.example/", "https://john:*@a.example/p", "https://a.example/password/*/x",
            "https://a.example/p;sid=*", "https://a.example/?next=https://b.example/%3Ftoken=*",
        ].map(url)

    private static let jsonPlaces: [Place] =
        [
            #"{"password":"*"}"#, #"{"data":[{"user":{"access_token":"*"}}]}"#, #"{"unheard_of":"*"}"#, #"["*"]"#,
            #""*""#, #"{"credentials":{"id":"*","name":"*"}}"#, #"{"payload":"{\"password\":\"*\"}"}"#,
            #"{"pass\u0077ord":["*"]}"#, #"{"broken":"*""#, #"{unquoted:"*"}"#, #"{"name":"{\"a\":\"*\"}"}"#,
            #"{"id":"token=*"}"#,
        ].map { requestBody("application/json", $0) }

    private static let bodyPlaces: [Place] = [
        requestBody("application/x-www-form-urlencoded", "user=a&password=*"),
        requestBody("application/x-www-form-urlencoded", "user%5Bsecret%5D=*"),
        requestBody("text/plain", "so it is: *"), requestBody("application/octet-stream", "*"),
        requestBody("application/xml", "<a><password>*</password></a>"),
        requestBody("application/graphql", "mutation { login(password: \"*\") }"), part("name=\"pw\""),
        part("name=\"f\"; filename=\"*\"\r\nContent-Type: text/plain"),
        part("name=\"j\"\r\nContent-Type: application/json", "{\"token\":\"*\"}"),
        responseBody("application/json", #"{"access_token":"*","expires_in":3600}"#),
        responseBody("application/problem+json", #"{"title":"No","detail":"*"}"#),
        responseBody(
            "application/problem+json", #"{"type":"about:blank","code":"token=*","errors":[{"detail":"*"}]}"#),
        responseBody("application/json", #"{"code":"*","message":"*"}"#),
        responseBody("application/json", #"{"error":{"code":"password=*","more":{"code":"*"},"message":{"a":"*"}}}"#),
        responseBody("text/html", "<p>*</p>"), responseBody("text/plain", #"{"apiKey":"*"}"#),
        responseBody("application/x-ndjson", "{\"id\":1}\n{\"key\":\"*\"}\n"),
    ]

    private static let errorPlaces: [Place] = [
        error("a plugin's") { Leaky(text: $0) }, error("in a case") { NetworkError.unknown(Leaky(text: $0)) },
        error("advice") { NetworkError.unsupported("not with token=\($0)") },
        error("a transport's") { TransportError(.other, phase: .sending, message: "refused password=\($0)") },
        error("a decoder's") { DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "got \($0)")) },
    ]
}

struct Leaky: LocalizedError, CustomStringConvertible {
    let text: String
    var description: String { text }
    var errorDescription: String? { text }
}
