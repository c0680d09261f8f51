import Testing

@testable import NetCache

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
