import NetCore
import TestLab
import Testing

@Suite struct InterceptorTests {
    private struct Shouter: Interceptor {
        func intercept(response: HTTPURLResponse, data: Data) async throws -> Data {
            if response.statusCode == 500 { throw PluginError() }
            return Data(String(decoding: data, as: UTF8.self).uppercased().utf8) + Data("\(response.statusCode)".utf8)
        }
    }

    private func response(
        status: Int = 200, delivery: RequestContext.Delivery, body: HTTPBody = HTTPBody("hello"), url: URL? = nil
    ) async throws -> TransportResponse {
        var context = RequestContext()
        context.delivery = delivery
        let next = Next(context: context) { request, _, _ in
            TransportResponse(status: status, headers: ["X-A": "1"], url: url ?? request.url, body: body)
        }
        return try await Shouter().intercept(URLRequest(url: try NetCoreTests.url()), next: next)
    }

    @Test(arguments: [200, 404]) func responsesAreInterceptedWithCollectedBodies(_ status: Int) async throws {
        for body in [HTTPBody("hello"), HTTPBody(stream: Chunks(["he", "llo"]))] {
            let response = try await response(status: status, delivery: .collected(limit: 5), body: body)
            #expect(response.body.data == Data("HELLO\(status)".utf8))
            #expect(response.status == status && response.headers["X-A"] == "1")
        }
    }

    @Test func streamedResponsesAreNotIntercepted() async throws {
        #expect(try await response(delivery: .streamed).body.data == Data("hello".utf8))
    }

    @Test func bodyOverTheLimitFails() async throws {
        let failure = try await failure { try await response(delivery: .collected(limit: 4)) }
        #expect(failure.cause == .responseTooLarge(limit: 4) && failure.response?.statusCode == 200)
    }

    @Test func thrownErrorHasRequestAndResponse() async throws {
        let failure = try await failure { try await response(status: 500, delivery: .collected(limit: 9)) }
        #expect(failure.underlyingError is PluginError && failure.response?.statusCode == 500)
        #expect(failure.request?.url?.host == "a.example" && failure.retryAttempt == 0)
    }
}
