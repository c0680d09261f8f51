import Testing

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
