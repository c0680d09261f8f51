import Foundation
import NetCore
import Testing

/// A secret in each place of a request and a response where one can stand. Every one holds ``mark``.
enum Secrets {
    static let mark = "S3CR3T"

    static let headers = [
        "Authorization", "authorization", "Proxy-Authorization", "Cookie", "X-API-Key", "X-Auth-Token", "X-CSRF-Token",
        "X-Anything-New", "Referer", "Location", "Set-Cookie", "WWW-Authenticate", "Origin", "Link",
    ]
    static let urls = [
        "https://example.com/login?token=S3CR3T", "https://example.com/?api_key=S3CR3T&page=S3CR3T",
        "https://example.com/?S3CR3T", "https://example.com/?a=1;token=S3CR3T",
        "https://example.com/#access_token=S3CR3T",
        "https://S3CR3T@example.com/", "https://alice:S3CR3T@example.com/path",
        "https://S3CR3T:S3CR3T@example.com:8443?x",
    ]
    static let bodies = [
        ("application/json", #"{"username":"john","password":"S3CR3T"}"#),
        ("application/x-www-form-urlencoded", "user=john&password=S3CR3T"),
        ("text/plain", "S3CR3T"),
        ("application/octet-stream", "\u{0}S3CR3T"),
        ("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"p\"\r\n\r\nS3CR3T\r\n--x--"),
    ]

    /// One request for each place.
    static func requests() throws -> [URLRequest] {
        var requests: [URLRequest] = []
        for url in urls { requests.append(URLRequest(url: try #require(URL(string: url)))) }
        let plain = try #require(URL(string: "https://example.com/"))
        for name in headers {
            var request = URLRequest(url: plain)
            request.setValue("Bearer \(mark)", forHTTPHeaderField: name)
            requests.append(request)
        }
        for (type, body) in bodies {
            var request = URLRequest(url: plain)
            request.httpMethod = "POST"
            request.setValue(type, forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.utf8)
            requests.append(request)
        }
        return requests
    }

    /// One response for each place, with its body.
    static func responses() throws -> [(response: HTTPURLResponse, data: Data)] {
        var all: [(HTTPURLResponse, Data)] = []
        for url in urls {
            let url = try #require(URL(string: url))
            all.append(
                (try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)), Data()))
        }
        let plain = try #require(URL(string: "https://example.com/"))
        for name in headers {
            let response = HTTPURLResponse(
                url: plain, statusCode: 401, httpVersion: nil, headerFields: [name: "id=\(mark); Path=/"])
            all.append((try #require(response), Data()))
        }
        for (type, body) in bodies {
            let response = HTTPURLResponse(
                url: plain, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": type])
            all.append((try #require(response), Data(body.utf8)))
        }
        return all
    }

    /// Errors that carry a secret.
    static func errors() throws -> [any Error] {
        let request = try requests()[0]
        let url = try #require(request.url)
        let body = Data(mark.utf8)
        struct Token: Decodable { let id: Int }
        var errors: [any Error] = [
            Leaky(secret: mark), LeakyCase.withSecret(mark),
            NetworkError.requestFailed(statusCode: 401, data: body), NetworkError.unknown(Leaky(secret: mark)),
            NetworkFailure(
                cause: .unknown(Leaky(secret: mark)), request: RequestSnapshot(request),
                response: ResponseSnapshot(statusCode: 500, headers: ["Set-Cookie": mark], body: body)),
            URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: url, NSLocalizedDescriptionKey: mark]),
            NSError(domain: "App", code: 3, userInfo: [NSLocalizedDescriptionKey: mark]),
        ]
        do {
            _ = try JSONDecoder().decode([Token].self, from: Data("[{\"id\":\"\(mark)\"}]".utf8))
        } catch {
            errors.append(error)
        }
        return errors
    }
}

private struct Leaky: LocalizedError, CustomStringConvertible {
    let secret: String
    var description: String { secret }
    var errorDescription: String? { secret }
}

private enum LeakyCase: Error {
    case withSecret(String)
}
