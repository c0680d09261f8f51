import NetCore
import Testing

@Suite struct RequestInterceptorTests {
    private struct Thrower: RequestInterceptor {
        let error: any Error

        func adapt(_ request: URLRequest) async throws -> URLRequest { throw error }
    }

    private func error(of thrown: any Error) async throws -> any Error {
        let next = Next { request, _, _ in TransportResponse(status: 200, url: request.url) }
        let request = URLRequest(url: try url())
        return try #require(
            await #expect(throws: (any Error).self) { try await Thrower(error: thrown).intercept(request, next: next) })
    }

    @Test func errorOfAdaptIsAnInvalidRequest() async throws {
        for thrown in [PluginError(), URLError(.userAuthenticationRequired)] as [any Error] {
            let failure = try #require(await error(of: thrown) as? NetworkFailure)
            #expect(failure.cause == .invalidRequest && type(of: failure.underlyingError) == type(of: Optional(thrown)))
            #expect(failure.request?.url?.host == "a.example")
        }
    }

    @Test func networkErrorsAndCancellationAreRethrown() async throws {
        #expect(try await error(of: NetworkError.noData) as? NetworkError == .noData)
        #expect(try await error(of: NetworkFailure.timeout()) as? NetworkFailure == .timeout())
        #expect(try await error(of: CancellationError()) is CancellationError)
    }

    @Test func defaultsOfTheHooks() async throws {
        struct Idle: RequestInterceptor {}
        let request = URLRequest(url: try url())
        #expect(try await Idle().adapt(request) == request)
        let result = try await Idle().retry(request, dueTo: .timeout, currentRetryCount: 0)
        if case .doNotRetry = result {} else { Issue.record("\(result)") }
    }
}
