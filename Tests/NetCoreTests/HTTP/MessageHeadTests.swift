import NetCore
import Testing

// The optional sugar of seed 000, section 4.3, word for word. It must compile beside our subscript, which it shadows.
extension HTTPHeaders {
    fileprivate subscript(name: String) -> String? {
        get { self.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value }
        set {
            guard let v = newValue else {
                remove(name: name)
                return
            }
            update(name: name, value: v)
        }
    }
}

/// What the heads of requests and responses consist of: methods, statuses, fields and dates.
@Suite struct MessageHeadTests {
    @Test(arguments: [
        // Values are trimmed, and duplicates and their order kept.
        ("HTTP/1.1 200 OK\r\nServer: nginx\r\nX-Empty:\r\nX-Space: \t a b \t\r\n", "Server=nginx|X-Empty=|X-Space=a b"),
        ("HTTP/2 200 \r\nset-cookie: a=1\r\nvia: x\r\nset-cookie: b=2\r\n", "set-cookie=a=1|via=x|set-cookie=b=2"),
        ("HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n\tthree\r\nX-B: b\r\n", "X-A=one two three|X-B=b"),
        // RFC 9110, section 5.5: a recipient replaces control characters by spaces, before anything else reads the value.
        (
            "HTTP/1.1 200 OK\r\nX-A: a\rb\u{0}c\u{1B}[2Jd\u{7F}e\tf\u{80}\r\n g\u{1}h\r\n",
            "X-A=a b c [2Jd e\tf\u{80} g h"
        ),
        // Bare line feeds and malformed lines.
        ("HTTP/1.1 200 OK\nA: 1\nno colon\n: no name\nTransfer-Encoding: chunked", "A=1|Transfer-Encoding=chunked"),
        ("", ""), ("HTTP/1.1 200 OK", ""), ("\r\n", ""), (" \r\n \r\n", ""),
    ]) func fieldsOfABlock(_ block: String, expected: String) {
        let fields = Array(block.utf8).withUnsafeBytes(HeaderBlockParser.fields)
        #expect(fields.map { "\($0.name)=\($0.value)" }.joined(separator: "|") == expected)
    }

    @Test func otherBytesAreLatin1() {
        let block = Array("HTTP/1.1 200 OK\r\nX-A: caf".utf8) + [0xE9] + Array("\r\nX-B: caf\u{E9}\r\n".utf8)
        #expect(block.withUnsafeBytes(HeaderBlockParser.fields).map(\.value) == ["caf\u{E9}", "caf\u{E9}"])
    }

    @Test(arguments: [
        ("", []), ("a", []), ("a; b=c", ["b=c"]), ("a;B=C ; d=\"e f\";", ["b=C", "d=e f"]), ("a; b = c", ["b=c"]),
        ("a; b=\"c;d=\\\"e\\\\\"; f=g", ["b=c;d=\"e\\", "f=g"]),
        // Malformed parameters are skipped.
        ("a; stray; b=c", ["b=c"]), ("a; =; b=c", ["b=c"]), ("a; =x; b=c", ["b=c"]), ("a;;; b=c", ["b=c"]),
        ("a; b=; c=d", ["c=d"]),
        ("a; \"stray; x=y\"; b=c", ["b=c"]), ("a; two words=x; b=c", ["b=c"]), ("a; b=\"c; d=e", ["b=c", "d=e"]),
        ("a; b=\"c; d=\"e\"; f=g", ["b=c", "d=e", "f=g"]), ("a; b=\"say \"hi\"\"; c=d", ["b=say \"hi\"", "c=d"]),
        ("a; \"; b=c", ["b=c"]), ("a; b=\"c\"x; d=e", ["b=c", "d=e"]), ("a; b=\"", []), ("a; b=\"c\\", ["b=c\\"]),
    ]) func parametersOfAField(_ value: String, expected: [String]) {
        #expect(FieldParameters.parse(value).map { "\($0.name)=\($0.value)" } == expected)
    }

