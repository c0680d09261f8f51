import NetTesting
import Testing

@testable import NetClient

/// Rule 19: when the cookies of a site may have become another user's.
@Suite struct CookieEpochTests {
    /// Whether the work moved the epoch of www.example.org.
    private func moves(_ lab: CookieLab, _ work: () async throws -> Void) async throws -> Bool {
        let before = try lab.epoch()
        try await work()
        return try lab.epoch() != before
    }

    @Test(arguments: CookieLab.Kind.allCases) func signOutAndInAsAnotherUser(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        try lab.receive("session=alice; HttpOnly; Secure")
        let alice = try lab.epoch()
        #expect(try await moves(lab) { lab.store.removeAll(for: "www.example.org") })
        let signedOut = try lab.epoch()
        try lab.receive("session=bob; HttpOnly; Secure")
        let bob = try lab.epoch()
        #expect(Set([alice, signedOut, bob]).count == 3)
    }

    @Test(arguments: CookieLab.Kind.allCases) func formLoginThatKeepsTheName(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        try lab.receive("session=anonymous; HttpOnly")
        #expect(try await moves(lab) { try lab.receive("session=alice; HttpOnly", method: .post) })
        #expect(try await moves(lab) { try lab.receive("session=bob; HttpOnly", method: .post) })
        // The same value again is the same user.
        #expect(try await !moves(lab) { try lab.receive("session=bob; HttpOnly; Max-Age=60", method: .post) })
    }

    @Test(arguments: CookieLab.Kind.allCases) func rotationsOfAnAnalyticsCookieAreOneEpoch(kind: CookieLab.Kind) throws
    {
        let lab = CookieLab(kind)
        try lab.receive("session=alice; HttpOnly")
        let first = try lab.epoch()
        for number in 0..<50 {
            try lab.receive("visits=\(number); Max-Age=1000", "session=alice-\(number); HttpOnly")
            #expect(try lab.epoch() == first)
        }
        #expect(try lab.field() == "session=alice-49; visits=49")
    }

    @Test(arguments: CookieLab.Kind.allCases) func endOfAnHTTPOnlyCookie(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        try lab.receive("a=1; HttpOnly; Max-Age=10", "b=1; Max-Age=10", "c=1; HttpOnly")
        #expect(try await moves(lab) { try lab.receive("c=; HttpOnly; Max-Age=0") })
        #expect(try await !moves(lab) { try lab.receive("b=; Max-Age=0") })
        #expect(try await !moves(lab) { await lab.clock.advance(by: 9) })
        #expect(try await moves(lab) { await lab.clock.advance(by: 2) })
    }

    @Test(arguments: CookieLab.Kind.allCases) func endOfACookieThatALoginSet(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        try lab.receive("user=alice; Max-Age=10", method: .post)
        #expect(try await moves(lab) { await lab.clock.advance(by: 11) })
    }

    @Test(arguments: CookieLab.Kind.allCases) func appAndServerClear(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        try lab.receive("a=1")
        #expect(try await moves(lab) { lab.store.remove(name: "a", domain: "www.example.org") })
        #expect(try await moves(lab) { lab.store.removeAll() })
        #expect(try await moves(lab) { lab.store.set(Cookie(name: "a", value: "1", domain: "www.example.org")) })
        #expect(try await !moves(lab) { lab.store.set(Cookie(name: "a", value: "1", domain: "www.example.org")) })
        #expect(try await moves(lab) { lab.store.set(Cookie(name: "a", value: "2", domain: "www.example.org")) })
        let headers: HTTPHeaders = ["Clear-Site-Data": "\"cache\", \"cookies\""]
        #expect(
            try await moves(lab) { lab.store.receive(headers, from: try url("https://api.example.org/"), method: .get) }
        )
        #expect(lab.store.cookies.isEmpty)
    }

    @Test(arguments: CookieLab.Kind.allCases) func otherSitesStayAsTheyAre(kind: CookieLab.Kind) async throws {
        let lab = CookieLab(kind)
        try lab.receive("a=1; HttpOnly")
        try lab.receive("a=1; HttpOnly", from: "https://other.example/")
        let other = try lab.epoch("https://other.example/")
        #expect(try await moves(lab) { lab.store.removeAll(for: "www.example.org") })
        #expect(try lab.epoch("https://other.example/") == other)
        #expect(try lab.epoch("https://api.example.org/") == lab.epoch("https://www.example.org/x"))
    }

    @Test(arguments: CookieLab.Kind.allCases) func storesHaveNamesOfTheirOwn(kind: CookieLab.Kind) throws {
        let lab = CookieLab(kind)
        let here = try url("https://a.example/")
        #expect(lab.store.scope(for: here).name == lab.store.scope(for: here).name)
        #expect(lab.store.scope(for: here).name != CookieStore.private.scope(for: here).name)
    }
}
