import NetCore
import Testing

@Suite struct HTTPHeaderTests {
    @Test(arguments: [
        (HTTPHeader.accept("a/b"), "Accept", "a/b"), (.acceptCharset("utf-8"), "Accept-Charset", "utf-8"),
        (.acceptLanguage("de"), "Accept-Language", "de"), (.acceptEncoding("br"), "Accept-Encoding", "br"),
        // The example of RFC 7617, section 2.
        (
            .authorization(username: "Aladdin", password: "open sesame"), "Authorization",
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        ),
        // The example of RFC 7617, section 2.1: UTF-8.
        (.authorization(username: "test", password: "123£"), "Authorization", "Basic dGVzdDoxMjPCow=="),
        (.authorization(username: "", password: ""), "Authorization", "Basic Og=="),
        (.authorization(bearerToken: "t0k"), "Authorization", "Bearer t0k"),
        (.authorization("Digest x"), "Authorization", "Digest x"),
        (.contentDisposition("inline"), "Content-Disposition", "inline"),
        (.contentEncoding("gzip"), "Content-Encoding", "gzip"), (.contentType("a/b"), "Content-Type", "a/b"),
        (.userAgent("me"), "User-Agent", "me"), (.json(), "Content-Type", "application/json"),
        (.formURLEncoded(), "Content-Type", "application/x-www-form-urlencoded"),
        (.octetStream(), "Content-Type", "application/octet-stream"),
        (.plainText(), "Content-Type", "text/plain; charset=utf-8"),
    ]) func factories(_ header: HTTPHeader, name: String, value: String) {
        #expect(header.name == name && header.value == value && header.isValid)
    }

    @Test func whitespaceAroundTheValueIsTrimmed() throws {
        #expect(HTTPHeader(name: "A", value: " \t one  two \t").value == "one  two")
        #expect(HTTPHeader(name: "A", value: " \t ").value.isEmpty)
        #expect(HTTPHeader(name: "A", value: "b ") == HTTPHeader(name: "A", value: "b"))
        let decoded = try JSONDecoder().decode(HTTPHeader.self, from: Data(#"{"name": "A", "value": " b "}"#.utf8))
        #expect(decoded.value == "b")
    }

    @Test func equalityIgnoresTheCaseOfTheNameOnly() {
        let header = HTTPHeader(name: "X-Name", value: "Value")
        #expect(header == HTTPHeader(name: "x-nAME", value: "Value"))
        #expect(header.hashValue == HTTPHeader(name: "x-nAME", value: "Value").hashValue)
        #expect(header != HTTPHeader(name: "X-Name", value: "value"))
        #expect(header != HTTPHeader(name: "X-Names", value: "Value"))
    }

    /// RFC 9110, section 5.5: each control character but tab.
    @Test func controlCharactersInValuesAreInvalid() {
        for byte in (0x00...0x1F as ClosedRange<UInt8>).map({ $0 }) + [0x7F] where byte != 0x09 {
            let value = String(decoding: [0x61, byte, 0x62], as: UTF8.self)
            #expect(!HTTPHeader(name: "X", value: value).isValid, "\(byte)")
            #expect(value.withoutControlCharacters == "a b")
        }
        for value in ["a\r\nb", "a\r\nX-Injected: 1", "\r", "\r\n a"] {
            #expect(!HTTPHeader(name: "X", value: value).isValid)
        }
        #expect("a\tb\u{80}ü".withoutControlCharacters == "a\tb\u{80}ü")
    }

    @Test(arguments: ["", " ", "a b", "a:", "a\r\n", "a\0", "ä", "a\t", "(a)", "\"a\"", "a/b", "a@b", "\u{7F}"])
    func namesOtherThanTokensAreInvalid(_ name: String) { #expect(!HTTPHeader(name: name, value: "v").isValid) }

    @Test func tokensAndTextAreValid() {
        #expect(HTTPHeader(name: "!#$%&'*+-.^_`|~09azAZ", value: "").isValid)
        #expect(HTTPHeader(name: "X", value: "tab\tand Umläut \u{80}").isValid)
    }

    @Test func codingAsNameAndValue() throws {
        let header = HTTPHeader(name: "X-Name", value: "Value")
        let data = try JSONEncoder().encode(header)
        #expect(try JSONDecoder().decode([String: String].self, from: data) == ["name": "X-Name", "value": "Value"])
        #expect(try JSONDecoder().decode(HTTPHeader.self, from: data).name == "X-Name")
    }

    @Test func descriptionRedactsCredentials() {
        #expect("\(HTTPHeader.contentType("a/b"))" == "Content-Type: a/b")
        #expect("\(HTTPHeader.authorization(bearerToken: "t0k"))" == "Authorization: [REDACTED]")
        #expect("\(HTTPHeader(name: "X-Api-Key", value: "t0k"))" == "X-Api-Key: [REDACTED]")
    }
}
