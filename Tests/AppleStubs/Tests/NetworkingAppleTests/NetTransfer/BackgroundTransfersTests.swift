import NetCore
import NetTesting
import TestLab
import Testing

@testable import NetTransfer

/// What the system goes on with when the app is gone: its stand-in is ``BackgroundTransferDaemon``.
@Suite(.timeLimit(.minutes(5))) struct BackgroundTransfersTests {
    private let folder: TemporaryDirectory
    /// One that no other test has.
    private let identifier = UUID().uuidString
    private let content = MockResponse.generatedBytes(count: 300_000)

    init() throws { folder = try TemporaryDirectory() }

    private var target: URL { folder.url.appendingPathComponent("report.bin") }

    private func server(_ answer: (@Sendable (RecordedRequest) async -> MockResponse)? = nil) throws -> MockServer {
        let content = content
        return try MockServer { request in
            if let answer { return await answer(request) }
            return .data(content)
        }
    }

    /// What is said of one download, up to its end.
    private func events(_ downloads: BackgroundTransfers) async -> [BackgroundTransfers.Event] {
        var all: [BackgroundTransfers.Event] = []
        for await update in downloads.updates {
            all.append(update.event)
            if case .progress = update.event { continue }
            break
        }
        return all
    }

    private func failure(_ downloads: BackgroundTransfers) async -> NetworkError? {
        if case .failed(_, let failure)? = await events(downloads).last { failure.cause } else { nil }
    }

    @Test func downloadIsMovedToItsDestination() async throws {
        let server = try server()
        let downloads = BackgroundTransfers(identifier: identifier)
        try downloads.download(URLRequest(url: server.url("/report.bin")), to: .file(target))
        let events = await events(downloads)
        guard case .finished(let url, let file)? = events.last else {
            Issue.record("The events are \(events).")
            return
        }
        #expect(url == server.url("/report.bin") && file.path == target.path)
        #expect(try Data(contentsOf: target) == content)
        let counts = events.compactMap { event -> Int64? in
            if case .progress(_, let progress) = event { progress.bytesCompleted } else { nil }
        }
        #expect(counts.last == Int64(content.count) && counts == counts.sorted())
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["report.bin"])
    }

    @Test func downloadContinuesAfterTheAppEnds() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (asked, signal) = AsyncStream<Void>.makeStream()
        let content = content
        let server = try server { _ in
            signal.finish()
            for await _ in gate {}
            return .data(content)
        }
        do {
            let downloads = BackgroundTransfers(identifier: identifier)
            try downloads.download(
                URLRequest(url: server.url("/report.bin")), to: .file(target),
                options: Downloader.Options(existingFile: .refuse))
            for await _ in asked {}
            BackgroundTransferDaemon.shared.endProcess(identifier)
        }
        opener.finish()
        await BackgroundTransferDaemon.shared.waitUntilIdle(identifier)
        // Nobody was there to move it.
        #expect(!FileManager.default.fileExists(atPath: target.path))

        let relaunched = BackgroundTransfers(identifier: identifier)
        let finished = Task { [identifier] in
            await BackgroundTransfers.handleEvents(forBackgroundURLSession: identifier)
        }
        guard case .finished(let url, _)? = await events(relaunched).last else {
            Issue.record("The download has not ended well.")
            return
        }
        #expect(url == server.url("/report.bin"))
        #expect(try Data(contentsOf: target) == content)
        await finished.value
    }

    /// A second session with the identifier would be the invalidated first one, in which no task can be made.
    @Test func secondInstanceInTheProcessContinues() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let content = content
        let server = try server { _ in
            for await _ in gate {}
            return .data(content)
        }
        let first: UUID
        do {
            first = try BackgroundTransfers(identifier: identifier)
                .download(URLRequest(url: server.url("/a")), to: .file(target)).id
        }
        let again = BackgroundTransfers(identifier: identifier)
        let second = try again.download(
            URLRequest(url: server.url("/b")), to: .file(folder.url.appendingPathComponent("b"))
        ).id
        opener.finish()
        var ended: Set<UUID> = []
        for await update in again.updates {
            if case .finished = update.event { ended.insert(update.id) }
            if ended.count == 2 { break }
        }
        #expect(ended == [first, second])
    }

    @Test func errorStatusFailsTheDownload() async throws {
        let server = try server { _ in .status(404) }
        let downloads = BackgroundTransfers(identifier: identifier)
        try downloads.download(URLRequest(url: server.url("/report.bin")), to: .file(target))
        guard case .requestFailed(404, _)? = await failure(downloads) else {
            Issue.record("404 has to be a failure.")
            return
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func checksumMismatchFailsTheDownload() async throws {
        let server = try server()
        let downloads = BackgroundTransfers(identifier: identifier)
        let checksum = try Downloader.Options.Checksum.sha256(String(repeating: "0", count: 64))
        try downloads.download(
            URLRequest(url: server.url("/report.bin")), to: .file(target),
            options: Downloader.Options(existingFile: .replace, checksum: checksum))
        guard case .downloadFailed(let error)? = await failure(downloads) else {
            Issue.record("Another digest has to be a failure.")
            return
        }
        #expect((error as? DownloadError)?.code == .digestMismatch)
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test func cancelAllEndsEveryTransfer() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (asked, signal) = AsyncStream<Void>.makeStream()
        let server = try server { _ in
            signal.finish()
            for await _ in gate {}
            return .status(200)
        }
        let downloads = BackgroundTransfers(identifier: identifier)
        try downloads.download(URLRequest(url: server.url("/report.bin")), to: .file(target))
        for await _ in asked {}
        await downloads.cancelAll()
        #expect(await failure(downloads) == .cancelled)
        opener.finish()
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
        guard case .downloadFailed(let cause)? = error else {
            Issue.record("The error is \(String(describing: error)).")
            return
        }
        #expect((cause as? DownloadError)?.code == .destinationExists)
        #expect(try Data(contentsOf: target) == Data("mine".utf8))
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
