import Testing

@testable import NetCache

@Suite("The keys of a store") struct CacheKeyTests {
    private func key(_ text: String, headers: [String: String] = [:], partition: String? = nil) throws -> HTTPCacheKey {
        var request = URLRequest(url: try #require(URL(string: text)))
        request.allHTTPHeaderFields = headers
        let owner = CacheOwners(key: nil).text(of: RequestIdentity(of: request, name: partition))
        let address = try #require(request.url.flatMap { CacheAddress($0) })
        return HTTPCacheKey(url: address.text, owner: owner)
    }

    @Test(arguments: [
        ("https://example.com/a?b=1", "https://example.com/a?b=1"),
        ("HTTPS://Example.COM/A?B=1", "https://example.com/A?B=1"),
        ("https://example.com:443/a", "https://example.com/a"), ("http://example.com:80/a", "http://example.com/a"),
        ("http://example.com:/a", "http://example.com/a"), ("http://example.com:443/a", "http://example.com:443/a"),
        ("https://example.com", "https://example.com/"), ("https://example.com?q=1", "https://example.com/?q=1"),
        ("https://example.com/a#part", "https://example.com/a"), ("https://[::1]:443/a", "https://[::1]/a"),
        ("https://example.com/a://b@c:443/", "https://example.com/a://b@c:443/"),
    ]) func addressesAreNormalised(from text: String, to expected: String) throws {
        #expect(try key(text).url == expected)
    }

    @Test func relativeURLsAreResolvedAndOthersHaveNoKey() throws {
        let url = try #require(URL(string: "b", relativeTo: URL(string: "https://example.com/a/")))
        #expect(CacheAddress(url)?.text == "https://example.com/a/b")
        for url in ["/a", "mailto:a@b.c", "https:///a"].compactMap({ URL(string: $0) }) {
            #expect(CacheAddress(url) == nil, "\(url)")
        }
    }

    @Test func ownersHaveDifferentKeys() throws {
        let address = "https://example.com/me"
        let keys = try [
            key(address), key(address, partition: ""), key(address, partition: "alice"), key(address, partition: "bob"),
            key(address, partition: "alice&credentials=1"), key(address, partition: "alice#vary"),
            key(address, partition: "vary"), key(address, partition: "é"), key(address, partition: "e\u{301}"),
            key(address, partition: "alice%20"), key(address, partition: "alice "),
            key(address, headers: ["Authorization": "Bearer A"]), key(address, headers: ["Authorization": "Bearer B"]),
            key(address, headers: ["Cookie": "Bearer A"]),
            key(address, headers: ["Authorization": "x", "Cookie": "y"]),
            key(address, headers: ["Authorization": "x6:Cookie1:y"]), key(address, headers: ["X-API-Key": "Bearer A"]),
            key("https://alice:secret@example.com/me"), key("https://alice:other@example.com/me"),
        ]
        #expect(Set(keys).count == keys.count && keys.allSatisfy { $0.url == "https://example.com/me" })
    }

    @Test func keysContainNoSecret() throws {
        let keyed = try key(
            "https://alice:S3CR3T@example.com/",
            headers: ["Authorization": "S3CR3T", "Cookie": "S3CR3T", "X-API-Key": "S3CR3T"])
        #expect(!"\(keyed.url) \(keyed.owner)".contains("S3CR3T") && keyed.url == "https://example.com/")
    }

    /// Rule 1: a name wins over the credentials, so that a refreshed token is the same owner.
    @Test func partitionOverridesCredentialsAndCaseIsIgnored() throws {
        let address = "https://example.com/me"
        let named = try key(address, partition: "alice")
        #expect(named == (try key(address, headers: ["Authorization": "Bearer A"], partition: "alice")))
        #expect(named == (try key(address, headers: ["Authorization": "Bearer B"], partition: "alice")))
        let one = try key(address, headers: ["authorization": "Bearer A"])
        #expect(one == (try key(address, headers: ["AUTHORIZATION": "Bearer A"])))
    }

    // Rule 4: what stands for an identity in the keys of a store.

    private func identity(_ token: String) -> RequestIdentity {
        RequestIdentity(of: CacheLab.request("/", ["Authorization": token]), name: nil)
    }

    @Test func keyedDigestDependsOnKeyAndIdentity() throws {
        let key = CacheIdentityKey.random()
        let alice = identity("Bearer alice")
        #expect(CacheOwners(key: key).text(of: alice) == CacheOwners(key: key).text(of: alice))
        #expect(CacheOwners(key: key).text(of: alice) != CacheOwners(key: .random()).text(of: alice))
        #expect(CacheOwners(key: key).text(of: alice) != CacheOwners(key: key).text(of: identity("Bearer bob")))
        #expect(!CacheOwners(key: key).text(of: alice).contains("alice"))
        #expect(CacheOwners(key: key).text(of: .anonymous).isEmpty)
        #expect(throws: NetworkError.self) { try CacheIdentityKey(Data(count: 15)) }
    }

    @Test func ownersInMemoryAreTheSameForAllCachesAndAfterManyOthers() {
        let owners = CacheOwners(key: nil)
        let texts = (0..<20_000).map { owners.text(of: identity("\($0)")) }
        #expect(Set(texts).count == 20_000)
        for each in [owners, CacheOwners(key: nil)] { #expect(each.text(of: identity("0")) == texts[0]) }
    }

    @Test func identityKeyOfADiskIsStableAndPrivate() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("key-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = try DiskCache(directory: folder).identityKey()
        #expect(try DiskCache(directory: folder).identityKey() == key && key != nil)
        let file = folder.appendingPathComponent("v1/identity.key")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect((mode?.intValue, "\(CacheIdentityKey.random())") == (0o600, "CacheIdentityKey"))
    }
}
