import TestLab
import Testing

@testable import NetTransfer

/// Everything in NetTransfer that reads text of a server, at its worst inputs.
@Suite(.serialized, .optimized) struct TransferGrowthTests {
    static let readers: [GrowthReader] = {
        var readers = [
            GrowthReader("Content-Disposition", of: "NetTransfer/Downloads/SuggestedFilename.swift") {
                _ = ContentDisposition.filename(in: $0)
                _ = ContentDisposition.filename(in: "attachment; filename=\"" + $0)
                _ = ContentDisposition.filename(in: "attachment; filename*=utf-8''" + $0)
            },
            GrowthReader("Name of a file", of: "NetTransfer/Downloads/SuggestedFilename.swift") {
                _ = SuggestedFilename.sanitized($0)
                _ = SuggestedFilename.sanitized($0 + ".b")
            },
            GrowthReader("Structured field", of: "NetTransfer/StructuredField.swift") {
                _ = UploadLimits(field: $0)
                _ = Downloader.Options.Checksum(field: "sha-256=:" + $0)
            },
            GrowthReader("tus fields", of: "NetTransfer/Resumable/TusDialect.swift") {
                let headers: HTTPHeaders = [
                    "Tus-Resumable": "1.0.0", "Tus-Version": $0, "Tus-Extension": $0, "Tus-Checksum-Algorithm": $0,
                    "Tus-Max-Size": $0,
                ]
                _ = try? TusDialect(clock: .system).abilities(
                    in: TransportResponse(status: 204, headers: headers, url: nil))
            },
            GrowthReader("Lines", of: "NetTransfer/Streams/LineCursor.swift", units: [("", Array("\r\n".utf8))]) {
                for size in [16, 1 << 12, 1 << 20] {
                    var scanner = ChunkScanner(LineCursor(limit: 1 << 20))
                    for chunk in chunks(of: $0, size) {
                        scanner.append(chunk)
                        while let found = try? scanner.first({ _ in true }), found {}
                    }
                }
            },
            GrowthReader(
                "Server-sent events", of: "NetTransfer/Streams/ServerSentEvent.swift",
                units: [
                    ("", Array("data\n".utf8)), ("", Array("data:\n\n".utf8)), ("", Array("id:1\n".utf8)),
                    ("", Array("event:a\n".utf8)), ("", Array("retry:1\n".utf8)), ("data:", Array("a".utf8)),
                    ("", Array(":\n".utf8)),
                ]
            ) {
                for size in [64, 1 << 20] {
                    var parser = ServerSentEvent.Parser()
                    for chunk in chunks(of: $0, size) {
                        parser.append(chunk)
                        while let event = try? parser.next() { _ = event }
                    }
                }
            },
            GrowthReader(
                "Elements", of: "NetTransfer/Streams/JSONElementCursor.swift",
                units: [
                    ("[", Array("1,".utf8)), ("[", Array("{\"a\":1},".utf8)), ("[\"", Array("\\\"".utf8)),
                    ("{\"", Array("a".utf8)), ("{", Array("\"a\":[],".utf8)), ("", Array("[".utf8)),
                    ("", Array(" ".utf8)),
                ]
            ) {
                for (size, path) in [(16, ""), (1 << 12, "b"), (1 << 20, "b.0")] {
                    let cursor = JSONElementCursor(limit: 1 << 20, path: ResponseKeyPath(path), decoder: .json)
                    var scanner = ChunkScanner(cursor)
                    for chunk in chunks(of: $0, size) {
                        scanner.append(chunk)
                        while let found = try? scanner.first({ _ in true }), found {}
                    }
                }
            },
            GrowthReader("Name of a part", of: "NetTransfer/Streams/ResponseStream+Parts.swift") {
                for field in [$0, "form-data; name=\"" + $0] {
                    let part = ResponseStream.Part(headers: ["Content-Disposition": field], body: .empty)
                    _ = (part.name, part.filename)
                }
            },
            GrowthReader("Boundary", of: "NetTransfer/Bodies/MultipartEncoder.swift") {
                _ = MultipartBoundary.occurs("----------aaaaaaaaaaaaaaaa", in: Data($0.utf8))
            },
        ]
        #if os(Linux)
            readers.append(
                GrowthReader("mime.types", of: "NetTransfer/Bodies/MIMEType+Linux.swift") { _ = MIMEType.parse($0) })
        #endif
        return readers
    }()

    private static func chunks(of text: String, _ size: Int) -> [Data] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    @Test("Work is linear in the text", arguments: readers) func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}
