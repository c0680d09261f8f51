import NetCore
import Testing

@Suite struct HTTPHeadersTests {
    private let a1 = HTTPHeader(name: "A", value: "1")
    private let a2 = HTTPHeader(name: "a", value: "2")
    private let b = HTTPHeader(name: "B", value: "b")
    private let c = HTTPHeader(name: "C", value: "c")

    /// Names as they are spelled, and values.
    private func pairs(_ headers: HTTPHeaders) -> [String] { headers.map { "\($0.name)=\($0.value)" } }

    @Test func anEmptyListHasNoValues() {
        let headers = HTTPHeaders()
        #expect(headers.isEmpty && headers.count == 0)
        #expect(headers.dictionary.isEmpty)
        #expect(headers["A"] == nil)
        #expect(headers.values(for: "A").isEmpty)
        #expect(!headers.contains(name: "A"))
        #expect(headers.firstInvalid == nil)
    }

    @Test func initialisersKeepTheLastInThePlaceOfTheFirst() {
        #expect(pairs(HTTPHeaders([a1, b, a2])) == ["a=2", "B=b"])
        let literal: HTTPHeaders = ["A": "1", "B": "b", "a": "2"]
        #expect(pairs(literal) == ["a=2", "B=b"])
        let list: HTTPHeaders = [.json(), .accept("x/y"), .plainText()]
        #expect(pairs(list) == ["Content-Type=text/plain; charset=utf-8", "Accept=x/y"])
    }

    @Test func aDictionaryAlwaysGivesTheSameOrder() {
        let dictionary = ["C": "c", "A": "1", "B": "b", "a": "2"]
        for _ in 0..<20 {
            // Sorted by code point: upper case comes first, so that "a" is the last of the two.
            #expect(pairs(HTTPHeaders(dictionary)) == ["a=2", "B=b", "C=c"])
        }
    }

    @Test func addInsertsOrReplacesAll() {
        var headers = HTTPHeaders(received: [a1, b, a2, c, a2])
        headers.add(HTTPHeader(name: "A", value: "3"))
        #expect(pairs(headers) == ["A=3", "B=b", "C=c"])
        headers.add(name: "D", value: "d")
        #expect(pairs(headers) == ["A=3", "B=b", "C=c", "D=d"])
    }

    @Test func updateIsTheSameAsAdd() {
        var headers = HTTPHeaders([a1, b])
        headers.update(a2)
        headers.update(name: "C", value: "c")
        #expect(pairs(headers) == ["a=2", "B=b", "C=c"])
    }

    @Test func appendKeepsBoth() {
        var headers = HTTPHeaders([a1])
        headers.append(a2)
        headers.append(name: "B", value: "b")
        #expect(pairs(headers) == ["A=1", "a=2", "B=b"])
        #expect(headers.count == 3)
        #expect(headers.values(for: "A") == ["1", "2"])
    }

    @Test func addingAnotherCollectionKeepsItsDuplicates() {
        var headers = HTTPHeaders(received: [a1, a1, b])
        headers.add(contentsOf: HTTPHeaders(received: [a2, c, HTTPHeader(name: "A", value: "3")]))
        #expect(pairs(headers) == ["a=2", "B=b", "C=c", "A=3"])
    }

    @Test func removeIgnoresCaseAndTakesAll() {
        var headers = HTTPHeaders(received: [a1, b, a2])
        headers.remove(name: "a")
        #expect(pairs(headers) == ["B=b"])
        headers.remove(name: "not there")
        #expect(pairs(headers) == ["B=b"])
    }

    @Test func subscriptReadsJoinedAndWritesOne() {
        var headers = HTTPHeaders(received: [a1, b, a2, HTTPHeader(name: "A", value: "3")])
        #expect(headers["a"] == "1, 2, 3")
        #expect(headers["b"] == "b")
        headers["a"] = "4"
        #expect(pairs(headers) == ["a=4", "B=b"])
        headers["New"] = "n"
        #expect(headers["nEW"] == "n")
        headers["A"] = nil
        #expect(pairs(headers) == ["B=b", "New=n"])
    }

    /// RFC 9110, section 5.3: a `Set-Cookie` holds commas of its own.
    @Test func setCookieIsNeverJoined() {
        let headers = HTTPHeaders(received: [
            HTTPHeader(name: "Set-Cookie", value: "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT"),
            HTTPHeader(name: "set-cookie", value: "b=2"),
        ])
        #expect(headers["SET-COOKIE"] == "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(headers.values(for: "Set-Cookie").last == "b=2")
        #expect(headers.dictionary == ["Set-Cookie": "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT"])
    }

    @Test func dictionaryHasEachNameOnceAsFirstSpelled() {
        #expect(HTTPHeaders(received: [a1, b, a2]).dictionary == ["A": "1, 2", "B": "b"])
    }

    @Test func isASequence() {
        let headers = HTTPHeaders([a1, b, c])
        #expect(headers.first { $0.name.caseInsensitiveCompare("b") == .orderedSame }?.value == "b")
        #expect(headers.underestimatedCount == 3)
        #expect(Array(headers).map(\.value) == ["1", "b", "c"])
    }

    @Test func equalityIgnoresTheOrderOfNamesOnly() {
        let headers = HTTPHeaders(received: [a1, b, a2])
        let moved = HTTPHeaders(received: [HTTPHeader(name: "b", value: "b"), a1, a2])
        #expect(headers == moved)
        #expect(headers.hashValue == moved.hashValue)
        #expect(headers != HTTPHeaders(received: [a2, b, a1]))
        #expect(headers != HTTPHeaders(received: [a1, b]))
        #expect(headers != HTTPHeaders(received: [a1, b, a2, a2]))
        #expect(headers != HTTPHeaders(received: [a1, b, b]))
        // The Kelvin sign is a K in Unicode's eyes, not in HTTP's.
        #expect(HTTPHeaders(["\u{212A}": "x"]) != HTTPHeaders(["k": "x"]))
    }

    @Test func codingKeepsOrderAndDuplicates() throws {
        let headers = HTTPHeaders(received: [b, a1, a2])
        let data = try JSONEncoder().encode(headers)
        #expect(pairs(try JSONDecoder().decode(HTTPHeaders.self, from: data)) == ["B=b", "A=1", "a=2"])
        let list = try JSONDecoder().decode([[String: String]].self, from: data)
        #expect(list.first == ["name": "B", "value": "b"])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(HTTPHeaders.self, from: Data(#"[{"name": "A"}]"#.utf8))
        }
    }

    @Test func findsTheFirstThatMustNotBeSent() {
        let bad = HTTPHeader(name: "Bad", value: "a\r\nb")
        #expect(HTTPHeaders([a1, bad, HTTPHeader(name: "worse name", value: "")]).firstInvalid == bad)
        #expect(HTTPHeaders([a1, b]).firstInvalid == nil)
    }

    @Test func descriptionShowsNoSecret() {
        let headers: HTTPHeaders = ["Accept": "a/b", "Cookie": "session=t0k"]
        #expect(headers.description == "Accept: a/b\nCookie: [REDACTED]")
    }

    @Test func isAValue() {
        let original = HTTPHeaders([a1])
        var copy = original
        copy["A"] = nil
        #expect(original["A"] == "1" && copy.isEmpty)
    }
}
