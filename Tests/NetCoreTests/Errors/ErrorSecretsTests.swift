import NetCore
import TestLab
import Testing

/// No text of an error shows a secret. Transport errors, snapshots and headers are in `RedactedReflectableTests`.
@Suite struct ErrorSecretsTests {
    private static func request() throws -> URLRequest {
        var request = URLRequest(url: try url("https://s3cr3t:s3cr3t@a.example/p?token=s3cr3t&s3cr3t#s3cr3t"))
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = [
            "Authorization": "Bearer s3cr3t", "Cookie": "s3cr3t", "X-Whatever": "s3cr3t", "Accept": "a/b",
        ]
        request.httpBody = Data("s3cr3t".utf8)
        return request
    }

    private func expectNoSecret(in values: Any..., sourceLocation: SourceLocation = #_sourceLocation) {
        for value in values { #expect(textsShowing("s3cr3t", of: value) == [], sourceLocation: sourceLocation) }
    }

    @Test(arguments: allErrors.map(\.error) + [.unknown(urlError), .unknown(NetworkFailure.unknown(urlError))])
    func networkError(_ error: NetworkError) throws {
        expectNoSecret(
            in: error, error.localizedDescription, try #require(error.errorDescription),
            try #require(error.failureReason), Result<Int, NetworkError>.failure(error))
    }

    @Test(arguments: allErrors.map(\.error) + [.unknown(urlError)]) func networkFailure(_ error: NetworkError) throws {
        let failure = NetworkFailure(
            wrapping: error, request: try Self.request(),
            response: ResponseSnapshot(
                statusCode: 500, headers: ["Set-Cookie": "s3cr3t", "Location": "https://s3cr3t/"],
                body: Data("s3cr3t".utf8)))
        expectNoSecret(in: failure, failure.localizedDescription, failure.errorDescription ?? "")
        #expect(failure.response?.bodyPreview == "s3cr3t", "the value itself is unchanged")
        let headers = failure.request?.headers
        #expect(headers?["Authorization"] == "[REDACTED]" && headers?["Accept"] == "a/b")
    }
}

private let urlError = URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: "https://a.example/?q=s3cr3t"])
