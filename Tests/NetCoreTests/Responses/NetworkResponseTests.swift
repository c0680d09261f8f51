import NetCore
import Testing

@Suite struct NetworkResponseTests {
    private let data = Data(#"{"b":[1],"a":"x"}"#.utf8)

    private func request() throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "https://a.example/profile?q=s3cr3t")))
    }

    private func head(_ status: Int) throws -> TransportResponse {
        var headers = HTTPHeaders(received: [
            HTTPHeader(name: "Set-Cookie", value: "a"), HTTPHeader(name: "set-cookie", value: "b"),
        ])
        headers.append(name: "X-A", value: "1")
        return TransportResponse(status: status, headers: headers, url: try request().url)
    }

    @Test func successHasAValueAndNoError() throws {
        let response = NetworkResponse(request: try request(), head: try head(200), data: data, result: .success(7))
        #expect(response.value == 7 && response.isSuccess && response.error == nil && response.failure == nil)
        #expect(response.statusCode == 200 && response.responseCode == 200)
        #expect(response.headers.values(for: "Set-Cookie") == ["a", "b"])
        #expect((response.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(try response.get() == 7)
    }

    @Test func successOfNilIsASuccess() throws {
        let response = NetworkResponse<Int?>(request: nil, head: try head(200), data: nil, result: .success(nil))
        #expect(response.isSuccess)
    }

    @Test func failureHasItsContext() throws {
        let error = NetworkError.requestFailed(statusCode: 404, data: data)
        let response = NetworkResponse<Int>(
            request: try request(), head: try head(404), data: data, result: .failure(error))
        #expect(response.value == nil && !response.isSuccess && response.error == error)
        let failure = try #require(response.failure)
        #expect(failure.cause == error && failure.kind == .notFound)
        #expect(failure.request?.method == "GET")
        #expect(failure.response?.statusCode == 404)
        #expect(failure.response?.bodyPreview == #"{"b":[1],"a":"x"}"#)
        #expect(throws: error) { try response.get() }
        let given = NetworkResponse<Int>(
            request: nil, response: nil, data: nil, result: .failure(.timeout),
            failure: NetworkFailure(cause: .timeout, retryAttempt: 3))
        #expect(given.failure?.retryAttempt == 3)
    }

    /// Seed 000, "Writing your own serializer": made of the parts of another.
    @Test func isMadeOfFoundationsParts() throws {
        let url = try #require(request().url)
        let http = HTTPURLResponse(url: url, statusCode: 418, httpVersion: nil, headerFields: ["X-A": "1"])
        let response = NetworkingResponse<String>(
            request: try request(), response: http, data: data, result: .success("x"))
        #expect(response.statusCode == 418 && response.headers["x-a"] == "1" && response.response === http)
        #expect(response.metrics == nil)
        let none = NetworkResponse<String>(request: nil, response: nil, data: nil, result: .failure(.timeout))
        #expect(none.statusCode == nil && none.headers.isEmpty && none.response == nil && none.failure?.response == nil)
    }

    @Test func mapKeepsAllButTheValue() throws {
        let response = NetworkResponse(request: try request(), head: try head(200), data: data, result: .success(7))
        let text = response.map { "\($0)" }
        #expect(text.value == "7" && text.data == data && text.statusCode == 200 && text.request == response.request)
        let composed: Result<String, NetworkError> = response.result.flatMap {
            $0 > 7 ? .success("x") : .failure(.noData)
        }
        #expect(composed == .failure(.noData))
    }

    @Test func errorsOfMapBecomeTheError() throws {
        let response = NetworkResponse(request: try request(), head: try head(200), data: data, result: .success(7))
        let own = response.map { _ -> Int in throw NetworkError.invalidURL }
        #expect(own.error == .invalidURL)
        #expect(own.failure?.response?.statusCode == 200)
        #expect(response.map { _ -> Int in throw NetworkFailure.timeout() }.error == .timeout)
        let other = response.map { _ -> Int in throw CancellationError() }
        #expect(other.error?.embeddedError is CancellationError)
        #expect(other.error?.code == "decoding_error")
    }

    @Test func mapKeepsAFailure() throws {
        let failure = NetworkFailure(cause: .timeout, retryAttempt: 2)
        let response = NetworkResponse<Int>(
            request: nil, response: nil, data: nil, result: .failure(.timeout), failure: failure)
        let mapped = response.map { "\($0)" }
        #expect(mapped.error == .timeout && mapped.failure?.retryAttempt == 2)
    }

    @Test func prettyPrintsJSON() throws {
        func pretty(_ text: String?) -> String? {
            NetworkResponse(request: nil, response: nil, data: text.map { Data($0.utf8) }, result: .success(1))
                .prettyPrinted
        }
        let text = try #require(pretty(#"{"b":[1],"a":"x"}"#))
        #expect(text.contains("\n"))
        let a = try #require(text.range(of: #""a""#))
        let b = try #require(text.range(of: #""b""#))
        #expect(a.lowerBound < b.lowerBound)
        #expect(pretty("3") == "3")
        #expect(pretty("<p>") == "<p>")
        #expect(pretty("") == nil && pretty(nil) == nil)
        let bytes = NetworkResponse(request: nil, response: nil, data: Data([0xFF]), result: .success(1))
        #expect(bytes.prettyPrinted == nil)
    }

    /// Seed 000, "Debug description": a line each for request, response, data and result.
    @Test func descriptionIsASummary() throws {
        let success = NetworkResponse(request: try request(), head: try head(200), data: data, result: .success(7))
        #expect(
            success.description == """
                Request: GET https://a.example/profile?q=[REDACTED]
                Response: 200 successful
                Data: 17 bytes
                Result: success(7)
                """)
        let failure = NetworkResponse<Int>(
            request: try request(), head: try head(503), data: Data("s3cr3t".utf8),
            result: .failure(.requestFailed(statusCode: 503, data: Data("s3cr3t".utf8))))
        #expect(failure.description.contains("Response: 503 serverError"))
        #expect(failure.description.contains("Result: failure(request_failed): "))
        #expect(!failure.description.contains("s3cr3t"))
        let nothing = NetworkResponse<Int>(request: nil, response: nil, data: nil, result: .failure(.timeout))
        #expect(nothing.description.hasPrefix("Request: none\nResponse: none\nData: none\nResult: failure(timeout)"))
    }
}
