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

    @Test(arguments: Kind.allCases) func pausedUploadResumesAtTheServersOffset(_ kind: Kind) async throws {
        let (bench, server) = try await (UploadBench(bytes: 16_000_000), UploadServer(kind))
        try server.hold(at: 2_000_000)
        let (progress, task) = NetworkClient().resumableUpload(
            file: bench.file, to: server.url, protocol: kind, options: bench.options)
        let upload = try await waitUntil("the bytes have arrived") {
            bench.records.all.first.flatMap { server.stored($0.uploadURL) >= 2_000_000 ? $0.uploadURL : nil }
        }
        try task.pause()
        try await server.release()
        try task.resume()
        #expect(try await task.value.uploadURL == upload)
        #expect(try Data(contentsOf: server.file(of: upload)) == pattern(16_000_000))
        #expect(await progress.last?.isComplete == true)
        let log = server.log
        #expect(log.count { $0.method == "POST" } == 1 && (log.last { $0.method == "PATCH" }?.offset ?? 0) >= 2_000_000)
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

    @Test func lostUploadStartsOver() async throws {
        let (bench, server) = try await (UploadBench(bytes: 4_000_000), UploadServer(.tus))
        try server.hold(at: 1_000_000)
        let client = NetworkClient()
        let task = client.resumableUpload(file: bench.file, to: server.url, options: bench.options).task
        let upload = try await waitUntil("the bytes have arrived") {
            bench.records.all.first.flatMap { server.stored($0.uploadURL) >= 1_000_000 ? $0.uploadURL : nil }
        }
        task.cancel()
        _ = await task.outcome
        try await server.release()
        try FileManager.default.removeItem(at: server.file(of: upload))
        let again = client.resumableUpload(file: bench.file, to: server.url, options: bench.options).task
        let receipt = try await again.value
        #expect(receipt.uploadURL != upload)
        #expect(try Data(contentsOf: server.file(of: receipt.uploadURL)) == pattern(4_000_000))
    }
}
