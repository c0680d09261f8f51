import NetTransfer
import TestLab
import Testing

/// Against servers in processes of their own: `tuspyserver`, and a model of the IETF's draft.
@Suite(.timeLimit(.minutes(5)), .requires(.pythonPackages)) struct RealServerTests {
    typealias Kind = ResumableUpload.WireProtocol

    @Test(arguments: Kind.allCases, [nil, 300_000] as [Int64?])
    func fileIsUploadedInChunksOrWhole(_ kind: Kind, _ chunkSize: Int64?) async throws {
        var bench = try UploadBench(bytes: 1_000_000)
        bench.options.chunkSize = chunkSize
        let server = try await UploadServer(kind)
        let (progress, task) = NetworkClient().resumableUpload(
            file: bench.file, to: server.url, protocol: kind, options: bench.options)
        let receipt = try await task.value
        #expect(try Data(contentsOf: server.file(of: receipt.uploadURL)) == pattern(1_000_000))
        let last = await progress.last
        #expect((last?.isComplete, last?.bytesCompleted) == (true, 1_000_000))
        let offsets = server.log.filter { $0.method == "PATCH" }.map(\.offset)
        #expect(offsets == (chunkSize == nil ? [0] : [0, 300_000, 600_000, 900_000]))
        if kind == .ietf {
            struct Answer: Decodable { let sha256: String }
            let answer = try JSONDecoder().decode(Answer.self, from: try #require(receipt.data))
            #expect(answer.sha256 == SHA256.hex(pattern(1_000_000)))
        }
    }

    @Test(arguments: Kind.allCases) func discardDeletesTheUpload(_ kind: Kind) async throws {
        let (bench, server) = try await (UploadBench(bytes: 16_000_000), UploadServer(kind))
        try server.hold(at: 2_000_000)
        let client = NetworkClient()
        let task = client.resumableUpload(file: bench.file, to: server.url, protocol: kind, options: bench.options).task
        let record = try await waitUntil("it has begun") { bench.records.all.first }
        task.cancel()
        _ = await task.outcome
        try await server.release()
        try await client.discardResumableUpload(record, records: bench.records)
        #expect(server.log.last?.method == "DELETE" && bench.records.all.isEmpty)
        // Discarding an upload that the server has lost is not an error.
        try await client.discardResumableUpload(record, records: bench.records)
    }
}

@Suite("Killed while uploading", .timeLimit(.minutes(5)), .requires(.pythonPackages)) struct ResumableCrashTests {
    /// Five kills for each upload; every other upload goes in chunks.
    @Test(arguments: [(ResumableUpload.WireProtocol.tus, Volume.pick(quick: 2, full: 10)), (.ietf, 2)])
    func killedUploadIsResumedByTheNextProcess(_ kind: ResumableUpload.WireProtocol, uploads: Int) async throws {
        let server = try await UploadServer(kind)
        var random = SeededGenerator(state: 42)
        var moments: [Double] = []
        for number in 0..<uploads {
            let lab = try CrashLab(server, kind, number: number)
            // One in each fifth of what comes before the last megabytes, which are in the system's hands while others are written.
            for fifth in 0..<5 {
                let moment = (Double(fifth) + Double.random(in: 0.2...0.8, using: &random)) / 5
                moments.append(try await lab.kill(at: moment * 0.85))
            }
            try await lab.finish()
            try lab.check(kills: 5)
        }
        let inside = moments.count { (0.05...0.95).contains($0) }
        print(
            "crash lab, \(kind.rawValue): \(moments.count) kills, \(inside) of them between 5 % and 95 % of the bytes, "
                + "\(uploads) uploads whole and created once")
        #expect(moments.count == uploads * 5)
        #expect(inside * 50 >= moments.count * 40, "\(moments)")
    }
}

private struct CrashLab {
    static let size = 32_000_000
    let server: UploadServer
    let directory: TemporaryDirectory
    let records: ResumableUpload.Records
    let arguments: [String]
    let content: Data
    let file: URL
    /// The earlier content of the log.
    let start: Int

    init(_ server: UploadServer, _ kind: ResumableUpload.WireProtocol, number: Int) throws {
        self.server = server
        directory = try TemporaryDirectory()
        records = ResumableUpload.Records(directory: directory.file("records"))
        let random = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/urandom"))
        content = try #require(try random.read(upToCount: Self.size))
        file = directory.file("upload.bin")
        try content.write(to: file)
        arguments = [
            kind.rawValue, file.path, server.url.absoluteString, records.directory.path,
            number.isMultiple(of: 2) ? "0" : "3000000",
        ]
        start = server.log.count
    }

    /// Starts a process, and kills it when the server has that part of the bytes. Gives the part that the server has then.
    func kill(at moment: Double) async throws -> Double {
        // The bytes that the last process left to the system have arrived too: each process sends some of its own.
        let before = records.all.first.map { server.stored($0.uploadURL) } ?? 0
        let target = max(Int64(moment * Double(Self.size)), before + 500_000)
        try server.hold(at: target)
        let process = try BackgroundProcess(Executable.beside("upload-worker"), arguments)
        _ = try await waitUntil("\(moment) has arrived") { () -> Bool? in
            if let termination = process.termination { throw LabError("\(termination): \(process.output)") }
            guard let upload = records.all.first?.uploadURL else { return nil }
            return server.stored(upload) >= target ? true : nil
        }
        process.send(signal: SIGKILL)
        #expect(process.stop() == .signalled(SIGKILL), "it must not end by itself: \(process.output.suffix(500))")
        let part = try Double(server.stored(#require(records.all.first?.uploadURL))) / Double(Self.size)
        try await server.release()
        return part
    }

    func finish() async throws {
        let result = try await ProcessRunner.run(Executable.beside("upload-worker"), arguments)
        let isDone = result.text.hasSuffix("done \(Self.size)\n")
        #expect(result.termination == .exited(0) && isDone, "\(result.text.suffix(500))")
    }

    /// The requests of the server: one creation, and pieces that each start where the last ended.
    func check(kills: Int) throws {
        let log = server.log.dropFirst(start)
        #expect(log.count { $0.method == "POST" } == 1, "it started over")
        let upload = try #require(log.first { $0.method == "HEAD" }?.path)
        #expect(log.allSatisfy { $0.path == upload || $0.path.hasPrefix("/files") && $0.offset == nil })
        // Each process after the first begins by asking.
        let resumptions = log.split { $0.method == "HEAD" }.dropFirst().compactMap { $0.first?.offset }
        #expect(resumptions.count >= kills && resumptions.allSatisfy { $0 > 0 }, "\(resumptions)")
        #expect(resumptions == resumptions.sorted())
        #expect(try Data(contentsOf: server.file(of: server.url.appendingPathComponent(upload))) == content)
        #expect(records.all.isEmpty)
    }
}
