import NetTesting
import Networking
import TestLab
import Testing

/// The rules of the cache (29 to 33), and whose a stored response is, through whole clients.
@Suite struct CacheRulesTests: RulesSuite {
    let clock = TestClock(autoAdvance: true)

    // MARK: Rule 19: cookies

    @Test(
        "A sign-in by POST, redirect, magic link, a new cookie or the app makes another owner",
        arguments: ["/post", "/redirect", "/magic/x", "/?code=1", "/new", "app"])
    func signInChangesTheOwner(way: String) async throws {
        let transport = counting { request, number in
            switch request.url?.path {
            case "/post": ["Set-Cookie": "sid=\(number); HttpOnly; Path=/"]
            case "/redirect": ["Set-Cookie": "sid=\(number); HttpOnly; Path=/", "Location": "/me2"]
            case "/new": ["Set-Cookie": "auth=\(number); Path=/"]
            default: [:]
            }
        }
        let client = client(transport) { $0.cookies = .private }
        client.cookies?.set(Cookie(name: "sid", value: "0", domain: "a.example", isHTTPOnly: true))
        let before = try await text(get(client, "/me"))
        #expect(try await text(get(client, "/me")) == before)
        switch way {
        case "app": client.cookies?.set(Cookie(name: "sid", value: "x", domain: "a.example", isHTTPOnly: true))
        default: _ = try await get(client, way, method: way == "/post" ? "POST" : "GET")
        }
        #expect(try await text(get(client, "/me")) != before)
    }

    @Test(
        "Cookies of the infrastructure that come, change and expire every half hour cost no hit, also over launches",
        arguments: [false, true])
    func loadBalancerCookiesCostNoHit(endsTheProcess: Bool) async throws {
        let transport = counting { _, number in ["Set-Cookie": "AWSALB=\(number); Max-Age=1800; HttpOnly; Path=/"] }
        let folder = try TemporaryDirectory()
        func launch() -> NetworkClient {
            let store = CookieStore(file: folder.file("cookies"), clock: clock)
            return self.client(transport, diskCache: folder.url) { $0.cookies = store }
        }
        var client = launch()
        for page in 0..<10 { _ = try await get(client, "/\(page)") }
        for round in 0..<20 {
            client.cookies?.set(Cookie(name: "_ga", value: "\(round)", domain: "a.example"))
            await clock.advance(by: 1_801)
            if endsTheProcess { client = launch() }
            _ = try await get(client, "/other-\(round)", method: "POST")
            for page in 0..<10 {
                #expect(try await get(client, "/\(page)").headers["Cache-Status"]?.contains("hit") == true)
            }
        }
    }

    // MARK: Rule 29: only-if-cached

    @Test(arguments: ["GET", "POST"]) func onlyIfCachedWithoutAnEntryIs504(method: String) async throws {
        let transport = counting()
        let client = client(transport)
        for response in [
            try await get(client, method: method, policy: .returnCacheDataDontLoad),
            try await get(client, method: method, fields: ["Cache-Control": "max-age=5, Only-If-Cached"]),
        ] {
            let status = response.headers["Cache-Status"]
            #expect(response.status == 504 && status == "Networking; detail=only-if-cached")
        }
        #expect(transport.exchanges.isEmpty)
    }

