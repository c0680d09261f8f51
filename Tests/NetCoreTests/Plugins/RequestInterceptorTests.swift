import NetCore
import Testing

@Suite struct RequestInterceptorTests {
    private struct Thrower: RequestInterceptor {
        let error: any Error

        func adapt(_ request: URLRequest) async throws -> URLRequest { throw error }
    }

    private func error(of thrown: any Error) async throws -> any Error {
        let next = Next { request, _, _ in TransportResponse(status: 200, url: request.url) }
        let request = URLRequest(url: try #require(URL(string: "https://a.example/")))
        do {
            _ = try await Thrower(error: thrown).intercept(request, next: next)
        } catch {
            return error
        }
        throw CocoaError(.featureUnsupported)
    }

    @Test func whatAdaptThrowsIsAnInvalidRequest() async throws {
        for thrown in [PluginError(), URLError(.userAuthenticationRequired)] as [any Error] {
            let failure = try #require(await error(of: thrown) as? NetworkFailure)
            #expect(failure.cause == .invalidRequest)
            #expect(type(of: failure.underlyingError) == type(of: Optional(thrown)))
            #expect(failure.request?.url?.host == "a.example")
        }
    }

    @Test func ourErrorsAndCancellationPass() async throws {
        #expect(try await error(of: NetworkError.noData) as? NetworkError == .noData)
        #expect(try await error(of: NetworkFailure.timeout()) as? NetworkFailure == .timeout())
        #expect(try await error(of: CancellationError()) is CancellationError)
    }

    @Test func hooksHaveDefaults() async throws {
        struct Idle: RequestInterceptor {}
        let request = URLRequest(url: URL(string: "https://a.example/")!)
        #expect(try await Idle().adapt(request) == request)
        let result = try await Idle().retry(request, dueTo: .timeout, currentRetryCount: 0)
        guard case .doNotRetry = result else {
            Issue.record("\(result)")
            return
        }
    }
}
