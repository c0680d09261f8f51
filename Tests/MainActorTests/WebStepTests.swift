import Networking
import Testing

/// A web step of an app whose declarations belong to the main actor.
@Suite struct WebStepTests {
    final class Browser {
        var page: URL?

        func open(_ page: URL) async throws -> URL {
            self.page = page
            return try #require(URL(string: "myapp://callback?code=1"))
        }
    }

    @Test func aClosureShowsThePage() async throws {
        let browser = Browser()
        let redirect = try #require(URL(string: "myapp://callback"))
        let step = OAuthClient.WebStep { try await browser.open(try $0(redirect)) }
        let callback = try await step.callback { $0.appendingPathComponent("page") }
        #expect(callback.query == "code=1" && browser.page?.lastPathComponent == "page")
    }
}
