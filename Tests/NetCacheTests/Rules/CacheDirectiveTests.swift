import Testing

@testable import NetCache

@Suite("CacheDirective") struct CacheDirectiveTests {
    private func response(_ values: String...) -> ResponseDirectives {
        ResponseDirectives(HTTPHeaders(received: values.map { HTTPHeader(name: "cache-control", value: $0) }))
    }

    @Test func responseDirectivesAreParsed() {
        let directives = response(
            "Public, MAX-AGE=60, s-maxage=\"120\",must-revalidate , proxy-revalidate, immutable, must-understand",
            "stale-while-revalidate=5, stale-if-error=6, no-store, private, no-cache, x=\"no-cache=1\"")
        var expected = ResponseDirectives()
        (expected.maxAge, expected.sharedMaxAge) = (60, 120)
        (expected.staleWhileRevalidate, expected.staleIfError) = (5, 6)
        (expected.isPublic, expected.isImmutable, expected.noStore) = (true, true, true)
        (expected.mustRevalidate, expected.proxyRevalidate, expected.mustUnderstand) = (true, true, true)
        (expected.isPrivate, expected.noCache) = (.whole, .whole)
        #expect(directives == expected)
    }

    @Test(
        arguments: [
            ("max-age=60", 60), ("max-age=0060", 60), ("max-age=\"60\"", 60), ("max-age=99999999999999999999", 1 << 31),
            ("max-age=2147483648", 1 << 31), ("max-age=-1", 0), ("max-age=+1", 0), ("max-age=1.5", 0),
            ("max-age=a1", 0),
            ("max-age=1a", 0), ("max-age=", 0), ("max-age", 0), ("max-age =60", 0), ("max-age= 60", 0),
            ("max-age='60'", 0), ("max-age=\"60", 0), ("max-age=60, max-age=1", 60), ("max-age=1, max-age=60", 1),
            ("max-age=٣", 0), ("max-age=1_0", 0), ("x=\"max-age=60\"", nil), ("amax-age=60", nil), ("max-agea=60", nil),
            (",,max-age=60,,", 60), ("\tmax-age=60 ", 60), ("max-age=60;x", 0),
        ] as [(String, Int?)])
    func invalidMaxAgeIsZero(value: String, seconds: Int?) { #expect(response(value).maxAge == seconds) }

    @Test func firstOfRepeatedDirectivesWins() {
        #expect(response("max-age=5", "max-age=10, no-store").maxAge == 5)
        #expect(response("max-age=5", "max-age=10, no-store").noStore)
    }

    @Test func unclosedQuoteHidesNoDirective() {
        #expect(response("x=\"a, no-store").noStore && !response("x=\"a, no-store\"").noStore)
        #expect(response("x=\"a\\\", no-store").noStore && !response("x=\"a\\\", no-store\"").noStore)
        #expect(response("x=\"a\"\", no-store").noStore)
    }

    @Test(
        arguments: [
            ("no-cache=\"Set-Cookie\"", .fields(["set-cookie"])), ("no-cache=\"a, B ,c\"", .fields(["a", "b", "c"])),
            ("no-cache=a", .fields(["a"])), ("no-cache=\"a\", no-cache=\"b\"", .fields(["a", "b"])),
            ("no-cache=\"a\", no-cache", .whole), ("no-cache, no-cache=\"a\"", .whole), ("no-cache=\"\"", .whole),
            ("no-cache=", .whole), ("no-cache=\"a b\"", .whole), ("no-cache = \"a\"", .whole), ("no-cache=\"a", .whole),
        ] as [(String, ResponseDirectives.Scope)])
    func noCacheMayNameFields(value: String, scope: ResponseDirectives.Scope) {
        #expect(response(value).noCache == scope)
    }

    @Test func requestDirectivesAreParsed() {
        let directives = RequestDirectives(
            cacheControl: "no-cache, no-store, only-if-cached, max-age=1, max-stale=2, min-fresh=3, stale-if-error=4",
            pragma: nil)
        var expected = RequestDirectives()
        (expected.noCache, expected.noStore, expected.onlyIfCached) = (true, true, true)
        (expected.maxAge, expected.maxStale, expected.minFresh, expected.staleIfError) = (1, 2, 3, 4)
        #expect(directives == expected)
    }

    @Test func invalidRequestNumbersAreReadStrictly() {
        let directives = RequestDirectives(
            cacheControl: "max-age=x, max-stale=x, min-fresh=x, stale-if-error=x", pragma: nil)
        #expect((directives.maxAge, directives.maxStale) == (0, 0) && directives.minFresh == 1 << 31)
        #expect(directives.staleIfError == 0)
        #expect(RequestDirectives(cacheControl: "max-stale", pragma: nil).maxStale == .max)
    }

    @Test func pragmaAppliesWithoutCacheControl() {
        #expect(RequestDirectives(cacheControl: nil, pragma: "no-cache").noCache)
        #expect(!RequestDirectives(cacheControl: "max-age=5", pragma: "no-cache").noCache)
        #expect(!RequestDirectives(cacheControl: nil, pragma: "x").noCache)
    }

    @Test func urlRequestCachePoliciesMapToDirectives() {
        func directives(_ policy: URLRequest.CachePolicy) -> RequestDirectives {
            RequestDirectives(cacheControl: nil, pragma: nil, policy: policy)
        }
        #expect(directives(.useProtocolCachePolicy) == RequestDirectives())
        #expect(directives(.reloadIgnoringLocalCacheData).reloadDirective == "no-cache")
        #expect(directives(.reloadIgnoringLocalAndRemoteCacheData).isReload)
        #expect(directives(.reloadRevalidatingCacheData).reloadDirective == "max-age=0")
        #expect(directives(.returnCacheDataElseLoad).maxStale == .max)
        #expect(!directives(.returnCacheDataElseLoad).onlyIfCached && directives(.returnCacheDataDontLoad).onlyIfCached)
    }
}