    @Test(arguments: [
        (HTTPMethod.get, "GET", true, true, true), (.head, "HEAD", true, true, true),
        (.options, "OPTIONS", true, false, true), (.trace, "TRACE", true, false, true),
        (.put, "PUT", true, false, false), (.delete, "DELETE", true, false, false),
        (.patch, "PATCH", false, false, false), (.post, "POST", false, false, false),
        (.connect, "CONNECT", false, false, false),
    ]) func registeredMethods(_ method: HTTPMethod, name: String, idempotent: Bool, cacheable: Bool, safe: Bool) {
        #expect(method.rawValue == name && method.description == name && HTTPMethod(rawValue: name) == method)
        #expect(method.isIdempotent == idempotent && method.isCacheable == cacheable && method.isSafe == safe)
        let all = HTTPMethod.allCases
        #expect(all.contains(method) && all.count == 9 && Set(all).count == 9)
    }

    @Test func customMethodIsCaseSensitive() {
        let method: HTTPMethod = "PROPFIND"
        #expect(method == HTTPMethod(rawValue: "PROPFIND"))
        #expect(!method.isSafe && !method.isIdempotent && !method.isCacheable)
        #expect(HTTPMethod(rawValue: "get") != .get && !HTTPMethod(rawValue: "get").isSafe)
    }

    @Test func codingAsTheToken() throws {
        let data = try JSONEncoder().encode([HTTPMethod.patch])
        #expect(String(decoding: data, as: UTF8.self) == #"["PATCH"]"#)
        #expect(try JSONDecoder().decode([HTTPMethod].self, from: data) == [.patch])
    }

    @Test(arguments: [
        (100, StatusCodeType.informational), (199, .informational), (200, .successful), (299, .successful),
        (300, .redirection), (399, .redirection), (400, .clientError), (499, .clientError), (500, .serverError),
        (599, .serverError), (-999, .cancelled), (99, .unknown), (600, .unknown), (0, .unknown), (-1, .unknown),
        (-998, .unknown), (-1000, .unknown), (999, .unknown), (.max, .unknown), (.min, .unknown),
    ]) func statusesAreClassified(_ code: Int, as type: StatusCodeType) {
        #expect(code.statusCodeType == type && StatusCodeType(statusCode: code) == type)
    }

    @Test func sevenTypesWithTheCodeOfURLErrorCancelled() {
        #expect(StatusCodeType.allCases.count == 7 && URLError.Code.cancelled.rawValue.statusCodeType == .cancelled)
    }

    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func seconds(_ text: String, now: Date? = nil) -> TimeInterval? {
        HTTPDate.parse(text, now: now ?? self.now)?.timeIntervalSince1970
    }

