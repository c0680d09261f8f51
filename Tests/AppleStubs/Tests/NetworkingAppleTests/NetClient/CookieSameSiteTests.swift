import Foundation
import NetClient
import Testing

/// What only Apple's `HTTPCookie` has.
@Suite struct CookieSameSiteTests {
    @Test(arguments: [Cookie.SameSite.strict, .lax, .unspecified])
    func sameSiteSurvivesHTTPCookie(_ sameSite: Cookie.SameSite) throws {
        let cookie = Cookie(name: "a", value: "1", domain: "a.example", sameSite: sameSite)
        let system = try #require(cookie.httpCookie)
        #expect((Cookie(system).sameSite, Cookie(system).value) == (sameSite, "1"))
    }
}