    @Test func onlyIfCachedWithoutACacheIs504() async throws {
        let transport = counting()
        let client = client(transport) { $0.cache = nil }
        #expect(try await get(client, policy: .returnCacheDataDontLoad).status == 504)
        #expect(try await get(client, fields: ["Cache-Control": "only-if-cached"]).status == 504)
        let facade = Networking(transport: transport)
        let response: NetworkResponse<String> = await facade.request(
            url: try #require(URL(string: "https://a.example/")), headers: ["Cache-Control": "only-if-cached"])
        #expect(response.statusCode == 504 && transport.exchanges.isEmpty)
    }

    @Test func onlyIfCachedBeforeTheTokenIsKnownIs504() async throws {
        let folder = try TemporaryDirectory()
        let isDown = Locked(false)
        let transport = counting { _, _ in
            if isDown.withLock({ $0 }) { throw URLError(.notConnectedToInternet) }
            return [:]
        }
        func launch() -> NetworkClient {
            client(transport, diskCache: folder.url) {
                $0.interceptors = [AuthInterceptor(tokenProvider: LateToken())]
            }
        }
        let first = launch()
        let unknown = try await get(first, policy: .returnCacheDataDontLoad)
        #expect(unknown.headers["Cache-Status"] == "Networking; detail=no-credentials-yet")
        #expect(unknown.status == 504 && transport.exchanges.isEmpty)
        _ = try await get(first)
        let stored = try await text(get(first))
        // The next launch is offline: the first request asks for the token, cannot be sent, and finds the stored response.
        isDown.withLock { $0 = true }
        let offline = try await get(launch())
        #expect(try await text(offline) == stored)
        #expect(offline.headers["Cache-Status"]?.hasPrefix("Networking; hit") == true)
    }

    // MARK: Rule 30: which response is newer

    @Test func olderResponseDoesNotReplaceANewerOne() async throws {
        let isHeld = Locked(true)
        let transport = counting { request, number in
            if number == 1 { try await waitUntil("it is let go") { isHeld.withLock { $0 } ? nil : () } }
            return ["Date": HTTPDate.string(from: Date(timeIntervalSince1970: number == 1 ? 1.7e9 : 1.7e9 + 1))]
        }
        let client = client(transport)
        let late = Task { try await get(client) }
        try await waitUntil("it is sent") { transport.exchanges.isEmpty ? nil : () }
        #expect(try await text(get(client)) == "2")
        isHeld.withLock { $0 = false }
        #expect(try await (late.value.headers["Cache-Status"]?.contains("stored"), text(get(client))) == (false, "2"))
    }

    // MARK: Rule 31: two tiers

    /// A lower store that lets something happen before its removal.
    private final class SlowRemoval: HTTPCacheStore {
        let base: DiskCache
        let before = Locked<(@Sendable () async throws -> Void)?>(nil)
        init(_ base: DiskCache) { self.base = base }
        func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] { try await base.entries(for: key) }
        func body(of entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> HTTPBody? {
            try await base.body(of: entry, for: key)
        }
        func beginStoring(
            _ entry: HTTPCacheEntry, for key: HTTPCacheKey, length: Int64?, since generation: HTTPCacheEntry.Generation?
        ) async throws -> (any HTTPCacheEntry.Writer)? {
            try await base.beginStoring(entry, for: key, length: length, since: nil)
        }
        func update(
            _ entry: HTTPCacheEntry, for key: HTTPCacheKey, replacing old: HTTPCacheEntry,
            since generation: HTTPCacheEntry.Generation?
        ) async throws -> Bool { try await base.update(entry, for: key, replacing: old, since: nil) }
        func remove(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws {
            try await base.remove(entry, for: key)
        }
        func removeAll(url: String) async throws {
            try await before.withLock { $0 }?()
            try await base.removeAll(url: url)
        }
        func removeAll() async throws {
            try await before.withLock { $0 }?()
            try await base.removeAll()
        }
    }

    @Test(arguments: [true, false]) func lookupDuringAnInvalidationOfBothTiersKeepsNothing(ofAll: Bool) async throws {
        let folder = try TemporaryDirectory()
        let lower = SlowRemoval(DiskCache(directory: folder.url, clock: clock))
        let cache = ResponseCache(store: TieredCache(upper: NetworkCache(clock: clock, purgeInterval: 0), lower: lower))
        let client = client(counting()) { $0.cache = cache }
        #expect(try await text(get(client)) == "1")
        // A look-up in the middle of the removal.
        lower.before.withLock { $0 = { _ = try await get(client) } }
        if ofAll { await cache.invalidateAll() } else { try await cache.invalidate(for: request()) }
        #expect(try await text(get(client)) == "2")
    }

    // MARK: Rule 32: hidden credentials

    /// Signs in by a field behind the cache.
    private static func signedIn(_ user: Locked<String?>) -> FieldMiddleware {
        FieldMiddleware(field: "Authorization") { user.withLock { $0 } }
    }

    @Test func hiddenCredentialsBypassTheCache() async throws {
        let user = Locked<String?>(nil)
        let client = client(counting()) { $0.interceptors = [Self.signedIn(user)] }
        #expect(try await text(get(client, "/public")) == "1")
        user.withLock { $0 = "ada" }
        #expect(try await get(client, "/mine").headers["Cache-Status"]?.contains("hidden-credentials") == true)
        let second = try await get(client, "/public")
        #expect(try await text(second) == "3", "stored before somebody signed in")
        #expect(second.headers["Cache-Status"] == "Networking; fwd=bypass; detail=hidden-credentials")
        #expect(try await get(client, "/public", policy: .returnCacheDataDontLoad).status == 504)
    }

    /// Signs in behind the cache, although it could do so in `adapt`.
    private final class SigningHook: RequestInterceptor {
        let user = Locked<String?>(nil)
        func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            try await signedIn(user).intercept(request, next: next)
        }
    }

    @Test(arguments: ["GET", "POST"]) func hiddenCredentialsOfAHookBypassTheCache(method: String) async throws {
        let hook = SigningHook()
        let client = client(counting()) { $0.interceptors = [hook] }
        #expect(try await text(get(client, "/public")) == "1")
        hook.user.withLock { $0 = "ada" }
        _ = try await get(client, "/mine", method: method)
        #expect(try await text(get(client, "/public")) == "3")
    }

    @Test func hiddenCredentialsAtLaunchBypassTheCache() async throws {
        let folder = try TemporaryDirectory()
        let user = Locked<String?>(nil)
        let transport = counting()
        func launch() -> NetworkClient {
            client(transport, diskCache: folder.url) { $0.interceptors = [Self.signedIn(user)] }
        }
        let signedOut = launch()
        #expect(try await [text(get(signedOut)), text(get(signedOut))] == ["1", "1"])
        user.withLock { $0 = "ada" }
        #expect(try await text(get(launch())) == "2")
        user.withLock { $0 = nil }
        let again = launch()
        #expect(
            try await [text(get(again)), text(get(again))] == ["3", "3"], "an exchange has shown that nothing is added")
    }

