import NetTesting
import Networking
import Testing

/// Seed 000, chapter HTTPMethod.
@Suite struct HTTPMethodChapterTests {
    /// Section 1, Quick Look.
    @Test func quickLook() {
        let httpMethod = HTTPMethod.post.rawValue  // "POST"
        #expect(httpMethod == "POST")
        let method = HTTPMethod(rawValue: "GET")
        if method == .get {} else { Issue.record("if method == .get { … }") }
    }

    /// Section 2, Cheat-Sheet: what is idempotent, cacheable and safe.
    ///
    /// PUT and DELETE are not safe, PATCH, POST and CONNECT nothing.
    @Test(arguments: [
        (HTTPMethod.get, true, true, true), (.head, true, true, true), (.options, true, false, true),
        (.trace, true, false, true), (.put, true, false, false), (.delete, true, false, false),
        (.patch, false, false, false), (.post, false, false, false), (.connect, false, false, false),
    ]) func cheatSheet(method: HTTPMethod, idempotent: Bool, cacheable: Bool, safe: Bool) {
        #expect((method.isIdempotent, method.isCacheable, method.isSafe) == (idempotent, cacheable, safe))
    }

    /// "Raw-value = uppercase string": each arrives as it is, but CONNECT, which is the proxy's.
    @Test(arguments: HTTPMethod.allCases.filter { $0 != .connect && $0 != .trace })
    func arrives(method: HTTPMethod) async throws {
        let server = try MockServer { _ in .ok }
        try await Networking().request(url: server.url("/"), method: method)
        #expect(try await (server.takeRequest().method, method.rawValue) == (method, method.rawValue.uppercased()))
        await server.stop()
    }
}
