import Testing

@testable import NetCache

@Suite("Fields") struct FieldTests {
    @Test(arguments: [
        ("", [] as [String]), (" , ,\t,", []), ("a", ["a"]), ("a,b", ["a", "b"]), (" a , \tb\t", ["a", "b"]),
        ("\"a,b\",c", ["\"a,b\"", "c"]), ("\"a\\\",b\",c", ["\"a\\\",b\"", "c"]), ("\"a,b", ["\"a", "b"]),
        ("a\"b,c\"d,e", ["a\"b,c\"d", "e"]), ("\"\\", ["\"\\"]), ("a\u{0301},b", ["a\u{0301}", "b"]),
    ]) func listMembersAreSplitAtCommas(value: String, members: [String]) {
        #expect(value.listMembers().map(String.init) == members)
    }

    @Test func quotesMayHaveEscapesButThoseOfEntityTagsHaveNot() {
        #expect(("\"" + String(repeating: "\\\"", count: 200_000)).listMembers().count == 1)
        #expect("\"a\\\",\"b\"".listMembers(hasEscapes: false).map(String.init) == ["\"a\\\"", "\"b\""])
    }

    @Test func entityTagsCompareWeaklyAndStrongly() throws {
        let strong = try #require(EntityTag("\"1\""))
        let weak = try #require(EntityTag("W/\"1\""))
        let other = try #require(EntityTag("\"2\""))
        let bare = try #require(EntityTag("1"))
        #expect(strong.matchesStrongly(strong) && !weak.matchesStrongly(weak) && !weak.matchesStrongly(strong))
        #expect(!strong.matchesStrongly(weak) && weak.matchesWeakly(strong) && strong.matchesWeakly(weak))
        #expect(!strong.matchesWeakly(other) && !strong.matchesWeakly(bare))
        #expect((EntityTag(""), EntityTag(nil)) == (nil, nil))
    }

    @Test(arguments: [
        ("*", true), (" * ", true), ("\"1\"", true), ("W/\"1\"", true), ("\"0\", \"1\"", true), ("\"0,\", \"1\"", true),
        ("\"2\"", false), ("", false), ("\"*\"", false), ("*, \"2\"", false), ("w/\"1\"", false), ("\"1", false),
    ]) func ifNoneMatchMatchesETags(value: String, matches: Bool) throws {
        #expect(EntityTag.Condition(value).contains(try #require(EntityTag("\"1\""))) == matches)
    }

    @Test(arguments: [
        ("bytes=0-4", ByteRange.Request.one(.from(0, through: 4))), ("Bytes=5-", .one(.from(5, through: nil))),
        ("bytes=-5", .one(.suffix(5))), ("bytes= 0-4 ", .one(.from(0, through: 4))), ("bytes=0-0,2-3", .other),
        ("lines=1-2", .other), ("bytes=99999999999999999999-", .one(.from(.max, through: nil))),
        ("bytes=0-99999999999999999999", .one(.from(0, through: .max))),
        ("bytes=-99999999999999999999", .one(.suffix(.max))), ("bytes=", nil), ("bytes", nil), ("bytes=5", nil),
        ("bytes=5-4", nil), ("bytes=-", nil), ("bytes=a-b", nil), ("bytes=1-2,x", nil), ("bytes=+1-2", nil),
        ("bytes=1- 2", nil), ("=0-4", nil), ("", nil), ("bytes=--1", nil),
    ]) func rangeFieldIsParsed(value: String, expected: ByteRange.Request?) {
        #expect(ByteRange.Request(value) == expected)
    }

    @Test(arguments: [
        (ByteRange.from(0, through: 4), Int64(10), 0..<5 as Range<Int64>?), (.from(5, through: 99), 10, 5..<10),
        (.from(5, through: nil), 10, 5..<10), (.from(10, through: nil), 10, nil), (.from(0, through: nil), 0, nil),
        (.suffix(3), 10, 7..<10), (.suffix(30), 10, 0..<10), (.suffix(0), 10, nil), (.suffix(3), 0, nil),
        (.from(.max, through: nil), .max, nil), (.from(0, through: .max), .max, 0..<Int64.max),
        (.suffix(.max), .max, 0..<Int64.max),
    ]) func rangeResolvesAgainstTheLength(range: ByteRange, length: Int64, bytes: Range<Int64>?) {
        #expect(range.resolved(length: length) == bytes)
    }

