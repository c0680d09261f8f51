import NetCore
import Testing

@Suite struct ResponseValidationTests {
    private func response(
        _ status: Int = 200, type: String? = nil, headers: HTTPHeaders = [:], body: HTTPBody = HTTPBody("x")
    ) -> TransportResponse {
        var headers = headers
        headers["Content-Type"] = type
        return TransportResponse(status: status, headers: headers, url: nil, body: body)
    }

    private func accepts(_ type: String?, among ranges: ResponseValidation) -> Bool {
        (try? ranges.validateContent(of: response(type: type), data: Data("x".utf8))) != nil
    }

    @Test(arguments: [
        (199, false), (200, true), (299, true), (300, false), (404, true), (405, false), (410, true), (503, true),
        (504, false), (-1, false), (.max, false),
    ]) func statusCodesOfSeveralRules(_ status: Int, isAccepted: Bool) {
        let rules: ResponseValidation = [.statusCodes(200..<300), .statusCodes(404, 410), .statusCodes(500...503)]
        #expect(ResponseValidation.accepts(status, among: rules.statusCodes) == isAccepted)
    }

    @Test func successfulStatusCodesAreTheDefault() {
        #expect(ResponseValidation.successful.statusCodes == nil)
        #expect(ResponseValidation.contentTypes("a/b").statusCodes == nil)
        for (status, isAccepted) in [(199, false), (200, true), (299, true), (300, false), (304, false)] {
            #expect(ResponseValidation.accepts(status, among: nil) == isAccepted)
        }
    }

    @Test func emptyAndExtremeRangesOfStatusCodes() {
        #expect(ResponseValidation.statusCodes(200..<200).statusCodes == [])
        #expect(ResponseValidation.statusCodes(Int.min..<Int.max).statusCodes == [Int.min...(Int.max - 1)])
        #expect(ResponseValidation.statusCodes(Int.min..<Int.min).statusCodes == [])
        #expect(!ResponseValidation.accepts(200, among: []))
        let none: ResponseValidation = []
        #expect(none.statusCodes == nil && none.contentTypes.isEmpty && none.checks.isEmpty)
        var context = RequestContext()
        #expect(context.validation == nil)
        context.validation = .statusCodes(404)
        #expect(context.validation?.statusCodes == [404...404])
    }

    @Test(arguments: [
        ("application/json", "application/json", true), ("application/json; charset=utf-8", "application/json", true),
        ("APPLICATION/Json", "application/JSON", true), (" application/json ;x", "application/json", true),
        ("application/json", "application/json; q=0.5", true), ("text/html", "text/*", true),
        ("text/html", "*/*", true), ("text/html", "application/json", false), ("text/html", "application/*", false),
        ("text/html", "text/plain", false), ("texts/html", "text/*", false),
        ("application/problem+json", "application/json", false),
        // A missing one is `application/octet-stream` (RFC 9110, section 8.3).
        (nil, "application/json", false), (nil, "application/octet-stream", true), (nil, "*/*", true),
        // Malformed media types.
        ("json", "*/*", false), ("", "*/*", false), ("a/b/c", "*/*", false), ("a/b, c/d", "*/*", false),
        ("a b/c", "*/*", false), ("/", "*/*", false), (";", "*/*", false), ("*/json", "*/*", false),
    ]) func mediaRanges(_ type: String?, range: String, isAccepted: Bool) {
        #expect(accepts(type, among: .contentTypes(range)) == isAccepted)
    }

    @Test func severalContentTypes() {
        let types: ResponseValidation = [.contentTypes("application/json", "text/json"), .contentTypes("text/plain")]
        #expect(accepts("text/plain", among: types) && accepts("text/json", among: types))
        #expect(!accepts("text/html", among: types))
    }

    @Test func responsesWithoutContentNeedNoContentType() throws {
        let json = ResponseValidation.contentTypes("application/json")
        try json.validateContent(of: response(), data: Data())
        for status in [204, 205] { try json.validateContent(of: response(status, body: stream), data: nil) }
        try json.validateContent(of: response(headers: ["Content-Length": "0"], body: stream), data: nil)
        try json.validateContent(of: response(body: .empty), data: nil)
        #expect(throws: ResponseValidation.UnacceptableContentType.self) {
            try json.validateContent(of: response(type: "text/html", body: stream), data: nil)
        }
    }

    private let stream = HTTPBody(pulling: { nil })

    @Test func errorNamesExpectedAndReceivedContentType() throws {
        typealias Failure = ResponseValidation.UnacceptableContentType
        let json = ResponseValidation.contentTypes("application/json", "text/json")
        let error = try #require(throws: Failure.self) {
            try json.validateContent(of: response(type: "text/html; charset=x"), data: nil)
        }
        #expect(error == Failure(expected: ["application/json", "text/json"], received: "text/html; charset=x"))
        #expect(error.description == "expected application/json, text/json, received text/html; charset=x")
        let hostile = Failure(expected: ["a/b"], received: "x\r\ny" + String(repeating: "z", count: 500))
        let line = NetworkError.decodingError(hostile).description
        #expect(line.hasPrefix("decoding_error: expected a/b, received x") && line.count < 200)
        #expect(!line.contains { $0.isNewline })
        #expect(Failure(expected: ["a/b"], received: nil).description == "expected a/b, received no Content-Type")
    }

    @Test(arguments: ["json", "", "*/json", "a/b/c", "a b/c"]) func malformedRangeIsRefused(_ range: String) throws {
        let error = try #require(throws: NetworkError.self) {
            try ResponseValidation.contentTypes(range).validateContent(of: response(type: "a/b"), data: nil)
        }
        guard case .unsupported(let advice) = error else { throw error }
        #expect(advice.contains("'\(range)'") && advice.contains("application/json"))
    }

    @Test func customChecksRunLastAndAllMustPass() throws {
        let seen = Locked<[String]>([])
        func check(_ name: String, _ error: (any Error)? = nil) -> ResponseValidation {
            .custom { response, data in
                seen.withLock { $0.append("\(name) \(response.status) \(data.map { "\($0.count)" } ?? "-")") }
                if let error { throw error }
            }
        }
        try ([check("a"), check("b")] as ResponseValidation).validateContent(of: response(), data: Data("abc".utf8))
        #expect(throws: PluginError.self) {
            try ([check("c", PluginError()), check("d")] as ResponseValidation).validateContent(
                of: response(), data: nil)
        }
        #expect(throws: ResponseValidation.UnacceptableContentType.self) {
            try ([check("e"), .contentTypes("a/b")] as ResponseValidation).validateContent(of: response(), data: nil)
        }
        #expect(seen.withLock { $0 } == ["a 200 3", "b 200 3", "c 200 -"])
    }
}
