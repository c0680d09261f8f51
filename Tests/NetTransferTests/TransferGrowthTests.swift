import NetTesting
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
                for size in [16, 1 << 12, 1 << 20] { scan($0, size, LineCursor(limit: 1 << 20)) }
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
                    scan($0, size, JSONElementCursor(limit: 1 << 20, path: ResponseKeyPath(path), decoder: .json))
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

    private static func scan(_ text: String, _ size: Int, _ cursor: some ChunkCursor) {
        var scanner = ChunkScanner(cursor)
        for chunk in chunks(of: text, size) {
            scanner.append(chunk)
            while let found = try? scanner.first({ _ in true }), found {}
        }
    }

    @Test("Work is linear in the text", arguments: readers) func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}

#if os(Linux)
    /// Memory stays flat, in a process that does nothing else. What counts is the growth, since the tests alone take 40 MB; the
    /// benchmarks `bench-upload` and `bench-download` measure a program as users have it.
    @Suite(.timeLimit(.minutes(5))) struct TransferMemoryTests {
        /// A quarter of a gigabyte; the benchmarks transfer a whole one. What grew with the size would show here as well.
        static let size: Int64 = 256 << 20

        @Test(.ownProcess) func memoryStaysFlatForALargeDownload() async {
            await #expect(processExitsWith: .success) {
                let (bench, server) = try (DownloadBench(), MockServer())
                server.on("/warm", .bytes(count: 1000))
                server.on("/large", .bytes(count: Self.size))
                _ = try await bench.download(server.url("/warm"))
                let before = ResourceCensus()
                _ = try await bench.download(server.url("/large"))
                #expect(Directory.status(of: bench.file.path)?.size == Self.size)
                expectFlatMemory(since: before)
                await server.stop()
            }
        }

        /// A sparse file is sent as a part of a form.
        @Test(.ownProcess) func memoryStaysFlatForALargeForm() async {
            await #expect(processExitsWith: .success) {
                let directory = try TemporaryDirectory()
                let file = directory.file("huge.bin")
                try Data().write(to: file)
                try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(Self.size))
                let server = try MockServer.receiving(keepingBodiesUpTo: 0)
                let client = NetworkClient(server)
                let small = MultipartFormData([.text(name: "up", value: "warm")])
                _ = try await client.upload(formData: small, to: Drop()).task.value
                let before = ResourceCensus()
                let formData = MultipartFormData([.text(name: "field", value: "first")])
                try formData.append(fileURL: file, name: "file")
                let (progress, task) = client.upload(formData: formData, to: Drop())
                let last = await progress.last
                _ = try await task.value
                #expect(last?.isComplete == true && server.requests.last?.bodyLength == last?.totalBytes)
                expectFlatMemory(since: before)
                await server.stop()
            }
        }

        @Test(.ownProcess) func memoryStaysFlatForAResumableUpload() async {
            await #expect(processExitsWith: .success) {
                let bench = try UploadBench(bytes: 1)
                let server = try MockServer(keepingBodiesUpTo: 0) { request in
                    let status = request.method == .post ? 201 : 204
                    return .status(status).header("Location", "/files/1")
                        .header("Upload-Offset", "\(request.bodyLength)")
                }
                _ = try await bench.start(.tus, on: server).task.value
                let before = ResourceCensus()
                try FileHandle(forWritingTo: bench.file).truncate(atOffset: UInt64(Self.size))
                #expect(try await bench.start(.tus, on: server).task.value.byteCount == Self.size)
                #expect(server.requests.last?.bodyLength == Self.size)
                expectFlatMemory(since: before)
                await server.stop()
            }
        }
    }

    private func expectFlatMemory(since before: ResourceCensus) {
        let growth = (ResourceCensus().peakResidentKiB ?? 0) - (before.residentKiB ?? 0)
        #expect(growth < 12 << 10, "\(growth) KiB more at most, \(before) before")
    }
#endif