    /// The examples of RFC 9110, section 5.6.7.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt", "SUNDAY, 06-NOV-94 08:49:37 GMT",
    ]) func threeFormatsOfRFC9110(_ text: String) { #expect(seconds(text) == 784_111_777) }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        // The second is a leap second.
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Sun Nov 16 08:49:37 1994", 784_975_777),
    ]) func boundaryDates(_ text: String, expected: TimeInterval) { #expect(seconds(text) == expected) }

    /// RFC 9110, section 5.6.7: a date more than 50 years ahead is in the past. 50 years are counted to the second.
    @Test(arguments: [
        ("06-Nov-73 08:49:37", "06 Nov 2073 08:49:37"), ("06-Nov-73 08:49:38", "06 Nov 1973 08:49:38"),
        ("06-Nov-73 08:49:36", "06 Nov 2073 08:49:36"), ("06-Nov-73 08:50:00", "06 Nov 1973 08:50:00"),
        ("07-Nov-73 00:00:00", "07 Nov 1973 00:00:00"), ("01-Dec-73 00:00:00", "01 Dec 1973 00:00:00"),
        ("05-Nov-73 23:59:59", "05 Nov 2073 23:59:59"), ("31-Oct-73 23:59:59", "31 Oct 2073 23:59:59"),
        ("01-Jan-74 00:00:00", "01 Jan 1974 00:00:00"), ("31-Dec-72 23:59:59", "31 Dec 2072 23:59:59"),
        ("29-Feb-72 00:00:00", "29 Feb 2072 00:00:00"),
    ]) func twoDigitYearsRollOverAfterFiftyYears(_ date: String, full: String) throws {
        let now = try #require(HTTPDate.parse("Mon, 06 Nov 2023 08:49:37 GMT", now: now))
        for fraction in [0, 0.999] {
            let parsed = HTTPDate.parse("Sunday, \(date) GMT", now: now.addingTimeInterval(fraction))
            #expect(parsed == HTTPDate.parse("Sun, \(full) GMT", now: now), "\(date)")
        }
    }

    @Test("Over the turn of a century, and from 29 February")
    func twoDigitYearsAtTheTurnOfACentury() {
        let inDecember = Date(timeIntervalSince1970: 2_556_143_999)
        #expect(HTTPDate.string(from: inDecember) == "Sat, 31 Dec 2050 23:59:59 GMT")
        let year2100 = seconds("Fri, 31 Dec 2100 23:59:59 GMT")
        #expect(seconds("Friday, 31-Dec-00 23:59:59 GMT", now: inDecember) == year2100)
        #expect(
            seconds("Saturday, 01-Jan-01 00:00:00 GMT", now: inDecember) == seconds("Sat, 01 Jan 2001 00:00:00 GMT"))
        let leapDay = Date(timeIntervalSince1970: 1_709_164_800)
        #expect(HTTPDate.string(from: leapDay) == "Thu, 29 Feb 2024 00:00:00 GMT")
        #expect(seconds("Wednesday, 28-Feb-74 23:59:59 GMT", now: leapDay) == seconds("Wed, 28 Feb 2074 23:59:59 GMT"))
        #expect(seconds("Thursday, 01-Mar-74 00:00:00 GMT", now: leapDay) == seconds("Fri, 01 Mar 1974 00:00:00 GMT"))
    }

    @Test func twoDigitYearsWithAnyClock() {
        let year1999 = Date(timeIntervalSince1970: 930_000_000)
        #expect(seconds("Sunday, 06-Nov-05 08:49:37 GMT", now: year1999) == seconds("Sun, 06 Nov 2005 08:49:37 GMT"))
        let extremes = [Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: .infinity)]
        for now in extremes + [.distantFuture, .distantPast] {
            #expect(seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: now) != nil)
        }
    }

    @Test(arguments: [
        "", " ", "0", "-1", "Sun", "Sun,", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06  Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Tue, 29 Feb 2023 08:49:37 GMT", "Tue, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Foo, 06 Nov 1994 08:49:37 GMT", "Sunda, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  66 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 GMTGMTGMTGMTGMTGMTGMTGMT", "Sun, 06 Nov 1994 08:49:37 ＧＭＴ", "日曜日",
        "1994-11-06T08:49:37Z", "Sun, 0６ Nov 1994 08:49:37 GMT",
    ]) func otherFormatsAreRefused(_ text: String) { #expect(seconds(text) == nil) }

    @Test(arguments: [
        (TimeInterval(784_111_777.9), "Sun, 06 Nov 1994 08:49:37 GMT"), (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"), (-.infinity, "Sat, 01 Jan 0000 00:00:00 GMT"),
        (.nan, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ]) func datesAreFormatted(_ seconds: TimeInterval, text: String) {
        #expect(HTTPDate.string(from: Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test func randomDatesAreParsedAndAgreeWithFoundation() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            // Foundation's calendar is Julian before 1582.
            let seconds = Int.random(in: -12_000_000_000...253_402_300_799, using: &generator)
            let date = Date(timeIntervalSince1970: TimeInterval(seconds))
            let text = HTTPDate.string(from: date)
            #expect(HTTPDate.parse(text, now: now) == date, "\(text)")
            let parts = calendar.dateComponents([.year, .day, .weekday], from: date)
            #expect(text.dropFirst(5).prefix(2) == String(format: "%02d", parts.day ?? 0))
            #expect(text.contains(String(format: " %04d ", parts.year ?? 0)))
            let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
            #expect(weekdays[(parts.weekday ?? 1) - 1] == text.prefix(3))
        }
    }

    @Test func subscriptOfSeed000IgnoresCase() {
        var headers = HTTPHeaders()
        headers["X-Correlation-Id"] = "one"
        #expect(headers["x-correlation-id"] == "one")
        headers["x-CORRELATION-id"] = nil
        #expect(headers.isEmpty)
    }
}
