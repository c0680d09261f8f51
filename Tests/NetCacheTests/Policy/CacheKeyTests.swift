import Foundation
import Testing

@testable import NetCache

@Suite("CacheKey")
struct CacheKeyTests {
    private func key(_ text: String, headers: [String: String] = [:], partition: String? = nil) throws -> CacheKey {
        var request = URLRequest(url: try #require(URL(string: text)))
        request.allHTTPHeaderFields = headers
        return try #require(CacheKey(request: request, partition: partition))
    }

    @Test(arguments: [
        ("https://example.com/a?b=1", "https://example.com/a?b=1"),
        ("HTTPS://Example.COM/A?B=1", "https://example.com/A?B=1"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("http://example.com:/a", "http://example.com/a"),
        ("http://example.com:443/a", "http://example.com:443/a"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com?q=1", "https://example.com/?q=1"),
        ("https://example.com/a#part", "https://example.com/a"),
        ("https://[::1]:443/a", "https://[::1]/a"),
        ("https://example.com/a://b@c:443/", "https://example.com/a://b@c:443/"),
    ])
    func addressesAreNormalised(from text: String, to expected: String) throws {
        #expect(try key(text).url.absoluteString == expected)
    }

    @Test func whatIsNoAddressHasNoKey() {
        for text in ["/a", "mailto:a@b.c", "https:///a"] {
            guard let url = URL(string: text) else { continue }
            #expect(CacheKey(request: URLRequest(url: url), partition: nil) == nil, "\(text)")
        }
    }

    @Test func relativeURLsAreResolved() throws {
        let url = try #require(URL(string: "b", relativeTo: URL(string: "https://example.com/a/")))
        #expect(
            CacheKey(request: URLRequest(url: url), partition: nil)?.url.absoluteString == "https://example.com/a/b")
    }

    @Test func ownersAreKeptApart() throws {
        let address = "https://example.com/me"
        let keys = try [
            key(address),
            key(address, partition: ""),
            key(address, partition: "alice"),
            key(address, partition: "bob"),
            key(address, partition: "alice&credentials=1"),
            key(address, partition: "alice#vary"),
            key(address, partition: "vary"),
            key(address, partition: "é"),
            key(address, partition: "e\u{301}"),
            key(address, partition: "alice%20"),
            key(address, partition: "alice "),
            key(address, headers: ["Authorization": "Bearer A"]),
            key(address, headers: ["Authorization": "Bearer B"]),
            key(address, headers: ["Authorization": "Bearer A"], partition: "alice"),
            key(address, headers: ["Cookie": "Bearer A"]),
            key(address, headers: ["Authorization": "x", "Cookie": "y"]),
            key(address, headers: ["Authorization": "x6:Cookie1:y"]),
            key(address, headers: ["X-API-Key": "Bearer A"]),
            key("https://alice:secret@example.com/me"),
            key("https://alice:other@example.com/me"),
        ].map(\.url.absoluteString)
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.hasPrefix("https://example.com/me") })
    }

    @Test func headerNamesAreReadInAnyCase() throws {
        let one = try key("https://example.com/", headers: ["authorization": "Bearer A"])
        #expect(one == (try key("https://example.com/", headers: ["AUTHORIZATION": "Bearer A"])))
        #expect(one.hasOwner)
    }

    @Test func noSecretStandsInAKey() throws {
        let keyed = try key(
            "https://alice:S3CR3T@example.com/",
            headers: ["Authorization": "S3CR3T", "Cookie": "S3CR3T", "X-API-Key": "S3CR3T"])
        #expect(!keyed.url.absoluteString.contains("S3CR3T"))
        #expect(keyed.url.host == "example.com")
        #expect(keyed.url.user == nil)
    }

    @Test func variantsHaveKeysOfTheirOwn() throws {
        let address = "https://example.com/"
        let plain = try key(address)
        var english = URLRequest(url: try #require(URL(string: address)))
        english.setValue("en", forHTTPHeaderField: "Accept-Language")
        let none = URLRequest(url: try #require(URL(string: address)))
        let keys = [
            plain, plain.variantIndex, plain.variant(of: ["accept-language"], in: english),
            plain.variant(of: ["accept-language"], in: none), plain.variant(of: ["accept"], in: none),
        ]
        #expect(Set(keys.map { $0?.url }).count == keys.count)
        #expect(!keys.contains(nil))
    }
}
