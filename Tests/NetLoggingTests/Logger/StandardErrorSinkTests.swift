import Testing

@testable import NetLogging

@Suite("StandardErrorSink") struct StandardErrorSinkTests {
    private func written(_ event: LogEvent, showsPrivate: Bool = false) throws -> [String] {
        let pieces = Locked<[String]>([])
        try StandardErrorSink(showsPrivate: showsPrivate) { data in
            pieces.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
        }.write(event)
        return pieces.withLock { $0 }
    }

    private func event(_ message: String, privacy: LogPrivacy = .public, id: RequestContext.ID? = nil) -> LogEvent {
        LogEvent(
            date: Date(timeIntervalSince1970: 1_700_000_000.25), level: .warning, category: "network", message: message,
            privacy: privacy, requestID: id)
    }

    @Test func writesOneLineInOnePiece() throws {
        #expect(try written(event("hello")) == ["2023-11-14T22:13:20.250Z warning network hello\n"])
        let id = RequestContext.ID()
        #expect(try written(event("hello", id: id)) == ["2023-11-14T22:13:20.250Z warning network \(id) hello\n"])
    }

    @Test(arguments: [LogPrivacy.private, .sensitive, .auto])
    func hidesWhatIsNotPublicUnlessTold(privacy: LogPrivacy) throws {
        #expect(
            try written(event("S3CR3T", privacy: privacy)) == ["2023-11-14T22:13:20.250Z warning network <private>\n"])
        #expect(try written(event("S3CR3T", privacy: privacy), showsPrivate: true)[0].hasSuffix(" S3CR3T\n"))
    }

    @Test func onlyLineBreaksAndControlCharactersAreEscaped() throws {
        let forged = "a\n2023-11-14T22:13:20.250Z error network forged\r\u{1B}[2Jb\u{7F}\u{85}\u{2028}c\td\u{0}"
        let lines = try written(event(forged))[0].split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3 && lines[2] == "")
        let escaped = "    2023-11-14T22:13:20.250Z error network forged\\r\\u{1B}[2Jb\\u{7F}\\u{0085}\\u{2028}c\\td\\0"
        #expect(lines[1] == escaped)
        #expect(try written(event("➡️ GET Grüße 你好"))[0].hasSuffix("➡️ GET Grüße 你好\n"))
    }

    @Test func everyLineNamesTheRequest() throws {
        let id = RequestContext.ID()
        let lines = try written(event("➡️ GET /\n   Headers: []\n   Body: 1", id: id))[0].split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.contains("\(id) ") }, "\(lines)")
    }
}
