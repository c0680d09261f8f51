import TestLab
import Testing

@testable import NetLogging

@Suite struct HTTPArchiveTests {
    /// By a validator of others, against the schemas of har-schema.
    @Test(.requires(.pythonPackages, .harSchemas), arguments: [false, true])
    func fitsTheSchema(isRedacted: Bool) async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("traffic.har")
        let archive = try await SampleTraffic.record(isRedacted ? .default : .none).archive
        try archive.write(to: file)
        let good = try await validate(file)
        #expect(good.text == "valid: \(archive.log.entries.count) entries\n", "\(good.text) \(good.errorText)")
        // And it is seen to find fault.
        let broken = String(decoding: try archive.jsonData(), as: UTF8.self).replacingOccurrences(
            of: "\"bodySize\"", with: "\"bodyLength\"")
        try Data(broken.utf8).write(to: file)
        #expect(try await validate(file).text.contains("'bodySize' is a required property"))
    }

    private func validate(_ file: URL) async throws -> ProcessResult {
        let root = String(URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst())
        let arguments = try ["\(root)/Scripts/validate-har.py", Tool.harSchemas.path(), file.path]
        return try await ProcessRunner.run(Tool.pythonPackages.path(), arguments)
    }

    /// As browsers and proxies write it: without what is optional, and with what is theirs.
    @Test func readsWhatOthersWrite() throws {
        let text = """
            {"log":{"version":"1.2","creator":{"name":"Firefox","version":"128.0","comment":""},"browser":{"name":"Firefox","version":"128.0"},
            "pages":[{"id":"page_1"}],"entries":[{"startedDateTime":"2009-04-16T12:07:23.596123+02:00","time":50,"_initiator":{"type":"other"},
            "request":{"method":"GET","url":"http://www.example.com/path?param=value","httpVersion":"HTTP/1.1","headers":[],
            "queryString":[{"name":"param","value":"value","comment":""}],"headersSize":150,"bodySize":0,"cookies":[{"name":"a","value":"b","expires":null}]},
            "response":{"status":200,"content":{"size":5,"mimeType":"text/plain","text":"aGVsbG8=","encoding":"base64"}},
            "cache":{"beforeRequest":null},"timings":{"blocked":-1,"dns":-1,"send":1,"wait":40.5,"receive":8,"ssl":-1}},
            {"startedDateTime":"2009-04-16T12:07:25Z","request":{"method":"POST","url":"/x","postData":{"mimeType":"a/b","text":"t"}},"response":{"status":0}}]}}
            """
        func decode(_ text: String) throws -> [HTTPArchive.Entry] {
            try JSONDecoder().decode(HTTPArchive.self, from: Data(text.utf8)).log.entries
        }
        let entries = try decode(text)
        #expect(abs(entries[0].startedDateTime.timeIntervalSince1970 - 1_239_876_443.596123) < 1e-6)
        #expect(entries[1].startedDateTime.timeIntervalSince1970 == 1_239_883_645)
        #expect(entries[0].timings == HTTPArchive.Timings(send: 1, wait: 40.5, receive: 8))
        #expect((entries[0].response.content.data, entries[0].timings.total) == (Data("hello".utf8), 49.5))
        #expect((entries[1].request.postData?.data, entries[1].response.bodySize) == (Data("t".utf8), -1))
        let badDate = text.replacingOccurrences(of: "2009-04-16T12:07:25Z", with: "yesterday")
        for malformed in [#"{"log":{}}"#, badDate] { #expect(throws: DecodingError.self) { try decode(malformed) } }
    }

    @Test func unwritableFileIsAnError() throws {
        let folder = try TemporaryDirectory()
        #expect(throws: FileSink.FileError.self) { try HTTPArchive().write(to: folder.file("no/such.har")) }
        try FileManager.default.createDirectory(at: folder.file("x"), withIntermediateDirectories: true)
        #expect(throws: FileSink.FileError.self) { try HTTPArchive().write(to: folder.file("x")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["x"], "nothing is left behind")
    }
}