    @Test(arguments: [
        ("bytes 0-4/10", 0..<5 as Range<Int64>?, 10 as Int64?), ("BYTES  0-4/*", 0..<5, nil),
        ("bytes 9-9/10", 9..<10, 10),
        ("bytes 0-10/10", nil, nil), ("bytes 5-4/10", nil, nil), ("bytes */10", nil, nil), ("bytes 0-4", nil, nil),
        ("bytes 0-4/x", nil, nil), ("lines 0-4/10", nil, nil), ("bytes=0-4/10", nil, nil), ("", nil, nil),
        ("bytes 0-99999999999999999999/*", nil, nil), ("bytes 0/4-10", nil, nil), ("bytes -1-4/10", nil, nil),
    ]) func contentRangeIsParsed(value: String, bytes: Range<Int64>?, total: Int64?) {
        let range = ContentRange(value)
        #expect((range?.bytes, range?.total) == (bytes, total))
    }

    @Test func cacheStatusFollowsRFC9211() {
        #expect(CacheStatus(source: .stored, timeToLive: 59.9).text(of: "A") == "A; hit; ttl=59")
        #expect(CacheStatus(source: .stored, timeToLive: -0.5, detail: "x").text(of: "A") == "A; hit; ttl=-1; detail=x")
        #expect(
            CacheStatus(source: .forwarded(.stale), forwardStatus: 304, timeToLive: 5, isStored: true).text(of: "A")
                == "A; fwd=stale; fwd-status=304; ttl=5; stored")
        #expect(CacheStatus(source: .cache, detail: "x").text(of: "A") == "A; detail=x")
        #expect(CacheStatus(source: .stored, timeToLive: .infinity).text(of: "A") == "A; hit; ttl=1000000000000")
        #expect(CacheStatus(source: .stored, timeToLive: .nan).text(of: "A") == "A; hit; ttl=-1000000000000")
    }
}

@Suite("CacheDirective") struct CacheDirectiveTests {
    private func response(_ values: String...) -> ResponseDirectives {
        ResponseDirectives(HTTPHeaders(received: values.map { HTTPHeader(name: "cache-control", value: $0) }))
    }

    @Test func responseDirectivesAreParsed() {
        let directives = response(
            "Public, MAX-AGE=60, s-maxage=\"120\",must-revalidate , proxy-revalidate, immutable, must-understand",
            "stale-while-revalidate=5, stale-if-error=6, no-store, private, no-cache, x=\"no-cache=1\", max-age=1")
        var expected = ResponseDirectives()
        (expected.maxAge, expected.sharedMaxAge) = (60, 120)
        (expected.staleWhileRevalidate, expected.staleIfError) = (5, 6)
        (expected.isPublic, expected.isImmutable, expected.noStore) = (true, true, true)
        (expected.mustRevalidate, expected.proxyRevalidate, expected.mustUnderstand) = (true, true, true)
        (expected.isPrivate, expected.noCache) = (.whole, .whole)
        #expect(directives == expected)
    }

    @Test(arguments: [
        ("max-age=60", 60 as Int?), ("max-age=0060", 60), ("max-age=\"60\"", 60),
        ("max-age=99999999999999999999", 1 << 31),
        ("max-age=2147483648", 1 << 31), ("max-age=-1", 0), ("max-age=+1", 0), ("max-age=1.5", 0),
        ("max-age=a1", 0),
        ("max-age=1a", 0), ("max-age=", 0), ("max-age", 0), ("max-age =60", 0), ("max-age= 60", 0),
        ("max-age='60'", 0), ("max-age=\"60", 0), ("max-age=60, max-age=1", 60), ("max-age=1, max-age=60", 1),
        ("max-age=٣", 0), ("max-age=1_0", 0), ("x=\"max-age=60\"", nil), ("amax-age=60", nil), ("max-agea=60", nil),
        (",,max-age=60,,", 60), ("\tmax-age=60 ", 60), ("max-age=60;x", 0),
    ]) func invalidMaxAgeIsZero(value: String, seconds: Int?) { #expect(response(value).maxAge == seconds) }

    @Test func unclosedQuoteHidesNoDirective() {
        #expect(response("x=\"a, no-store").noStore && !response("x=\"a, no-store\"").noStore)
        #expect(response("x=\"a\\\", no-store").noStore && !response("x=\"a\\\", no-store\"").noStore)
        #expect(response("x=\"a\"\", no-store").noStore)
    }

    @Test(arguments: [
        ("no-cache=\"Set-Cookie\"", ResponseDirectives.Scope.fields(["set-cookie"])),
        ("no-cache=\"a, B ,c\"", .fields(["a", "b", "c"])),
        ("no-cache=a", .fields(["a"])), ("no-cache=\"a\", no-cache=\"b\"", .fields(["a", "b"])),
        ("no-cache=\"a\", no-cache", .whole), ("no-cache, no-cache=\"a\"", .whole), ("no-cache=\"\"", .whole),
        ("no-cache=", .whole), ("no-cache=\"a b\"", .whole), ("no-cache = \"a\"", .whole), ("no-cache=\"a", .whole),
    ]) func noCacheMayNameFields(value: String, scope: ResponseDirectives.Scope) {
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
}
