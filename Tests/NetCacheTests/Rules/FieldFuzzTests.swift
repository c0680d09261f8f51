import TestLab
import Testing

@testable import NetCache

/// Random fields, made of what parsers trip over. The generator is seeded, so a failure comes again.
@Suite("Fields, fuzzed") struct FieldFuzzTests {
    private static let seeds: [UInt64] = [1, 2, 3, 4]

    private static let pieces = [
        "max-age", "no-cache", "no-store", "private", "s-maxage", "stale-if-error", "=", "=", ",", ",", "\"", "\\",
        " ", "\t", "0", "1", "60", "-1", "99999999999999999999999", "9223372036854775807", "*", "W/", "bytes", "-",
        "/", "GMT", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ":", "Accept", "é", "e\u{0301}", "\u{1F600}", "\u{0}", "\r\n", "'", ";", "x", "NaN", "1e9",
    ]

    private static func field(_ random: inout SeededGenerator) -> String {
        (0..<random.next(below: 12)).map { _ in pieces[random.next(below: pieces.count)] }.joined()
    }

    private func repeated(_ seed: UInt64, _ check: (inout SeededGenerator) throws -> Void) rethrows {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
        for _ in 0..<3000 { try check(&random) }
    }

    @Test(arguments: seeds) func listMembersLoseNothing(seed: UInt64) throws {
        try repeated(seed) { random in
            let value = Self.field(&random)
            for hasEscapes in [true, false] {
                let members = value.listMembers(hasEscapes: hasEscapes)
                try #require(members.allSatisfy { !$0.isEmpty }, "\(value.debugDescription)")
                func essence(_ text: String) -> [UInt8] { text.utf8.filter { !", \t".utf8.contains($0) } }
                try #require(essence(members.joined()) == essence(value), "\(value.debugDescription)")
            }
        }
    }

    @Test(arguments: seeds) func directivesStayWithinBounds(seed: UInt64) throws {
        try repeated(seed) { random in
            let value = Self.field(&random)
            let response = ResponseDirectives(["Cache-Control": value])
            let request = RequestDirectives(cacheControl: value, pragma: value)
            let numbers = [
                response.maxAge, response.sharedMaxAge, response.staleIfError, response.staleWhileRevalidate,
                request.maxAge, request.minFresh, request.staleIfError,
            ]
            try #require(numbers.allSatisfy { $0.map { (0...(1 << 31)).contains($0) } ?? true }, "\(value)")
            for text in [value + ",no-store", "no-store," + value] {
                try #require(ResponseDirectives(["Cache-Control": text]).noStore, "\(text.debugDescription)")
            }
        }
    }

    @Test(arguments: seeds) func rangesLieWithinTheBody(seed: UInt64) throws {
        let lengths: [Int64] = [0, 1, 2, 60, 1 << 40, .max]
        try repeated(seed) { random in
            let value = "bytes=" + Self.field(&random)
            if case .one(let range) = ByteRange.Request(value) {
                for length in lengths {
                    guard let bytes = range.resolved(length: length) else { continue }
                    try #require(!bytes.isEmpty && bytes.lowerBound >= 0 && bytes.upperBound <= length, "\(value)")
                }
            }
            if let part = ContentRange("bytes " + Self.field(&random)) {
                try #require(!part.bytes.isEmpty && part.bytes.lowerBound >= 0)
                try #require(part.bytes.upperBound <= part.total ?? .max)
                try #require(ContentRange(part.text) == part)
            }
        }
    }

    @Test(arguments: seeds) func entityTagsAreFoundInTheirOwnList(seed: UInt64) throws {
        try repeated(seed) { random in
            let opaque = Self.field(&random).filter { $0 != "\"" }
            let tag = try #require(EntityTag("\"\(opaque)\""))
            let condition = EntityTag.Condition("\"x\" , W/\(tag.text),\"y\"")
            try #require(condition.contains(tag), "\(tag.text.debugDescription)")
        }
    }

    @Test(arguments: seeds) func decisionsHoldForAnyHeader(seed: UInt64) throws {
        let names = [
            "Cache-Control", "Expires", "Date", "Age", "Last-Modified", "ETag", "Vary", "Content-Range",
            "Content-Length", "Pragma",
        ]
        let requestNames = [
            "Cache-Control", "Pragma", "Range", "If-None-Match", "If-Modified-Since", "If-Range", "Accept",
        ]
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let rules = CacheRules()
        func time(_ random: inout SeededGenerator) -> Date { now + Double(random.next(below: 200)) - 100 }
        try repeated(seed) { random in
            var headers = HTTPHeaders()
            for _ in 0..<random.next(below: 6) {
                headers.append(name: names[random.next(below: names.count)], value: Self.field(&random))
            }
            var fields: [String: String] = [:]
            for _ in 0..<random.next(below: 3) {
                fields[requestNames[random.next(below: requestNames.count)]] = Self.field(&random)
            }
            let entry = HTTPCacheEntry(
                id: "1", status: [200, 206, 301, 404, 999][random.next(below: 5)], headers: headers, responseURL: nil,
                requestHeaders: [:], requestTime: time(&random), responseTime: time(&random))
            let request = try #require(
                CacheRequest(CacheLab.request("/a", fields), partition: nil, body: nil, rules: rules))
            let stored = StoredResponse(entry, rules: rules, now: now)
            let (age, remaining) = (stored.freshness.age, stored.freshness.remaining)
            try #require(age >= 0 && age < .infinity && remaining.isFinite)
            switch request.decision(for: [entry], rules: rules, now: now) {
            case .reuse(let stored, .fresh):
                try #require(stored.freshness.isFresh && !request.directives.noCache)
            case .revalidate(let stored, _): try #require(stored.hasValidator)
            case .complete(let stored): try #require(stored.entry.status == 206)
            case .gatewayTimeout: try #require(request.directives.onlyIfCached)
            case .reuse, .forward: break
            }
            _ = StoredHeaders.merged(headers, with: headers, rules: rules, now: now)
            _ = request.conditions.isSatisfied(by: entry)
        }
    }
}
