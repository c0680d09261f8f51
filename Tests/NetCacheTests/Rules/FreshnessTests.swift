import Testing

@testable import NetCache

@Suite("Freshness") struct FreshnessTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private static func date(_ seconds: TimeInterval) -> String { HTTPDate.string(from: now + seconds) }

    /// The entry was received `received` seconds from now, and asked for `delay` seconds earlier.
    private func freshness(
        _ headers: HTTPHeaders, status: Int = 200, delay: TimeInterval = 0, received: TimeInterval = 0,
        later: TimeInterval = 0, rules: CacheRules = CacheRules(), expireTime: Date? = nil
    ) -> Freshness {
        let entry = HTTPCacheEntry(
            id: "1", status: status, headers: headers, responseURL: nil, requestHeaders: [:],
            requestTime: Self.now + received - delay, responseTime: Self.now + received, expireTime: expireTime)
        return Freshness(entry, rules: rules, now: Self.now.addingTimeInterval(later))
    }

    @Test func lifetimeIsMaxAgeThenExpiresThenHeuristic() {
        let all: HTTPHeaders = [
            "Date": Self.date(0), "Cache-Control": "max-age=60, s-maxage=600", "Expires": Self.date(1000),
            "Last-Modified": Self.date(-100_000),
        ]
        #expect(freshness(all).remaining == 60 && freshness(all, rules: .shared).remaining == 600)
        #expect(freshness(all, expireTime: Self.now + 5).remaining == 5)
        #expect(freshness(all, later: 10, expireTime: Self.now + 5).remaining == -5)
        var headers = all
        headers["Cache-Control"] = nil
        #expect(freshness(headers).remaining == 1000)
        headers["Expires"] = nil
        #expect(freshness(headers).remaining == 10_000)
        headers["Last-Modified"] = nil
        #expect(freshness(headers).remaining == 0 && !freshness(headers).isFresh)
    }

    @Test func heuristicLifetimeHasLimits() {
        var headers: HTTPHeaders = ["Date": Self.date(0), "Last-Modified": Self.date(-1e9)]
        #expect(freshness(headers).remaining == 7 * 86_400)
        var rules = CacheRules()
        rules.heuristicFraction = 0
        #expect(freshness(headers, rules: rules).remaining == 0)
        rules.heuristicFraction = .nan
        #expect(!freshness(headers, rules: rules).isFresh)
        (rules.heuristicFraction, rules.longestHeuristicLifetime) = (0.5, 3)
        #expect((freshness(headers, rules: rules).remaining, freshness(headers, status: 302).remaining) == (3, 0))
        headers["Cache-Control"] = "public"
        #expect(freshness(headers, status: 302).remaining == 7 * 86_400)
        headers["Last-Modified"] = Self.date(100)
        #expect(freshness(headers).remaining == 0, "modified in the future")
    }

    @Test(arguments: ["0", "-1", "", "soon", "Tue, 14 Nov 2023 22:13:20 UTC", "Tue, 99 Nov 2033 22:13:20 GMT"])
    func invalidExpiresIsStale(value: String) {
        let headers: HTTPHeaders = ["Date": Self.date(0), "Expires": value, "Last-Modified": Self.date(-100_000)]
        #expect(freshness(headers).remaining == 0)
    }

    @Test func expiresIsRelativeToDate() {
        #expect(freshness(["Date": Self.date(-30), "Expires": Self.date(30)]).remaining == 30)
        #expect(freshness(["Expires": Self.date(30)]).remaining == 30)
        #expect(freshness(["Date": "?", "Expires": Self.date(30)]).remaining == 30)
        #expect(freshness(["Date": Self.date(0), "Expires": Self.date(0)]).remaining == 0)
    }

    /// RFC 9111, section 4.2.3.
    @Test func ageIsTheGreaterOfDateAndAge() {
        #expect(freshness(["Date": Self.date(0)], later: 5).age == 5)
        #expect(freshness(["Date": Self.date(-10)], later: 5).age == 15)
        #expect(freshness(["Date": Self.date(0), "Age": "20"], later: 5).age == 25)
        #expect(freshness(["Date": Self.date(-10), "Age": "20"], delay: 3, later: 5).age == 28)
        #expect(freshness(["Date": Self.date(-30), "Age": "20"], delay: 3, later: 5).age == 35)
        #expect(freshness(["Date": Self.date(100)]).age == 0, "a server whose clock is ahead")
        #expect(freshness(["Date": Self.date(0)], later: -50).age == 0, "our clock was set back")
    }

    /// Otherwise a response would stay fresh for as long as the clock needs to come back.
    @Test func clockSetBackEndsFreshness() {
        let headers: HTTPHeaders = ["Date": Self.date(0), "Cache-Control": "max-age=60"]
        for later in [-2.0, -86_400] {
            let back = freshness(headers, later: later)
            #expect(!back.isFresh && back.age >= 60)
            #expect(back.staleness == 0, "how stale it is, is unknown: it may stand in for an error")
            #expect(!freshness(headers, later: later, expireTime: Self.now + 5).isFresh)
        }
        #expect(freshness(headers, later: -0.5).isFresh, "clocks of two machines differ by that")
        #expect(
            freshness(["Date": Self.date(86_400), "Cache-Control": "max-age=60"]).remaining == 60, "the server's clock")
    }

    @Test(arguments: [
        ("20", 20.0), ("20, 5", 20), ("0", 0), ("-5", 0), ("5.5", 0), ("x", 0), ("", 0), ("\"20\"", 0),
        ("99999999999999999999", Double(1 << 31)),
    ]) func ageFieldIsParsed(value: String, age: Double) {
        #expect(freshness(["Date": Self.date(0), "Age": value]).age == age)
    }

    @Test func fractionOfASecondIsNotAged() {
        let headers: HTTPHeaders = ["Date": Self.date(0), "Cache-Control": "max-age=1"]
        #expect(abs(freshness(headers, delay: 0.1, received: 0.9, later: 1.2).age - 0.4) < 1e-3)
    }

    @Test func keptHeadIsDiscardedAfterAChange() throws {
        let entry = HTTPCacheEntry(
            id: "1", status: 200, headers: ["Cache-Control": "max-age=60", "Vary": "Accept"], responseURL: nil,
            requestHeaders: [:], requestTime: Self.now, responseTime: Self.now)
        let kept = entry.keepingHead
        #expect(kept.head === kept.head && kept.head === kept.keepingHead.head)
        #expect((kept, Set([kept, entry]).count) == (entry, 1))
        #expect(try JSONEncoder().encode(kept).count == JSONEncoder().encode(entry).count)
        var changed = kept
        (changed.headers["Cache-Control"], changed.headers["Vary"]) = ("max-age=5", "Accept-Language")
        #expect((changed.head.directives.maxAge, changed.vary) == (5, ["accept-language"]))
        #expect(kept.head.directives.maxAge == 60)
        changed = kept
        changed.responseTime += 10
        #expect(changed.head.date == Self.now + 10, "without a Date")
    }
}
