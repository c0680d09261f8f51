import NetTransfer
import TestLab
import Testing

@Suite(.timeLimit(.minutes(1))) struct SpecialDestinationTests {
    private let bench: DownloadBench
    private let server: FileServer

    init() throws {
        bench = try DownloadBench()
        server = try FileServer(Data("new".utf8))
    }

    private func download(
        to destination: Downloader.Destination, _ existing: Downloader.Options.ExistingFile = .replace
    ) async -> NetworkResponse<URL> {
        let options = Downloader.Options(existingFile: existing)
        let task = bench.downloader.download(.url(server.url), to: destination, options: options).task
        do { return try await task.value } catch {
            return NetworkResponse(request: nil, response: nil, data: nil, result: .failure(error.cause))
        }
    }

    @Test(arguments: [Downloader.Options.ExistingFile.replace, .keepBoth, .refuse])
    func specialFileIsRefusedBeforeTheRequest(_ existing: Downloader.Options.ExistingFile) async throws {
        let directory = try TemporaryDirectory()
        let special = try SpecialFiles(in: directory)
        for file in special.all {
            let link = directory.file("link to \(file.lastPathComponent)")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            for target in [file, link] {
                let response = await download(to: .file(target), existing)
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
        #expect(await download(to: .file(bench.file)).value == bench.file)
        #expect(try Data(contentsOf: target) == Data("new".utf8))
        #expect([bench.file, target].map { Directory.status(of: $0.path)?.kind } == [.link, .regular])
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.url.path) == ["target"])
        #expect(try bench.isClean(with: ["report.bin"]))
        #expect(await download(to: .file(bench.file), .refuse).error?.downloadCode == .destinationExists)
        #expect(await download(to: .file(bench.file), .keepBoth).value?.lastPathComponent == "report (2).bin")
    }
}
