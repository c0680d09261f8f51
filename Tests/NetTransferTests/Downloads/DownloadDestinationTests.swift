import NetTesting
import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct DownloadDestinationTests {
    private let bench: DownloadBench
    private let server: FileServer

    init() throws {
        bench = try DownloadBench()
        server = try FileServer(Data("new".utf8))
    }

    @Test func existingFileIsReplaced() async throws {
        try Data("a longer old one".utf8).write(to: bench.file)
        #expect(try await Data(contentsOf: bench.download(server.url)) == Data("new".utf8))
    }

    @Test func failedDownloadKeepsTheExistingFile() async throws {
        try Data("old".utf8).write(to: bench.file)
        let server = try FileServer(Data()) { _, _, _ in .status(500) }
        await #expect(throws: NetworkError.self) { try await bench.download(server.url) }
        #expect(try Data(contentsOf: bench.file) == Data("old".utf8))
    }

    @Test func keepBothNumbersTheNewFiles() async throws {
        for _ in 0..<3 { _ = try await bench.download(server.url, Downloader.Options(existingFile: .keepBoth)) }
        #expect(try bench.names == ["report (2).bin", "report (3).bin", "report.bin"])
    }

    @Test func concurrentDownloadsGetDifferentNames() async throws {
        let options = Downloader.Options(existingFile: .keepBoth)
        let files = try await atOnce(8) { _ in try await bench.download(server.url, options) }
        #expect(try (Set(files).count, bench.names.count) == (8, 8))
    }

    @Test func refuseKeepsTheExistingFile() async throws {
        try Data("old".utf8).write(to: bench.file)
        let options = Downloader.Options(existingFile: .refuse)
        #expect(await bench.outcome(of: server.url, options).error?.downloadCode == .destinationExists)
        #expect(server.server.requestCount == 0, "known before anything is sent")
        let response: NetworkResponse<URL> = await bench.downloader.download(
            from: server.url, destinationURL: bench.folder, options: options)
        #expect(response.error?.downloadCode == .destinationExists)
        #expect(try Data(contentsOf: bench.file) == Data("old".utf8) && bench.isClean(with: ["report.bin"]))
    }

    @Test(arguments: [
        ("attachment; filename=\"../../../etc/evil\"", "evil"), ("attachment; filename=\"..\"", "report.bin"),
        ("attachment; filename*=UTF-8''..%2f..%2fevil.txt", "evil.txt"), ("attachment; filename=a\\b\\c.txt", "c.txt"),
    ]) func suggestedFilenameStaysInTheFolder(_ disposition: String, _ name: String) async throws {
        let server = try FileServer(Data("new".utf8)) { $2.header("Content-Disposition", disposition) }
        let file: URL = try await bench.downloader.download(from: server.url, destinationURL: bench.folder)
        #expect(try file.path == bench.folder.appendingPathComponent(name).path && bench.isClean(with: [name]))
    }

    @Test func unwritableDestinationFailsBeforeTheRequest() async throws {
        let folder = bench.folder.appendingPathComponent("folder", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let web = try #require(URL(string: "https://example.com/a"))
        for destination in [
            Downloader.Destination.file(bench.folder.appendingPathComponent("no/such/file")), .file(folder),
            .folder(bench.folder.appendingPathComponent("none")), .file(web),
        ] {
            let (_, task) = bench.downloader.download(.url(server.url), to: destination)
            #expect(try await task.outcome.get().error?.downloadCode == .cannotWrite, "\(destination)")
        }
        #expect(server.server.requestCount == 0)
    }

    @Test func unwritableRegistryFailsTheDownload() async throws {
        try Data().write(to: bench.directory.file("registry"))
        let error = await #expect(throws: NetworkError.self) { try await bench.download(server.url) }
        #expect(try (error?.downloadCode, bench.names) == (.registry, []))
    }

    @Test func registryIsPrivateAndHoldsNoCredentials() async throws {
        let server = try FileServer(pattern(1000)) { _, _, honest in honest.cut }
        let options = Downloader.Options.atOnce { $0.maxResumptions = 0 }
        let request = Downloader.Source.url(server.url, headers: ["Authorization": "Bearer secret"])
        _ = await bench.downloader.download(request, to: .file(bench.file), options: options).task.outcome
        let left = try #require(bench.registry.unfinished().first)
        #expect(!String(decoding: left.resumeData, as: UTF8.self).contains("secret"))
        let registry = bench.directory.file("registry")
        for path in try FileManager.default.contentsOfDirectory(atPath: registry.path)
            .map({ registry.appendingPathComponent($0).path })
            + bench.names.map({ bench.folder.appendingPathComponent($0).path })
        {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(path)")
        }
        #expect(try bench.registry.discard(left) && bench.isClean(with: []))
    }

    // MARK: Special files and links

    private func download(
        to destination: Downloader.Destination, _ existing: Downloader.Options.ExistingFile = .replace
    ) async throws -> NetworkResponse<URL> {
        let options = Downloader.Options(existingFile: existing)
        return try await bench.downloader.download(.url(server.url), to: destination, options: options).task.value
    }

    @Test(arguments: [Downloader.Options.ExistingFile.replace, .keepBoth, .refuse])
    func specialFileIsRefusedBeforeTheRequest(_ existing: Downloader.Options.ExistingFile) async throws {
        let directory = try TemporaryDirectory()
        let special = try SpecialFiles(in: directory)
        for file in special.all {
            let link = directory.file("link to \(file.lastPathComponent)")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            for target in [file, link] {
                let response = try await download(to: .file(target), existing)
                #expect(response.error?.downloadCode == .cannotWrite, "\(target.lastPathComponent)")
            }
        }
        #expect(special.areUnchanged() && server.ranges.isEmpty && bench.registry.unfinished().isEmpty)
    }

    @Test func specialFileInAFolderIsRefused() async throws {
        for make: (String) -> Int32 in [
            { mkfifo($0, 0o600) }, { mkdir($0, 0o700) }, { symlink("/tmp", $0) }, { symlink("elsewhere", $0) },
        ] {
            let bench = try DownloadBench()
            #expect(make(bench.file.path) == 0)
            let kind = Directory.status(of: bench.file.path)?.kind
            let task = bench.downloader.download(.url(server.url), to: .folder(bench.folder)).task
            #expect((try? await task.value)?.error?.downloadCode == .cannotWrite)
            #expect(Directory.status(of: bench.file.path)?.kind == kind)
            #expect(Directory.status(of: bench.folder.appendingPathComponent("elsewhere").path) == nil)
        }
    }

    @Test(arguments: [true, false]) func symbolicLinkIsFollowedAndKept(_ exists: Bool) async throws {
        let elsewhere = try TemporaryDirectory()
        let target = elsewhere.file("target")
        if exists { try Data("a longer old one".utf8).write(to: target) }
        try FileManager.default.createSymbolicLink(at: bench.file, withDestinationURL: target)
        #expect(try await download(to: .file(bench.file)).value == bench.file)
        #expect(try Data(contentsOf: target) == Data("new".utf8))
        #expect([bench.file, target].map { Directory.status(of: $0.path)?.kind } == [.link, .regular])
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.url.path) == ["target"])
        #expect(try bench.isClean(with: ["report.bin"]))
        #expect(try await download(to: .file(bench.file), .refuse).error?.downloadCode == .destinationExists)
        #expect(try await download(to: .file(bench.file), .keepBoth).value?.lastPathComponent == "report (2).bin")
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        /// A file that cannot grow, as on a full disk: in a process of its own, since the limit is the process's.
        @Test(.ownProcess) func fullDiskKeepsTheBytesToResume() async throws {
            await #expect(processExitsWith: .success) {
                signal(SIGXFSZ, SIG_IGN)
                let (bench, server) = try (DownloadBench(), FileServer(pattern(400_000)))
                var limits = rlimit()
                #if canImport(Darwin)
                    let kind: Int32 = RLIMIT_FSIZE
                #else
                    let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
                #endif
                getrlimit(kind, &limits)
                limits.rlim_cur = 100_000
                setrlimit(kind, &limits)
                #expect(await bench.outcome(of: server.url).error?.downloadCode == .diskFull)
                limits.rlim_cur = limits.rlim_max
                setrlimit(kind, &limits)
                let left = try #require(bench.registry.unfinished().first)
                #expect(left.bytesCompleted == 100_000)
                let file: URL = try await bench.downloader.resumeDownload(with: left.resumeData)
                #expect(try Data(contentsOf: file) == pattern(400_000) && server.ranges == [nil, "bytes=100000-"])
                await server.server.stop()
            }
        }
    #endif
}
