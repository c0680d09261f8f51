@testable import NetClient

@Suite struct SetCookieFieldTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func read(_ text: String) -> SetCookieField? { SetCookieField(text, now: now) }

    private func age(_ attributes: String) throws -> TimeInterval? {
        try #require(read("a=b; " + attributes)).expires?.timeIntervalSince(now)
    }

    @Test func namesAndValues() throws {
        let field = try #require(read(" \t a b\t=  \"c = d\" ;e=f"))
        #expect(field.name == "a b" && field.value == "\"c = d\"")
        #expect(read("a=")?.value == "" && read("a=\tb\tc\t")?.value == "b\tc")
        for text in ["", "=", ";", "a", "=a", " = a", "a; b=c"] { #expect(read(text) == nil, "\(text)") }
    }

    @Test func fieldWithControlCharactersIsIgnored() {
        for byte in UInt8(0)...UInt8(0x7F) where byte < 0x20 || byte == 0x7F {
            let character = String(Unicode.Scalar(byte))
            #expect((read("a=b\(character)c") != nil) == (byte == 9))
            #expect((read("a=b; Path=/\(character)c") != nil) == (byte == 9))
        }
    }

    @Test func sizeLimits() {
        #expect(read("ab=" + String(repeating: "c", count: 4094)) != nil)
        #expect(read("ab=" + String(repeating: "c", count: 4095)) == nil)
        #expect(read("a=" + String(repeating: "ü", count: 2048)) == nil)
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(read("a=b; Path=\(path)")?.path == path)
        // A path that is too long is ignored.
        #expect(read("a=b; Path=/x; Path=\(path)p")?.path == "/x")
    }

    @Test func attributesIgnoreCase() throws {
        let field = try #require(
            read("a=b;secure=no;HTTPONLY; SameSite = stRict ; DOMAIN=.Example.ORG;path=/x;unknown=1;;"))
        #expect(field.isSecure && field.isHTTPOnly && field.sameSite == .strict && field.domain == "example.org")
        #expect(field.path == "/x" && read("a=b; Path=/x; Path=y")?.path == nil)
        #expect(read("a=b; SameSite=Lax; SameSite=?")?.sameSite == .unspecified)
        #expect(read("a=b; Domain=a.example; Domain=")?.domain == "")
    }

    @Test func maxAgeAndExpires() throws {
        #expect(try age("Max-Age=60") == 60 && age("Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT") == 60)
        #expect(try age("Max-Age=1; Max-Age=2; Max-Age=x") == 2)
        #expect(try age("Max-Age=99999999999999999999999999") == 400 * 86_400)
        #expect(try age("Expires=Fri, 31 Dec 9999 23:59:59 GMT") == 400 * 86_400)
        for text in ["", "x", "+1", "1.5", "1 0", "--1", "-", "0x1"] {
            #expect(try age("Max-Age=\(text)") == nil, "\(text)")
        }
        for text in ["0", "-1", "-99999999999999999999", "000"] {
            #expect((try age("Max-Age=\(text)") ?? 0) < 0, "\(text)")
        }
    }

    private static let dates: [(String, TimeInterval?)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("nov 6 94 8:49:37", 784_111_777),
        ("1994 november/6 @08:49:37x utc+1", 784_111_777), ("1 jan 69 0:0:0", 3_124_224_000),
        ("1 jan 1970 00:00:00", 0), ("29 feb 2000 00:00:00", 951_782_400), ("1 jan 1601 0:0:0", -11_644_473_600),
    ]
    private static let invalidDates = [
        "", "Sun, 06 Nov 1994", "06 Nov 08:49:37", "Nov 1994 08:49:37", "06 1994 08:49:37", "30 feb 2000 00:00:00",
        "29 feb 1900 00:00:00", "1 jan 1600 00:00:00", "1 jan 2000 24:00:00", "1 jan 2000 00:60:00",
        "1 jan 2000 00:00:60", "0 jan 2000 00:00:00", "32 jan 2000 00:00:00", "1 jan 20000 00:00:00",
        "001 jan 2000 00:00:00", "1 jan 2000 0000:00:00", "1 jan 2000 00:00",
    ]

    @Test(arguments: dates + invalidDates.map { ($0, nil) }) func datesOfCookies(text: String, seconds: TimeInterval?) {
        var text = text
        #expect(text.withUTF8(CookieDate.parse)?.timeIntervalSince1970 == seconds)
    }
}

