import NetTesting
import Networking
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    private let bench: DownloadBench
    private let networking = Networking(transport: .platform)
    init() throws { bench = try DownloadBench() }

    @Test func fileIsDownloadedWithProgress() async throws {
        let data = pattern(300_000)
        let server = try FileServer(data)
        let (progress, task) = bench.downloader.download(.url(server.url), to: .file(bench.file))
        let (states, response) = try await (progress.collected(), task.value)
        #expect(try (response.value, response.statusCode) == (bench.file, 200) && Data(contentsOf: bench.file) == data)
        #expect((states.last?.isComplete, states.last?.bytesCompleted) == (true, 300_000))
        #expect(try states.allSatisfy { $0.attempt == 0 } && bench.isClean(with: ["report.bin"]))
        let request = try #require(server.server.requests.first)
        #expect((request.headers["Accept-Encoding"], request.headers["Range"]) == ("identity", nil))
    }

    @Test(arguments: [0, 1, 65_536]) func smallFilesAreDownloaded(_ count: Int) async throws {
        let server = try FileServer(pattern(count))
        #expect(try await Data(contentsOf: bench.download(server.url)) == pattern(count))
    }

    @Test func droppedConnectionResumesWithRangeAndIfRange() async throws {
        let data = pattern(400_000)
        let server = try FileServer(data) { _, number, honest in number < 3 ? honest.cut : honest }
        let (progress, task) = bench.downloader.download(.url(server.url), to: .file(bench.file), options: .atOnce)
        let states = try await progress.collected()
        #expect(try await task.value.isSuccess && Data(contentsOf: bench.file) == data)
        #expect(server.ranges == [nil, "bytes=200000-", "bytes=300000-", "bytes=350000-"])
        #expect(server.server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"v1\"" })
        #expect(try states.last?.attempt == 3 && neverGoesBack(states) && bench.isClean(with: ["report.bin"]))
    }

    @Test func strongLastModifiedResumes() async throws {
        var resource = MockResource(pattern(100_000), lastModified: Date(timeIntervalSince1970: 1e9))
        resource.etag = nil
        resource.headers["Date"] = HTTPDate.string(from: Date(timeIntervalSince1970: 1e9 + 1))
        let server = try FileServer(pattern(100_000)) { [resource] request, number, _ in
            number == 0 ? resource.response(to: request).cut : resource.response(to: request)
        }
        #expect(try await Data(contentsOf: bench.download(server.url)) == pattern(100_000))
        #expect(server.ranges == [nil, "bytes=50000-"])
    }

    @Test(arguments: [nil, "W/\"v1\"", "v1"] as [String?])
    func weakOrMissingETagStartsOver(_ tag: String?) async throws {
        let server = try FileServer(pattern(100_000), tag: tag) { $1 == 0 ? $2.cut : $2 }
        #expect(try await Data(contentsOf: bench.download(server.url)) == pattern(100_000))
        #expect(server.ranges == [nil, nil] && server.server.requests.allSatisfy { $0.headers["If-Range"] == nil })
    }

    @Test func maxResumptionsKeepsTheResumeData() async throws {
        let bench = try DownloadBench(client: NetworkClient(clock: TestClock(autoAdvance: true)))
        let server = try FileServer(pattern(100_000)) { $1 == 0 ? $2.cut : $2.fault(.close(.beforeResponse)) }
        let options = Downloader.Options.atOnce { ($0.maxResumptions, $0.resumptionDelay) = (3, .fixed(7)) }
        let error = await #expect(throws: NetworkError.self) { try await bench.download(server.url, options) }
        #expect(try (error, #require(bench.client.clock as? TestClock).sleeps) == (.networkUnavailable, [7, 7, 7]))
        #expect(server.ranges.filter { $0 == "bytes=50000-" }.count >= 3)
        let left = try #require(bench.registry.unfinished().first)
        #expect((left.url, left.destination) == (server.url, .file(bench.file)))
        #expect((left.bytesCompleted, left.totalBytes) == (50_000, 100_000))
        let second = Downloader(client: NetworkClient(transport: .platform), registry: bench.registry)
        server.server.on("*", respond: { FileServer.answer($0, pattern(100_000), tag: "\"v1\"") })
        let file: URL = try await second.resumeDownload(with: left.resumeData)
        #expect(try Data(contentsOf: file) == pattern(100_000) && server.ranges.last == "bytes=50000-")
        #expect(try bench.isClean(with: ["report.bin"]))
    }

    @Test func downloadThatHasNotBegunIsNotResumed() async throws {
        let server = try FileServer(Data()) { _, _, honest in honest.fault(.close(.beforeResponse)) }
        await #expect(throws: NetworkError.networkUnavailable) { try await bench.download(server.url) }
        #expect(try bench.isClean(with: []))
    }

    @Test(arguments: [404, 500]) func errorStatusWritesNoFile(_ status: Int) async throws {
        let server = try FileServer(Data()) { _, _, _ in MockResponse.text("no").status(status) }
        let error = await #expect(throws: NetworkError.self) { try await bench.download(server.url) }
        #expect(try error == .requestFailed(statusCode: status, data: Data("no".utf8)) && bench.isClean(with: []))
    }

    @Test func a503DuringAResumptionIsRetried() async throws {
        let server = try FileServer(pattern(10_000)) { [$2.cut, .status(503), $2][min($1, 2)] }
        #expect(try await Data(contentsOf: bench.download(server.url)) == pattern(10_000))
        #expect(server.ranges == [nil, "bytes=5000-", "bytes=5000-"])
    }

    @Test func redirectKeepsTheRange() async throws {
        let server = try FileServer(pattern(100_000)) {
            $0.path == "/start" ? .redirect(to: "/files/report.bin") : $1 == 1 ? $2.cut : $2
        }
        #expect(try await Data(contentsOf: bench.download(server.server.url("/start"))) == pattern(100_000))
        #expect(server.ranges == [nil, nil, "bytes=50000-", "bytes=50000-"])
    }

    @Test func unknownLengthHasNoFraction() async throws {
        let transport = StubTransport { request, _, _ in
            let chunks = AsyncStream.of(Array(repeating: pattern(1000), count: 3))
            return TransportResponse(status: 200, url: request.url, body: HTTPBody(stream: chunks))
        }
        let bench = try DownloadBench(client: NetworkClient(transport: transport))
        let (progress, task) = bench.downloader.download(.url(.example), to: .file(bench.file))
        let states = try await progress.collected()
        #expect(try await task.value.isSuccess && states.dropLast().allSatisfy { $0.fractionCompleted == nil })
        #expect((states.last?.fractionCompleted, states.last?.bytesCompleted) == (1, 3000))
        let (file, fractions) = (bench.file, Locked<[Double]>([]))
        let again: URL = try await bench.downloader.download(from: URL.example, destinationURL: file) { fraction in
            fractions.withLock { $0.append(fraction) }
        }
        #expect((again, fractions.withLock { $0 }) == (file, [1]))
    }

    @Test func chunkedDownloadIsResumed() async throws {
        let data = pattern(300_000)
        let server = try FileServer(data) { $1 == 0 ? $2.framed(.chunked).fault(.truncatedChunkedBody) : $2 }
        #expect(try await Data(contentsOf: bench.download(server.url)) == data)
        #expect(server.ranges.count == 2 && server.ranges[1] != nil)
    }

    // MARK: The front doors

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
        let (progress, responseTask) = client.download(from: Drop(path: "/files/123", method: .get), to: destination)
        let last = await progress.last
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
