import NetCore
import TestLab
import Testing

/// Whatever way an error is turned into text, no secret comes out.
@Suite struct ErrorSecretsTests {
    private static func request() throws -> URLRequest {
        let text = "https://s3cr3t:s3cr3t@a.example/p?token=s3cr3t&s3cr3t#s3cr3t"
        var request = URLRequest(url: try #require(URL(string: text)))
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = [
            "Authorization": "Bearer s3cr3t", "Cookie": "s3cr3t", "X-Whatever": "s3cr3t", "Accept": "a/b",
        ]
        request.httpBody = Data("s3cr3t".utf8)
        return request
    }

    private static let responseHeaders: HTTPHeaders = ["Set-Cookie": "s3cr3t", "Location": "https://s3cr3t/"]

    private func expectNoSecret(in values: Any..., sourceLocation: SourceLocation = #_sourceLocation) {
        for value in values { #expect(textsShowing("s3cr3t", of: value) == [], sourceLocation: sourceLocation) }
    }

    @Test(arguments: allErrors.map(\.error) + [.unknown(urlError), .unknown(NetworkFailure.unknown(urlError))])
    func networkError(_ error: NetworkError) throws {
        expectNoSecret(in: error)
        expectNoSecret(
            in: error.localizedDescription, try #require(error.errorDescription), try #require(error.failureReason),
            Result<Int, NetworkError>.failure(error))
    }

    @Test(arguments: allErrors.map(\.error) + [.unknown(urlError)])
    func networkFailure(_ error: NetworkError) throws {
        let failure = NetworkFailure(
            wrapping: error, request: try Self.request(),
            response: ResponseSnapshot(statusCode: 500, headers: Self.responseHeaders, body: Data("s3cr3t".utf8)))
        expectNoSecret(in: failure)
        expectNoSecret(in: failure.localizedDescription, failure.errorDescription ?? "")
        // The values themselves are there for who asks for them.
        #expect(failure.response?.bodyPreview == "s3cr3t")
    }

    @Test func snapshots() throws {
        let request = RequestSnapshot(try Self.request())
        expectNoSecret(in: request)
        #expect(request.headers["Authorization"] == "[REDACTED]")
        #expect(request.headers["Accept"] == "a/b")
        let response = ResponseSnapshot(statusCode: 200, headers: Self.responseHeaders, body: Data("s3cr3t".utf8))
        expectNoSecret(in: response)
    }

    @Test func headers() {
        let header = HTTPHeader.authorization(bearerToken: "s3cr3t")
        expectNoSecret(in: header, Self.responseHeaders)
    }

    @Test func transportError() throws {
        let error = TransportError(.other, phase: .sending, message: "m", url: try Self.request().url)
        expectNoSecret(in: error, error.localizedDescription)
        #expect(error.url?.hasPrefix("https://a.example/p?") == true)
    }

    @Test func bodies() { expectNoSecret(in: HTTPBody("s3cr3t")) }
}

private let urlError = URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: "https://a.example/?q=s3cr3t"])
