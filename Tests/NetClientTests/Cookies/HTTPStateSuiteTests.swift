import NetTesting
import Testing

@testable import NetClient

/// The public tests of RFC 6265 (github.com/abarth/http-state). `HTTP_STATE_SUITE` names the folder with `parser.json` and `dates/`;
/// `Scripts/conformance cookies` sets it.
@Suite struct HTTPStateSuiteTests {
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

    static let folder = ProcessInfo.processInfo.environment["HTTP_STATE_SUITE"].map { URL(fileURLWithPath: $0) }

    /// The vectors that contradict the standard or its successor.
    private static let superseded = [
        "DISABLED_CHROMIUM0022": "RFC 6265bis, 5.6, step 1 ignores a field with a NUL; it was cut there.",
        "DISABLED_CHROMIUM0023": "RFC 6265bis, 5.6, step 1 ignores a field with a CR; it was cut there.",
        "DISABLED_PATH0029": "RFC 6265bis, 5.1.4 compares paths as they are; this one wants them percent-decoded.",
        "OPTIONAL_DOMAIN0042": "RFC 6265bis, 5.7: the last Domain counts also if it is empty; RFC 6265 left that open.",
    ]

    @Test(.enabled(if: folder != nil, "HTTP_STATE_SUITE does not name the folder of the vectors"))
    func parser() throws {
        let file = try #require(Self.folder).appendingPathComponent("parser.json")
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

    @Test(
        .enabled(if: folder != nil, "HTTP_STATE_SUITE does not name the folder of the vectors"),
        arguments: ["examples.json", "bsd-examples.json"])
    func dates(name: String) throws {
        let file = try #require(Self.folder).appendingPathComponent("dates").appendingPathComponent(name)
        // The files begin with comments.
        let text = try String(contentsOf: file, encoding: .utf8)
        let json = text.split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
        for vector in try JSONDecoder().decode([DateVector].self, from: Data(json.utf8)) {
            var date = vector.test
            let parsed = date.withUTF8(CookieDate.parse)
            #expect(parsed.map(Self.format) == vector.expected, "\(vector.test)")
        }
    }

    private static func format(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
