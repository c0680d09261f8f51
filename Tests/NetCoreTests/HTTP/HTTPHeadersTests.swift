import NetCore
import Testing

@Suite struct HTTPHeadersTests {
    private let a1 = HTTPHeader(name: "A", value: "1"), a2 = HTTPHeader(name: "a", value: "2")
    private let b = HTTPHeader(name: "B", value: "b"), c = HTTPHeader(name: "C", value: "c")

    /// Names as they are spelled, and values.
    private func pairs(_ headers: HTTPHeaders) -> [String] { headers.map { "\($0.name)=\($0.value)" } }

    @Test func emptyHeaders() {
        let headers = HTTPHeaders()
        #expect(headers.isEmpty && headers.count == 0 && headers.dictionary.isEmpty && headers["A"] == nil)
        #expect(headers.values(for: "A").isEmpty && !headers.contains(name: "A") && headers.firstInvalid == nil)
    }

    @Test func initializersKeepTheLastValueInThePlaceOfTheFirst() {
        #expect(pairs(HTTPHeaders([a1, b, a2])) == ["a=2", "B=b"])
        let literal: HTTPHeaders = ["A": "1", "B": "b", "a": "2"]
        #expect(pairs(literal) == ["a=2", "B=b"])
        let list: HTTPHeaders = [.json(), .accept("x/y"), .plainText()]
        #expect(pairs(list) == ["Content-Type=text/plain; charset=utf-8", "Accept=x/y"])
    }

    /// Sorted by code point: upper case comes first, so "a" is the last of the two.
    @Test func orderOfADictionaryIsStable() {
        let dictionary = ["C": "c", "A": "1", "B": "b", "a": "2"]
        for _ in 0..<20 { #expect(pairs(HTTPHeaders(dictionary)) == ["a=2", "B=b", "C=c"]) }
    }

    @Test func addAndUpdateInsertOrReplaceAllOfTheName() {
        var headers = HTTPHeaders(received: [a1, b, a2, c, a2])
        headers.add(HTTPHeader(name: "A", value: "3"))
        #expect(pairs(headers) == ["A=3", "B=b", "C=c"])
        headers.add(name: "D", value: "d")
        #expect(pairs(headers) == ["A=3", "B=b", "C=c", "D=d"])
        headers.update(a2)
        headers.update(name: "E", value: "e")
        #expect(pairs(headers) == ["a=2", "B=b", "C=c", "D=d", "E=e"])
    }

    @Test func appendKeepsEarlierValues() {
        var headers = HTTPHeaders([a1])
        headers.append(a2)
        headers.append(name: "B", value: "b")
        #expect(pairs(headers) == ["A=1", "a=2", "B=b"] && headers.count == 3)
        #expect(headers.values(for: "A") == ["1", "2"])
    }

    @Test func addContentsOfReplacesNamesAndKeepsDuplicates() {
        var headers = HTTPHeaders(received: [a1, a1, b])
        headers.add(contentsOf: HTTPHeaders(received: [a2, c, HTTPHeader(name: "A", value: "3")]))
        #expect(pairs(headers) == ["a=2", "B=b", "C=c", "A=3"])
    }

    @Test func removeIgnoresCaseAndRemovesAllOfTheName() {
        let original = HTTPHeaders(received: [a1, b, a2])
        var headers = original
        for name in ["a", "not there"] {
            headers.remove(name: name)
            #expect(pairs(headers) == ["B=b"])
        }
        #expect(pairs(original) == ["A=1", "B=b", "a=2"], "a copy is independent")
    }

    @Test func subscriptAndDictionaryJoinValues() {
        #expect(HTTPHeaders(received: [a1, b, a2]).dictionary == ["A": "1, 2", "B": "b"], "under the first spelling")
        var headers = HTTPHeaders(received: [a1, b, a2, HTTPHeader(name: "A", value: "3")])
        #expect(headers["a"] == "1, 2, 3" && headers["b"] == "b")
        headers["a"] = "4"
        #expect(pairs(headers) == ["a=4", "B=b"], "all are replaced")
        headers["New"] = "n"
        #expect(headers["nEW"] == "n")
        headers["A"] = nil
        #expect(pairs(headers) == ["B=b", "New=n"])
    }

    /// RFC 9110, section 5.3: a `Set-Cookie` may have commas.
    @Test func setCookieIsNeverJoined() {
        let headers = HTTPHeaders(received: [
            HTTPHeader(name: "Set-Cookie", value: "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT"),
            HTTPHeader(name: "set-cookie", value: "b=2"),
        ])
        #expect(headers["SET-COOKIE"] == "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(headers.values(for: "Set-Cookie").last == "b=2")
        #expect(headers.dictionary == ["Set-Cookie": "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT"])
    }

    @Test func headersAreASequence() {
        let headers = HTTPHeaders([a1, b, c])
        #expect(headers.first { $0.name.caseInsensitiveCompare("b") == .orderedSame }?.value == "b")
        #expect(headers.underestimatedCount == 3 && Array(headers).map(\.value) == ["1", "b", "c"])
    }

    @Test func equalityIgnoresTheOrderOfNamesOnly() {
        let headers = HTTPHeaders(received: [a1, b, a2])
        let moved = HTTPHeaders(received: [HTTPHeader(name: "b", value: "b"), a1, a2])
        #expect(headers == moved && headers.hashValue == moved.hashValue)
        for other in [[a2, b, a1], [a1, b], [a1, b, a2, a2], [a1, b, b]] {
            #expect(headers != HTTPHeaders(received: other))
        }
        // Unicode compares the Kelvin sign equal to K; HTTP does not.
        #expect(HTTPHeaders(["\u{212A}": "x"]) != HTTPHeaders(["k": "x"]))
    }

    @Test func codingKeepsOrderAndDuplicates() throws {
        let headers = HTTPHeaders(received: [b, a1, a2])
        let data = try JSONEncoder().encode(headers)
        #expect(pairs(try JSONDecoder().decode(HTTPHeaders.self, from: data)) == ["B=b", "A=1", "a=2"])
        #expect(try JSONDecoder().decode([[String: String]].self, from: data).first == ["name": "B", "value": "b"])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(HTTPHeaders.self, from: Data(#"[{"name": "A"}]"#.utf8))
        }
    }

    @Test func firstInvalidField() {
        let bad = HTTPHeader(name: "Bad", value: "a\r\nb")
        #expect(HTTPHeaders([a1, bad, HTTPHeader(name: "worse name", value: "")]).firstInvalid == bad)
        #expect(HTTPHeaders([a1, b]).firstInvalid == nil)
    }

    @Test func descriptionRedactsCredentials() {
        let headers: HTTPHeaders = ["Accept": "a/b", "Cookie": "session=t0k"]
        #expect(headers.description == "Accept: a/b\nCookie: [REDACTED]")
        #expect("\(HTTPHeader.contentType("a/b"))" == "Content-Type: a/b")
        #expect("\(HTTPHeader.authorization(bearerToken: "t0k"))" == "Authorization: [REDACTED]")
        #expect("\(HTTPHeader(name: "X-Api-Key", value: "t0k"))" == "X-Api-Key: [REDACTED]")
    }

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
}
