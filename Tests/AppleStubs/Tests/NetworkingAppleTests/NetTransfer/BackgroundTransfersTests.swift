import NetCore
import NetTesting
import TestLab
import Testing

@testable import NetTransfer

/// What the system goes on with when the app is gone: its stand-in is ``BackgroundTransferDaemon``.
@Suite(.timeLimit(.minutes(5))) struct BackgroundTransfersTests {
    let folder: TemporaryDirectory
    /// One that no other test has.
    let identifier = UUID().uuidString
    let content = MockResponse.generatedBytes(count: 300_000)

    init() throws { folder = try TemporaryDirectory() }
    private var target: URL { folder.file("report.bin") }
    private func server() throws -> MockServer { try MockServer { [content] _ in .data(content) } }

    private func failure(_ downloads: BackgroundTransfers) async -> NetworkError? {
        if case .failed(_, let failure)? = await downloads.nextEnd()?.event { failure.cause } else { nil }
    }

    @Test func downloadIsMovedToItsDestination() async throws {
        let server = try server()
        let downloads = BackgroundTransfers(identifier: identifier)
        try downloads.download(URLRequest(url: server.url("/report.bin")), to: .file(target))
        var counts: [Int64] = []
        for await update in downloads.updates {
            if case .progress(_, let progress) = update.event {
                counts.append(progress.bytesCompleted)
                continue
            }
            guard case .finished(let url, let file) = update.event else {
                Issue.record("The event is \(update.event).")
                return
            }
            #expect(url == server.url("/report.bin") && file.path == target.path)
            break
        }
        #expect(try Data(contentsOf: target) == content)
        #expect(counts.last == Int64(content.count) && counts == counts.sorted())
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["report.bin"])
    }

    /// A second session with the identifier would be the invalidated first one, in which no task can be made.
    @Test func secondInstanceInTheProcessContinues() async throws {
        let gate = Locked(false)
        let server = try MockServer.gated(gate) { [content] _ in .data(content) }
        let first = try BackgroundTransfers(identifier: identifier)
            .download(URLRequest(url: server.url("/a")), to: .file(target)).id
        let again = BackgroundTransfers(identifier: identifier)
        let second = try again.download(URLRequest(url: server.url("/b")), to: .file(folder.file("b"))).id
        gate.withLock { $0 = true }
        var ended: Set<UUID> = []
        while ended.count < 2, let update = await again.nextEnd() {
            if case .finished = update.event { ended.insert(update.id) }
        }
        #expect(ended == [first, second])
    }

    @Test func errorStatusFailsTheDownload() async throws {
        let server = try MockServer { _ in .status(404) }
        let downloads = BackgroundTransfers(identifier: identifier)
        try downloads.download(URLRequest(url: server.url("/report.bin")), to: .file(target))
        #expect(await failure(downloads)?.statusCode == 404)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func checksumMismatchFailsTheDownload() async throws {
        let server = try server()
        let downloads = BackgroundTransfers(identifier: identifier)
        let checksum = try Downloader.Options.Checksum.sha256(String(repeating: "0", count: 64))
        try downloads.download(
            URLRequest(url: server.url("/report.bin")), to: .file(target),
            options: Downloader.Options(existingFile: .replace, checksum: checksum))
        let error = await failure(downloads)
        #expect(error?.code == "download_failed")
        #expect((error?.embeddedError as? DownloadError)?.code == .digestMismatch)
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test func cancelAllEndsEveryTransfer() async throws {
        let asked = Locked(0)
        let server = try MockServer.gated(Locked(false), asked: asked) { _ in .status(200) }
        let downloads = BackgroundTransfers(identifier: identifier)
        try downloads.download(URLRequest(url: server.url("/report.bin")), to: .file(target))
        while asked.withLock({ $0 }) == 0 { await Task.yield() }
        await downloads.cancelAll()
        #expect(await failure(downloads) == .cancelled)
    }

    @Test func unsupportedDownloadIsRefused() throws {
        let downloads = BackgroundTransfers(identifier: identifier)
        let ftp = try #require(URL(string: "ftp://example.com/a"))
        #expect(throws: NetworkError.invalidURL) { try downloads.download(URLRequest(url: ftp), to: .file(target)) }
        try Data("mine".utf8).write(to: target)
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let error = #expect(throws: NetworkError.self) {
            try downloads.download(
                URLRequest(url: url), to: .file(target), options: Downloader.Options(existingFile: .refuse))
        }
        #expect(error?.code == "download_failed")
        #expect((error?.embeddedError as? DownloadError)?.code == .destinationExists)
        #expect(try Data(contentsOf: target) == Data("mine".utf8))
    }
}

extension MockServer {
    /// Answers when the gate is open, and counts who has asked.
    static func gated(
        _ gate: Locked<Bool>, asked: Locked<Int> = Locked(0),
        _ answer: @escaping @Sendable (RecordedRequest) -> MockResponse
    ) throws -> MockServer {
        try MockServer { request in
            asked.withLock { $0 += 1 }
            while !gate.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) }
            return answer(request)
        }
    }
}

extension BackgroundTransfers {
    /// Returns the next update that ends a transfer, or nil if the task is cancelled.
    func nextEnd() async -> Update? {
        for await update in updates {
            if case .progress = update.event { continue }
            return update
        }
        return nil
    }
}

extension BackgroundTransferDaemon {
    /// Ends the process: the next ``BackgroundTransfers`` makes a session, as after a launch.
    func endProcess(_ identifier: String) {
        endApp(identifier)
        BackgroundSession.forget(identifier, nil)
    }

    /// As ``endProcess(_:)``, by the user.
    func endProcessByUser(_ identifier: String) {
        endAppByUser(identifier)
        BackgroundSession.forget(identifier, nil)
    }
}
