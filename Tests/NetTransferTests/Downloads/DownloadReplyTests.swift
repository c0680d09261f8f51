import Testing

@testable import NetTransfer

struct DownloadReplyTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private static let fields: [(HTTPHeaders, DownloadValidator?)] = [
        (["ETag": "\"a\""], .entityTag("\"a\"")), (["ETag": "\"\""], .entityTag("\"\"")), (["ETag": "W/\"a\""], nil),
        (["ETag": "a"], nil), (["ETag": "\"a\"b\""], nil), (["ETag": "\""], nil), (["ETag": "\"a b\""], nil),
        (dated(nil), nil), (dated(date), nil), (dated("Sun, 06 Nov 1994 08:49:38 GMT"), .lastModified(date)),
        (dated("soon"), nil),
        // Where there is a tag, if only a weak one, the date may not be used.
        (dated("Sun, 06 Nov 1994 08:49:38 GMT", tag: "W/\"a\""), nil),
    ]

    private static func dated(_ sent: String?, tag: String? = nil) -> HTTPHeaders {
        var headers: HTTPHeaders = ["Last-Modified": date]
        headers["Date"] = sent
        headers["ETag"] = tag
        return headers
    }

    @Test(arguments: fields) func validatorIsAStrongETagOrDate(_ headers: HTTPHeaders, _ validator: DownloadValidator?)
    { #expect(DownloadValidator(headers) == validator) }

    @Test func repeatedETagIsNotAValidator() {
        let tags = HTTPHeaders(received: ["\"a\"", "\"b\""].map { HTTPHeader(name: "ETag", value: $0) })
        #expect(DownloadValidator(tags) == nil)
    }

    private static let ranges: [(String, Int64?, DownloadReply?)] = [
        ("bytes 50-99/100", nil, DownloadReply.part(50..<100, total: 100)),
        ("bytes 50-59/100", 10, .part(50..<60, total: 100)), ("bytes 50-99/*", nil, .part(50..<100, total: nil)),
        ("BYTES 50-99/100", nil, .part(50..<100, total: 100)), ("bytes 50-99/100", 49, nil),
        ("bytes 49-99/100", nil, nil), ("bytes 51-99/100", nil, nil), ("bytes 50-100/100", nil, nil),
        ("bytes 50-99/101", nil, nil), ("bytes 50-100/*", nil, nil), ("bytes 50-49/100", nil, nil),
        ("bytes */100", nil, nil), ("bytes=50-99/100", nil, nil), ("bytes 50-99", nil, nil),
        ("bytes +50-99/100", nil, nil), ("bytes 0x32-99/100", nil, nil), ("", nil, nil),
        ("bytes 50-9223372036854775807/100", nil, nil), ("bytes 50-99/100, bytes 0-1/100", nil, nil),
    ]

    @Test(arguments: ranges)
    func contentRangeOfA206IsChecked(_ range: String, _ bodyLength: Int64?, _ expected: DownloadReply?) throws {
        let reply = try reply(206, ["Content-Range": range], bodyLength: bodyLength)
        if let expected { #expect(reply == expected) } else { #expect(reply?.isRefusal == true) }
    }

    @Test func partMustEndWithinTheRequestedRange() throws {
        let asked = DownloadReply.Asked(offset: 50, end: 60)
        #expect(asked.field == "bytes=50-59")
        #expect(try reply(206, ["Content-Range": "bytes 50-59/100"], asked: asked) == .part(50..<60, total: 100))
        #expect(try reply(206, ["Content-Range": "bytes 50-60/100"], asked: asked)?.isRefusal == true)
    }

    @Test(arguments: [
        ("bytes */50", true), ("Bytes */50", true), ("bytes */100", false), ("bytes */51", false), ("*/50", false),
        ("bytes 0-49/50", false), ("bytes */-50", false),
    ]) func contentRangeOfA416IsChecked(_ range: String, _ isComplete: Bool) throws {
        var version = DownloadVersion()
        version.validator = .entityTag("\"a\"")
        let reply = try reply(416, ["Content-Range": range], version: version)
        #expect((reply == .complete) == isComplete && (reply?.isRefusal == true) == !isComplete)
        // Known to be longer: what is there is not all.
        version.length = 100
        #expect(try self.reply(416, ["Content-Range": range], version: version)?.isRefusal == true)
        version.length = 50
        #expect(try self.reply(416, ["Content-Range": range, "ETag": "\"b\""], version: version)?.isRefusal == true)
    }

    @Test func statusAndContentEncodingOfAWholeReply() throws {
        #expect(try (reply(200, [:], bodyLength: 7), reply(404, [:]), reply(304, [:])) == (.whole(length: 7), nil, nil))
        for coding in ["gzip", "identity, br"] {
            #expect(throws: DownloadError.self) { try reply(200, ["Content-Encoding": coding]) }
        }
        #expect(try reply(200, ["Content-Encoding": "identity"]) == .whole(length: nil))
        #expect(throws: DownloadError.self) {
            try reply(206, ["Content-Range": "bytes 0-9/10"], asked: nil, version: DownloadVersion())
        }
    }

    @Test(arguments: [
        ("sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", true),
        ("sha-512=:AA==:, sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:;x=1", true),
        ("sha-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", false), ("sha-256=:AAAA:", false),
        ("md5=:AAAA:", false), ("", false), ("sha-256=::", false), ("sha-256", false),
    ]) func digestFieldIsParsed(_ field: String, _ isThere: Bool) throws {
        let digest = Downloader.Options.Checksum(field: field)
        #expect((digest != nil) == isThere)
        if isThere { #expect(try digest == .sha256(SHA256.hex(Data()))) }
    }

    @Test(arguments: ["", "ab", String(repeating: "g", count: 64), String(repeating: "a", count: 63) + "é"])
    func invalidChecksumIsRefused(_ text: String) {
        let error = #expect(throws: DownloadError.self) { try Downloader.Options.Checksum.sha256(text) }
        #expect(error?.code == .invalidChecksum)
    }

    // MARK: Errors

    @Test func errorCodesBridgeToNSError() {
        let kinds: [DownloadError.Code] = [
            .diskFull, .cannotWrite, .destinationExists, .digestMismatch, .contradictoryResponse, .contentCoding,
            .invalidResumeData, .inUse, .registry, .invalidChecksum,
        ]
        #expect(kinds.count == DownloadError.Code.allCases.count)
        let bridged = kinds.map { DownloadError($0, "Free some space.") as NSError }
        #expect(bridged.map(\.code) == Array(1...kinds.count))
        #expect(bridged.map(\.domain).allSatisfy { $0 == "NetTransfer.DownloadError" })
        #expect(bridged.map(\.localizedDescription).allSatisfy { $0 == "Free some space." })
    }

    @Test func downloadErrorIsTheUnderlyingError() throws {
        let error = NetworkError.downloadFailed(DownloadError(.inUse, "Wait."))
        let beneath = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "NetTransfer.DownloadError" && beneath.code == 8)
    }

    private func reply(
        _ status: Int, _ headers: HTTPHeaders, bodyLength: Int64? = nil,
        asked: DownloadReply.Asked? = .init(offset: 50, end: nil), version: DownloadVersion? = nil
    ) throws -> DownloadReply? {
        var known = DownloadVersion()
        known.length = 100
        return try DownloadReply(
            status: status, headers: headers, bodyLength: bodyLength, asked: asked, version: version ?? known)
    }
}

extension DownloadReply { fileprivate var isRefusal: Bool { if case .startOver = self { true } else { false } } }
