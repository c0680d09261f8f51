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
        ("https://example.com/a#", "https://example.com/a"), ("https://example.com/a?", "https://example.com/a?"),
        ("HTTPS://EXAMPLE.com:443/a#part", "https://example.com/a"), ("https://a.b:8/A", "https://a.b:8/A"),
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
            key(address, headers: ["Cookie": "Bearer A"]), key(address, headers: ["X-Auth-Token": "Bearer A"]),
            key(address, headers: ["X-Session": "Bearer A"]), key(address, headers: ["Token": "Bearer A"]),
            key(address, headers: ["Authorization": "x", "Cookie": "y"]),
            key(address, headers: ["Authorization": "x6:Cookie1:y"]), key(address, headers: ["X-API-Key": "Bearer A"]),
            key("https://alice:secret@example.com/me"), key("https://alice:other@example.com/me"),
        ]
        #expect(Set(keys).count == keys.count && keys.allSatisfy { $0.url == "https://example.com/me" })
    }

    @Test(arguments: [nil, "me"]) func keysAndSelectingFieldsContainNoSecret(partition: String?) throws {
        var request = URLRequest(url: try #require(URL(string: "https://alice:S3CR3T@example.com/")))
        request.allHTTPHeaderFields = ["Authorization": "Bearer S3CR3T", "Cookie": "id=S3CR3T", "X-API-Key": "S3CR3T"]
        let wants = try #require(CacheRequest(request, partition: partition, body: nil, rules: CacheRules()))
        let fields = Variants.selectingFields(for: ["Vary": "Cookie, authorization, X-Tenant, Accept"], in: wants)
        #expect(!"\(wants.key.url) \(wants.key.owner) \(fields)".contains("S3CR3T"))
        #expect(wants.key.url == "https://example.com/")
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

@Suite("JSON bodies by value") struct CanonicalJSONTests {
    private func bytes(_ text: String) -> [UInt8]? { CanonicalJSON(Data(text.utf8))?.bytes }

    @Test(arguments: [
        (#"{"a":1,"b":[true,null]}"#, #" { "b" : [ true , null ] , "a" : 1 } "#), ("[[],{}]", "[ [ ] , { } ]"),
        (#"{"a":"x\u00e9\n\/"}"#, "{\"a\":\"x\u{E9}\\n/\"}"), (#"{"\u0061":{}}"#, #"{"a":{ }}"#),
        (#""😀""#, #""\ud83d\ude00""#), ("-1.50e+3", " -1.50e+3\n"),
    ])
    func equalJSONHasEqualBytes(one: String, other: String) { #expect(bytes(one) == bytes(other) && bytes(one) != nil) }

    @Test(arguments: [
        ("1", "1.0"), ("1", #""1""#), (#"["1:a"]"#, #"["1","a"]"#), ("[1,2]", "[2,1]"), ("[12]", "[1,2]"),
        (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":{"b":1}}"#, #"{"a":{},"b":1}"#), ("null", #""null""#), ("[]", "{}"),
        ("[[1],2]", "[1,[2]]"), (#"{"é":1}"#, "{\"e\u{301}\":1}"),
    ]) func differentJSONHasDifferentBytes(one: String, other: String) throws {
        let (value, different) = (try #require(bytes(one)), try #require(bytes(other)))
        #expect(value != different)
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", #"{"a":1,}"#, #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, "tru", "1 2", #""a"#, #""\x""#,
        "\"\n\"", #"{a:1}"#, #"{"a" 1}"#, "[1", "+1", "\u{FEFF}1",
    ]) func invalidJSONIsRefused(text: String) { #expect(bytes(text) == nil) }

    @Test func depthIsLimited() {
        #expect(bytes(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) != nil)
        #expect(bytes(String(repeating: "[", count: 65) + String(repeating: "]", count: 65)) == nil)
        #expect(bytes(String(repeating: "[", count: 1_000_000)) == nil)
    }

    @Test func onlyJSONContentTypesAreComparedByValue() {
        let data = Data("{}".utf8)
        for type in ["application/json", "Application/JSON; charset=utf-8", "application/graphql+json", " text/x+json"]
        { #expect(CanonicalJSON(data, type: type) != nil, "\(type)") }
        for type in ["", "text/plain", "application/jsonl", "json"] {
            #expect(CanonicalJSON(data, type: type) == nil, "\(type)")
        }
    }

    @Test(arguments: [
        (#"mutation { a }"#, true), (#"mutation M($a: Int) { a }"#, true), ("\\n# mutation\\n{ a }", false),
        (#"{ mutation }"#, false), (#"query Q { a(b: \"mutation\") }"#, false), (#"subscription { a }"#, true),
        (#"query Q { a } mutation M { b }"#, true), (#"fragment mutationX on Y { a }"#, false),
        (#"query Q($a: T = {mutation: 1}) { a }"#, false),
        (#"{ a(b: \"\"\"x \\\"\"\" mutation\"\"\") } mutation { c }"#, true),
        (#"query Q { a(b: \"{\") } mutation { b }"#, true), ("", false), (#"{ a(b: \"unclosed"#, false),
    ]) func graphQLMutationsAreRecognized(document: String, isMutation: Bool) throws {
        let json = try #require(
            CanonicalJSON(Data(#"{"query":"\#(document)","variables":{"query":"mutation {}"}}"#.utf8)))
        #expect(json.isGraphQLMutation == isMutation)
    }

    @Test(arguments: [
        (#"[{"query":"{ a }"},{"query":"mutation { b }"}]"#, true),
        (#"[{"query":"{ a }","variables":{"query":"mutation {}"}}]"#, false),
        (#"[[{"query":"mutation { b }"}]]"#, false),
    ]) func mutationsInABatch(body: String, isMutation: Bool) {
        #expect(CanonicalJSON(Data(body.utf8))?.isGraphQLMutation == isMutation)
    }
}