    // MARK: Rule 33: JSON bodies

    @Test func graphQLQueriesAreKeyedByTheirJSON() async throws {
        var rules = CacheRules()
        rules.methodsKeyedByBody = [.post]
        let cache = ResponseCache(store: NetworkCache(clock: clock, purgeInterval: 0), rules: rules)
        let client = client(counting()) { $0.cache = cache }
        func post(_ body: String) async throws -> String {
            let fields = ["Content-Type": "application/json"]
            return try await text(get(client, "/graphql", method: "POST", fields: fields, body: body))
        }
        let query = #"{"query":"{ user(id: 1) { name } }","variables":{"a":1,"b":[1.0,"x"]}}"#
        let same = #"{ "variables" : {"b":[1.0,"\u0078"], "a":1}, "query": "{ user(id: 1) { name } }" }"#
        #expect(try await [post(query), post(same)] == ["1", "1"])
        #expect(try await post(query.replacingOccurrences(of: "1.0", with: "1")) == "2", "numbers by their text")
        let mutation = #"{"query":"mutation { rename(id: 1, to: \"query\") { name } }"}"#
        #expect(try await [post(mutation), post(mutation)] == ["3", "4"])
        #expect(try await post(query) == "5", "a mutation invalidates")
    }

    @Test("The user's own PUT invalidates, also when the cache is nearly full")
    func putInvalidatesInANearlyFullCache() async throws {
        let networking = Networking(
            transport: counting(), cache: NetworkCache(maxEntries: 10, clock: clock), clock: clock)
        let policy = CachePolicy(useCache: true, storeCache: true)
        let token: HTTPHeaders = [.authorization(bearerToken: "t")]
        func get(_ path: String, headers: HTTPHeaders = [:]) async throws -> String {
            let url = try #require(URL(string: "https://a.example" + path))
            return try await networking.request(url: url, headers: headers, cachePolicy: policy)
        }
        let before = try await get("/me", headers: token)
        for number in 0..<30 {
            _ = try await get("/\(number)")
            if number.isMultiple(of: 3) { #expect(try await get("/me", headers: token) == before) }
        }
        let url = try #require(URL(string: "https://a.example/me"))
        let _: String = try await networking.request(url: url, method: .put, headers: token)
        #expect(try await get("/me", headers: token) != before)
    }

    @Test func rangeOfADecodedBodyGetsTheWholeBody() async throws {
        let server = try MockServer { _ in
            MockResponse.gzippedZeros(count: 5_000).addingHeader("Cache-Control", "max-age=600")
                .addingHeader("ETag", "\"strong\"")
        }
        let client = NetworkClient(cache: ResponseCache(maxEntries: 10))
        let request = URLRequest(url: server.url("/"))
        #expect(try await client.response(for: request).body.data == Data(count: 5_000))
        let response = try await client.response(for: request.setting("Range", "bytes=0-3"))
        #expect(response.headers["Content-Range"] == nil)
        #expect(response.status == 200 && response.body.data == Data(count: 5_000))
    }
}
