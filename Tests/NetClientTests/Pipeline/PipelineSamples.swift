import NetClient
import NetTesting
import Testing

/// A response of a status, with a body.
func answer(_ status: Int = 200, _ body: String = "", headers: HTTPHeaders = HTTPHeaders()) -> TransportResponse {
    TransportResponse(status: status, headers: headers, url: nil, body: HTTPBody(body))
}

func request(
    _ url: String = "https://a.example/", _ method: HTTPMethod = .get, headers: [String: String] = [:]
) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method.rawValue
    request.allHTTPHeaderFields = headers
    return request
}

/// A connection that broke after the request was sent.
let lostConnection = TransportError(.connectionLost, phase: .waiting, message: "lost", isUnprocessed: false)

/// A connection that never was.
let refusedConnection = TransportError(.connectionRefused, phase: .connecting, message: "refused")

/// An error of a plugin's own.
struct PluginError: Error, Equatable {
    var name = ""
}

/// Adds its name to a header on the way out, and to another on the way back.
struct Tracer: HTTPInterceptor {
    let name: String

    init(_ name: String) {
        self.name = name
    }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var request = request
        let trace = (request.value(forHTTPHeaderField: "X-Out") ?? "") + name
        request.setValue(trace, forHTTPHeaderField: "X-Out")
        var response = try await next(request)
        response.headers["X-Back"] = (response.headers["X-Back"] ?? "") + name
        return response
    }
}

/// A hook of seed 000 from closures.
struct Hook: RequestInterceptor {
    var adapting: @Sendable (inout URLRequest) async throws -> Void = { _ in }
    var retrying: @Sendable (URLRequest, NetworkError, Int) async throws -> RetryResult = { _, _, _ in .doNotRetry }

    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        try await adapting(&request)
        return request
    }

    func retry(
        _ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int
    ) async throws -> RetryResult {
        try await retrying(request, error, currentRetryCount)
    }
}

extension URLRequest {
    /// The header fields without those that every client adds.
    var ownFields: [String: String] {
        (allHTTPHeaderFields ?? [:]).filter { name, value in
            name != "User-Agent" && !(name == "Accept" && value == "*/*")
        }
    }
}
