import NetSecurity
import Testing

@Suite("Providers of a URLSession") struct OtherSessionProvidersTests {
    #if os(Linux)
        @Test func backgroundSessionsAreRefused() {
            #expect { try DefaultSessionProvider.background(identifier: "x") } throws: { error in
                if case NetworkError.unsupported = error { true } else { false }
            }
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
