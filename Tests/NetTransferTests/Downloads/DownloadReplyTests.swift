import TestLab
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

    @Test func errorCodesBridgeToNSError() throws {
        let kinds: [DownloadError.Code] = [
            .diskFull, .cannotWrite, .destinationExists, .digestMismatch, .contradictoryResponse, .contentCoding,
            .invalidResumeData, .inUse, .registry, .invalidChecksum,
        ]
        #expect(kinds.count == DownloadError.Code.allCases.count)
        let bridged = kinds.map { DownloadError($0, "Free some space.") as NSError }
        #expect(bridged.map(\.code) == Array(1...kinds.count))
        #expect(bridged.map(\.domain).allSatisfy { $0 == "NetTransfer.DownloadError" })
        #expect(bridged.map(\.localizedDescription).allSatisfy { $0 == "Free some space." })
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

struct SuggestedFilenameTests {
    @Test(
        arguments: [
            ("attachment; filename=report.pdf", "report.pdf"),
            ("attachment; filename=\"report of today.pdf\"", "report of today.pdf"),
            ("attachment; filename=\"a;b=c.txt\"; size=3", "a;b=c.txt"), ("attachment; FILENAME = \"x.txt\"", "x.txt"),
            ("inline;filename=\"say \\\"hi\\\".txt\"", "say \"hi\".txt"),
            ("attachment; filename=\"EURO.txt\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename*=UTF-8'en'na%C3%AFve.txt; filename=naive.txt", "naïve.txt"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
            ("attachment; filename*=utf-8''%zz; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=utf-8''%ff%fe; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=koi8-r''%c1; filename=plain.txt", "plain.txt"),
            ("attachment; filename=first.txt; filename=second.txt", "first.txt"),
            ("attachment; filename=\"never closed", "never closed"),
            // A stray parameter before it, or behind it, does not hide a name.
            ("attachment; foo; filename=a.txt", "a.txt"), ("attachment; =; filename=a.txt", "a.txt"),
            ("attachment; \"foo; filename=b.txt\"; filename=a.txt", "a.txt"),
            ("attachment; foo=; filename=a.txt", "a.txt"), ("attachment; name=\"foo; filename=\"a.txt\"", "a.txt"),
            ("attachment; name=\"foo; filename=a.txt", "a.txt"), ("attachment; filename=; filename=a.txt", "a.txt"),
            ("attachment; filename=\"a.txt\"; foo", "a.txt"), ("attachment; filename=\"a.txt\" foo; size=3", "a.txt"),
            ("attachment; foo; filename*=utf-8''%e2%82%ac", "€"),
            ("attachment; f o o=1; filename=\"a b.txt\"; \"", "a b.txt"),
            ("attachment; filename=\"say \"hi\".txt\"", "say \"hi\".txt"),
            ("attachment", nil), ("", nil), ("filename=no-type.txt", nil), ("attachment; name=x", nil),
        ] as [(String, String?)]) func filenameIsReadFromContentDisposition(_ value: String, _ name: String?)
    { #expect(ContentDisposition.filename(in: value) == name) }

    @Test(
        arguments: [
            ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"),
            ("C:\\temp\\a.txt", "a.txt"), ("..", nil), (".", nil), ("...", nil), ("", nil), ("/", nil), ("a/", nil),
            (".bashrc", "bashrc"), ("a\0b.txt", "a_b.txt"), ("a\r\nb.txt", "a__b.txt"), ("tab\there", "tab_here"),
            ("CON", "_CON"), ("con.txt", "_con.txt"), ("Lpt1.log", "_Lpt1.log"), ("COM0", "COM0"), ("..%2Fb", "%2Fb"),
            ("console", "console"), ("nul .txt", "_nul .txt"), ("a<b>:\"|?*.txt", "a_b______.txt"), ("  x  ", "x"),
            ("ends with dots...", "ends with dots"), ("exe\u{202E}txt.bat", "exetxt.bat"), ("a\u{2215}b", "a\u{2215}b"),
            ("naïve 文件.txt", "naïve 文件.txt"), ("/\u{301}x", "_\u{301}x"),
        ] as [(String, String?)]) func filenamesAreSanitized(_ name: String, _ safe: String?)
    { #expect(SuggestedFilename.sanitized(name) == safe) }

    @Test func longNamesKeepTheirExtension() throws {
        let name = try #require(SuggestedFilename.sanitized(String(repeating: "ä", count: 500) + ".txt"))
        #expect(name.hasSuffix("ä.txt") && name.utf8.count <= 200)
        let extensionOnly = try #require(SuggestedFilename.sanitized("a." + String(repeating: "x", count: 500)))
        #expect(extensionOnly.utf8.count <= 200)
    }

    @Test func filenameFallsBackToTheURL() throws {
        let url = URL(string: "https://example.com/a/b%2F..%2Fmovie.mp4?x=1")
        #expect(SuggestedFilename.name(for: TransportResponse(status: 200, url: url)) == "movie.mp4")
        let root = TransportResponse(status: 200, url: URL(string: "https://example.com"))
        #expect(SuggestedFilename.name(for: root) == "download")
        let response = TransportResponse(
            status: 200, headers: ["Content-Disposition": "attachment; filename=\"../..\""], url: url)
        #expect(SuggestedFilename.name(for: response) == "movie.mp4")
    }

    @Test func randomFilenamesStayInTheFolder() {
        var random = SeededGenerator(state: 99)
        let alphabet: [Character] = [
            "a", ".", "/", "\\", "\"", ";", "=", "*", "'", "%", "2", "e", " ", "\0", "\r", "\n", "é", "\u{301}", "f",
            ":", "\u{202E}",
        ]
        for _ in 0..<5000 {
            let value =
                "attachment; filename" + ["", "*"].randomElement(using: &random)! + "="
                + ["", "\"", "utf-8''"].randomElement(using: &random)! + random.text(of: alphabet, upTo: 20)
            guard let name = ContentDisposition.filename(in: value).flatMap(SuggestedFilename.sanitized) else {
                continue
            }
            let folder = URL(fileURLWithPath: "/chosen", isDirectory: true)
            #expect(!name.isEmpty && name != "." && name != ".." && !name.hasPrefix("."))
            #expect(!name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 < 0x20 })
            #expect(
                folder.appendingPathComponent(name).standardizedFileURL.deletingLastPathComponent().path == "/chosen")
        }
    }
}

extension DownloadReply { fileprivate var isRefusal: Bool { if case .startOver = self { true } else { false } } }
