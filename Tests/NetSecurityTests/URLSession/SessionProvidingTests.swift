import NetSecurity
import TestLab
import Testing

@Suite struct SessionProvidingTests {
    @Test func concurrentCallersGetTheSameSession() async throws {
        let provider = DefaultSessionProvider()
        let sessions = try await atOnce(50) { _ in ObjectIdentifier(provider.session) }
        #expect(Set(sessions) == [ObjectIdentifier(provider.session)])
        provider.session.invalidateAndCancel()
    }

    @Test func configurationIsCopied() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 7
        let provider = DefaultSessionProvider(configuration: configuration)
        configuration.timeoutIntervalForRequest = 99
        #expect(provider.session.configuration.timeoutIntervalForRequest == 7)
        provider.session.invalidateAndCancel()
    }

    @Test func providersHaveTheirOwnSessions() {
        let one: any URLSessionProviding = DefaultSessionProvider()
        let other: any URLSessionProviding = DefaultSessionProvider()
        #expect(one.session !== other.session)
        one.session.invalidateAndCancel()
        other.session.invalidateAndCancel()
    }

    #if os(Linux)
        @Test func backgroundSessionsAreRefused() {
            let error = #expect(throws: NetworkError.self) { try DefaultSessionProvider.background(identifier: "x") }
            #expect(error?.code == "unsupported")
        }
    #endif

    @Test func mockProviderUsesItsProtocolClasses() async throws {
        let provider: any URLSessionProviding = .mock(protocolClasses: [Teapot.self])
        let url = try #require(URL(string: "https://example.com/"))
        let status = await withCheckedContinuation { continuation in
            provider.session.dataTask(with: url) { _, response, _ in
                continuation.resume(returning: (response as? HTTPURLResponse)?.statusCode)
            }.resume()
        }
        #expect(status == 418 && provider.session === provider.session)
        provider.session.invalidateAndCancel()
    }
}

private final class Teapot: URLProtocol {
    override static func canInit(with request: URLRequest) -> Bool { true }
    override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 418, httpVersion: "HTTP/1.1", headerFields: [:])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
    }
    override func stopLoading() {}
}
