import NetTesting
import Networking
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct SeedDownloadTests {
    private let bench: DownloadBench
    private let networking = Networking(transport: .platform)
    init() throws { bench = try DownloadBench() }

    private struct FileEndpoint: Endpoint {
        let fileId: String
        var path: String { "/files/\(fileId)" }
        var method: HTTPMethod { .get }
        typealias Response = EmptyResponse
    }

    @Test func seed000DownloadWithCompletion() async throws {
        let server = try FileServer(pattern(50_000))
        let values = Locked<[Double]>([])
        let response = await withCheckedContinuation { continuation in
            _ = networking.download(
                from: server.url, destinationURL: bench.file,
                progressHandler: { progress in
                    MainActor.assertIsolated()
                    values.withLock { $0.append(progress) }
                }, completion: { (response: NetworkingResponse<URL>) in continuation.resume(returning: response) })
        }
        #expect((response.value, values.withLock { $0.last }) == (bench.file, 1))
        #expect(values.withLock { $0.allSatisfy { (0...1).contains($0) } })
    }

    @Test func seed000PauseAndResume() async throws {
        let server = try FileServer(pattern(50_000)) { $1 == 0 ? $2.fault(.stall(.inBody)) : $2 }
        let (started, hasStarted) = AsyncStream<Void>.makeStream()
        let task = networking.download(
            from: server.url, destinationURL: bench.file, queue: .global(),
            progressHandler: { if $0 > 0 { hasStarted.yield() } }, completion: { _ in })
        for await _ in started { break }
        let response: NetworkResponse<URL> = await withCheckedContinuation { continuation in
            networking.pauseDownload(task: task) { data in
                networking.resumeDownload(with: data, destinationURL: bench.file) { continuation.resume(returning: $0) }
            }
        }
        #expect(try Data(contentsOf: response.get()) == pattern(50_000) && server.ranges == [nil, "bytes=25000-"])
        networking.cancelDownload(task: task)
        networking.cancelAllDownloads()
    }

    @Test func seed000AsyncDownload() async throws {
        let server = try FileServer(pattern(100))
        let file: URL = try await networking.download(from: server.url, destinationURL: bench.folder)
        #expect(file == bench.file)
        let response: NetworkResponse<URL> = await networking.download(
            from: server.url, destinationURL: bench.folder.appendingPathComponent("missing/a"))
        #expect(response.error?.downloadCode == .cannotWrite)
    }

    @Test func seed002DownloadToATemporaryFile() async throws {
        let server = try FileServer(pattern(100))
        let values = Locked<[Double]>([])
        let file = try await networking.client.download(
            from: server.url, progress: { progress in values.withLock { $0.append(progress) } })
        #expect(file.lastPathComponent == "report.bin")
        #expect(try Data(contentsOf: file) == pattern(100) && values.withLock { $0.last } == 1)
        try FileManager.default.removeItem(at: file.deletingLastPathComponent())
        let again = try await networking.client.download(from: server.url)
        #expect(again != file)
        try FileManager.default.removeItem(at: again.deletingLastPathComponent())
    }

    @Test func seed003DownloadOfAnEndpoint() async throws {
        let server = try FileServer(pattern(100))
        let client = NetworkClient(server.server)
        let destination = bench.folder.appendingPathComponent("downloaded.zip")
        let (progress, responseTask) = client.download(from: FileEndpoint(fileId: "123"), to: destination)
        var last: TransferProgress?
        for await update in progress { last = update }
        #expect(try await responseTask.value == destination && (last?.isComplete, last?.totalBytes) == (true, 100))
        #expect(server.server.requests.first?.path == "/files/123")
    }

    @Test func downloadsBypassTheCache() async throws {
        let server = try FileServer(pattern(100)) { _, _, honest in honest.header("Cache-Control", "max-age=1000") }
        let client = NetworkClient(cache: ResponseCache(maxEntries: 10))
        for _ in 0..<2 { _ = try await client.download(from: server.url, to: bench.file).task.value }
        #expect(server.server.requestCount == 2)
    }
}
