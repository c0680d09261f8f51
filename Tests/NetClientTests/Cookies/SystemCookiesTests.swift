@testable import NetClient

/// A store that is synchronized with Foundation's storage.
@Suite struct SystemCookiesTests {
    private let storage: HTTPCookieStorage
    private let lab: CookieLab

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        lab = CookieLab(system: storage)
    }

    private func set(_ name: String, _ value: String, isHTTPOnly: Bool = false) throws {
        let cookie = Cookie(name: name, value: value, domain: "www.example.org", isHTTPOnly: isHTTPOnly)
        storage.setCookie(try #require(cookie.httpCookie))
        notify()
    }

    /// On Linux the storage does not post its changes.
    private func notify() {
        #if !canImport(Darwin)
            NotificationCenter.default.post(name: .NSHTTPCookieManagerCookiesChanged, object: storage)
        #endif
    }

    @Test func changesAreSynchronizedBothWays() throws {
        try lab.receive("a=1; Path=/; Max-Age=100", "b=2; Domain=example.org; Path=/; Secure")
        #expect(Set(storage.cookies?.map(\.name) ?? []) == ["a", "b"])
        #expect(storage.cookies?.first { $0.name == "b" }?.domain == ".example.org")
        try set("c", "3")
        #expect(try lab.field("https://www.example.org/") == "a=1; b=2; c=3")
        lab.store.remove(name: "a", domain: "www.example.org")
        #expect(Set(storage.cookies?.map(\.name) ?? []) == ["b", "c"])
        for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        notify()
        #expect(try lab.field("https://www.example.org/") == nil && lab.store.cookies.isEmpty)
    }

    @Test func sessionCookieSetInTheStorageChangesTheEpoch() throws {
        try set("session", "alice", isHTTPOnly: true)
        let alice = try lab.epoch()
        #expect(try lab.epoch() == alice)
        try set("visits", "1")
        #expect(try lab.epoch() == alice)
        try set("session", "bob", isHTTPOnly: true)
        #expect(try lab.epoch() != alice)
    }

    @Test func observerMayReadAndChangeTheStore() throws {
        let store = lab.store
        let seen = Locked(0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSHTTPCookieManagerCookiesChanged, object: storage, queue: nil
        ) { _ in
            store.set(Cookie(name: "seen", value: "1", domain: "www.example.org"))
            let count = store.cookies.count
            seen.withLock { $0 = count }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try lab.receive("a=1", "b=2")
        notify()
        #expect(seen.withLock { $0 } == 3 && storage.cookies?.count == 3)
    }

    @Test func epochFileHasNoCookies() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("epochs")
        let first = CookieLab(system: storage, epochs: file)
        try first.receive("session=s3cr3t; HttpOnly; Max-Age=1000")
        first.store.removeAll(for: "other.example")
        #expect(try first.store.save() && !String(contentsOf: file, encoding: .utf8).contains("s3cr3t"))
        let (second, other) = (CookieLab(system: storage, epochs: file), try url("https://other.example/"))
        #expect(second.store.scope(for: other) == first.store.scope(for: other))
        // The session may have changed.
        #expect(try second.epoch() != first.epoch() && second.field() == "session=s3cr3t")
    }

    @Test func acceptPolicyNeverStoresNoCookies() throws {
        storage.cookieAcceptPolicy = .never
        try lab.receive("a=1")
        #expect(try lab.field() == nil)
    }
}
