import NetCache
import NetCore
import Testing
import os

/// A field that makes another owner over and over is named in the unified log, although nothing logs the calls.
@Suite struct CacheNoticeTests {
    @Test func cacheNoticeInTheLogNamesTheField() async throws {
        let cache = ResponseCache(maxEntries: 100)
        let url = try #require(URL(string: "https://a.example/"))
        for number in 0..<20 {
            var request = URLRequest(url: url)
            request.setValue("\(number)", forHTTPHeaderField: "X-Apple-Probe-Token")
            var context = RequestContext()
            context.delivery = .collected(limit: 100)
            let next = Next(context: context) { request, _, _ in
                TransportResponse(
                    status: 200, headers: ["Cache-Control": "max-age=3600"], url: request.url, body: HTTPBody("x"))
            }
            _ = try await cache.intercept(request, next: next)
        }
        let shown = FakeUnifiedLog.entries(of: "networking.client").map(\.shown)
        #expect(shown.filter { $0.contains("x-apple-probe-token") }.count == 1)
    }
}
