import NetCore
import Testing

@Suite struct NetworkResponseTests {
    private let data = Data(#"{"b":[1],"a":"x"}"#.utf8)

    private func request() throws -> URLRequest { URLRequest(url: try url("https://a.example/profile?q=s3cr3t")) }

    private func success() throws -> NetworkResponse<Int> {
        NetworkResponse(request: try request(), head: try head(200), data: data, result: .success(7))
    }

    private func timeout<Value: Sendable>(_: Value.Type, retryAttempt: Int = 0) -> NetworkResponse<Value> {
        NetworkResponse(
            request: nil, response: nil, data: nil, result: .failure(.timeout),
            failure: NetworkFailure(cause: .timeout, retryAttempt: retryAttempt))
    }

    private func head(_ status: Int) throws -> TransportResponse {
        var headers = HTTPHeaders(received: [
            HTTPHeader(name: "Set-Cookie", value: "a"), HTTPHeader(name: "set-cookie", value: "b"),
        ])
        headers.append(name: "X-A", value: "1")
        return TransportResponse(status: status, headers: headers, url: try request().url)
    }

    @Test func successHasAValueAndNoError() throws {
        let response = try success()
        #expect(response.value == 7 && response.isSuccess && response.error == nil && response.failure == nil)
        #expect(response.statusCode == 200 && response.responseCode == 200)
        #expect(response.headers.values(for: "Set-Cookie") == ["a", "b"])
        #expect(try (response.response as? HTTPURLResponse)?.statusCode == 200 && response.get() == 7)
        #expect(try NetworkResponse<Int?>(request: nil, head: head(200), data: nil, result: .success(nil)).isSuccess)
    }

    @Test func failureHasRequestAndResponse() throws {
        let error = NetworkError.requestFailed(statusCode: 404, data: data)
        let response = NetworkResponse<Int>(
            request: try request(), head: try head(404), data: data, result: .failure(error))
        #expect(response.value == nil && !response.isSuccess && response.error == error)
        let failure = try #require(response.failure)
        #expect(failure.cause == error && failure.kind == .notFound && failure.request?.method == "GET")
        #expect(failure.response?.statusCode == 404 && failure.response?.bodyPreview == #"{"b":[1],"a":"x"}"#)
        #expect(throws: error) { try response.get() }
        #expect(timeout(Int.self, retryAttempt: 3).failure?.retryAttempt == 3)
    }

    /// Seed 000, "Writing your own serializer".
    @Test func initializerWithHTTPURLResponse() throws {
        let http = HTTPURLResponse(url: try url(), statusCode: 418, httpVersion: nil, headerFields: ["X-A": "1"])
        let response = NetworkingResponse<String>(
            request: try request(), response: http, data: data, result: .success("x"))
        #expect(response.statusCode == 418 && response.headers["x-a"] == "1" && response.response === http)
        #expect(response.metrics == nil)
        let none = NetworkResponse<String>(request: nil, response: nil, data: nil, result: .failure(.timeout))
        #expect(none.statusCode == nil && none.headers.isEmpty && none.response == nil && none.failure?.response == nil)
    }

    @Test func mapChangesOnlyTheValue() throws {
        let response = try success()
        let text = response.map { "\($0)" }
        #expect(text.value == "7" && text.data == data && text.statusCode == 200 && text.request == response.request)
        let composed = response.result.flatMap { $0 > 7 ? .success("x") : .failure(.noData) }
        #expect(composed == .failure(.noData))
        let failed = timeout(Int.self, retryAttempt: 2).map { "\($0)" }
        #expect(failed.error == .timeout && failed.failure?.retryAttempt == 2)
    }

    @Test func errorThrownByMapIsTheError() throws {
        let response = try success()
        let own = response.map { _ -> Int in throw NetworkError.invalidURL }
        #expect(own.error == .invalidURL && own.failure?.response?.statusCode == 200)
        #expect(response.map { _ -> Int in throw NetworkFailure.timeout() }.error == .timeout)
        let other = response.map { _ -> Int in throw CancellationError() }
        #expect(other.error?.embeddedError is CancellationError && other.error?.code == "decoding_error")
    }

    @Test func prettyPrintedJSON() throws {
        func pretty(_ data: Data?) -> String? {
            NetworkResponse(request: nil, response: nil, data: data, result: .success(1)).prettyPrinted
        }
        let text = try #require(pretty(data))
        #expect(text.contains("\n"))
        #expect(try #require(text.range(of: #""a""#)).lowerBound < #require(text.range(of: #""b""#)).lowerBound)
        for text in ["3", "<p>"] { #expect(pretty(Data(text.utf8)) == text) }
        for data in [Data(), nil, Data([0xFF])] { #expect(pretty(data) == nil) }
    }

    /// Seed 000, "Debug description".
    @Test func descriptionHasRequestResponseDataAndResult() throws {
        #expect(
            try success().description == """
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
        let nothing = timeout(Int.self).description
        #expect(nothing.hasPrefix("Request: none\nResponse: none\nData: none\nResult: failure(timeout)"))
    }
}