private let httpStateFolder = ProcessInfo.processInfo.environment["HTTP_STATE_SUITE"].map { URL(fileURLWithPath: $0) }

/// The public tests of RFC 6265 (github.com/abarth/http-state). `HTTP_STATE_SUITE` names the folder with `parser.json` and `dates/`;
/// `Scripts/conformance cookies` sets it.
@Suite(.enabled(if: httpStateFolder != nil, "HTTP_STATE_SUITE does not name the folder of the vectors"))
struct HTTPStateSuiteTests {
    private struct Vector: Decodable {
        struct Pair: Decodable { let name, value: String }

        let test: String
        let received: [String]
        let sent: [Pair]
        let target: String?

        enum CodingKeys: String, CodingKey { case test, received, sent, target = "sent-to" }
    }

    private struct DateVector: Decodable {
        let test: String
        let expected: String?
    }

    /// The vectors that contradict the standard or its successor.
    private static let superseded = [
        "DISABLED_CHROMIUM0022": "RFC 6265bis, 5.6, step 1 ignores a field with a NUL; it was cut there.",
        "DISABLED_CHROMIUM0023": "RFC 6265bis, 5.6, step 1 ignores a field with a CR; it was cut there.",
        "DISABLED_PATH0029": "RFC 6265bis, 5.1.4 compares paths as they are; this one wants them percent-decoded.",
        "OPTIONAL_DOMAIN0042": "RFC 6265bis, 5.7: the last Domain counts also if it is empty; RFC 6265 left that open.",
    ]

    @Test func parser() throws {
        let file = try #require(httpStateFolder).appendingPathComponent("parser.json")
        let vectors = try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
        try #require(vectors.count > 200)
        var failed: [String: String] = [:]
        for vector in vectors {
            let sent = try Self.play(vector)
            let pairs = vector.sent.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
            let expected = pairs.joined(separator: "; ")
            if sent != expected {
                let received = vector.received.joined(separator: " | ").prefix(200).debugDescription
                failed[vector.test] = "\(received): sends '\(sent)', expected '\(expected)'"
            }
        }
        print("http-state: \(vectors.count - failed.count) of \(vectors.count) pass")
        for (test, text) in failed.sorted(by: { $0.key < $1.key }) {
            print("    \(test): \(text)\n        \(Self.superseded[test] ?? "UNEXPECTED")")
        }
        #expect(Set(failed.keys) == Set(Self.superseded.keys))
    }

    private static func play(_ vector: Vector) throws -> String {
        // The dates of the vectors have passed.
        let store = CookieStore(clock: TestClock(now: Date(timeIntervalSince1970: 1_300_000_000)))
        let source = try url("http://home.example.org:8888/cookie-parser?\(vector.test.lowercased())")
        let fields = vector.received.map { HTTPHeader(name: "Set-Cookie", value: $0) }
        store.receive(HTTPHeaders(received: fields), status: 200, from: source, method: .get)
        let target = vector.target ?? "/cookie-parser-result?\(vector.test.lowercased())"
        let url = try #require(URL(string: target, relativeTo: source))
        return store.cookieField(for: url, method: .get, firstParty: nil) ?? ""
    }

    @Test(arguments: ["examples.json", "bsd-examples.json"]) func dates(name: String) throws {
        let file = try #require(httpStateFolder).appendingPathComponent("dates").appendingPathComponent(name)
        // The files begin with comments.
        let text = try String(contentsOf: file, encoding: .utf8)
        let json = text.split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
        for vector in try JSONDecoder().decode([DateVector].self, from: Data(json.utf8)) {
            var date = vector.test
            let parsed = date.withUTF8(CookieDate.parse)
            #expect(parsed.map(HTTPDate.string(from:)) == vector.expected, "\(vector.test)")
        }
    }
}
