import AppleLiberties
import NetCore
import NetTesting
import TestLab
import Testing

@testable import NetTransfer

/// Whatever the order in which the system tells of events, hands over its completion handlers and ends the app: each download ends with one
/// event, and each handler is called once, on the main thread.
@Suite(.timeLimit(.minutes(1))) struct BackgroundEventsTests {
    /// When the app gives the handler.
    enum HandlerTime: CaseIterable, Sendable { case beforeTheObject, withTheObject, afterTheEvents }

    /// Who ends the app.
    enum End: CaseIterable, Sendable { case system, user }

    /// Counts the calls of a handler, and where they came.
    private final class Calls: Sendable {
        private static let key: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        private let state = Locked((all: 0, elsewhere: 0))

        init() { _ = Self.key }

        func note() {
            let isMain = DispatchQueue.getSpecific(key: Self.key) == true
            state.withLock { state in
                state.all += 1
                if !isMain { state.elsewhere += 1 }
            }
        }

        /// Gives the system's handler, as an app does.
        @MainActor func hand(_ identifier: String) {
            BackgroundTransfers.handleEvents(forBackgroundURLSession: identifier) { self.note() }
        }

        /// The count, once there is one and the main thread has done what it was given until then.
        func settled() async -> (all: Int, elsewhere: Int) {
            while state.withLock(\.all) == 0, !Task.isCancelled { await Task.yield() }
            for _ in 0..<3 { await MainActor.run {} }
            return state.withLock { $0 }
        }
    }

    private let folder: TemporaryDirectory
    private let content = MockResponse.generatedBytes(count: 20_000)

    init() throws { folder = try TemporaryDirectory() }

    /// The ends of so many downloads.
    private func ends(_ downloads: BackgroundTransfers, count: Int) async -> [BackgroundTransfers.Update] {
        var all: [BackgroundTransfers.Update] = []
        while all.count < count, let end = await downloads.nextEnd() { all.append(end) }
        return all
    }

    private func server(_ gate: Locked<Bool>, asked: Locked<Int> = Locked(0)) throws -> MockServer {
        try MockServer.gated(gate, asked: asked) { [content] _ in .data(content) }
    }

    @Test(arguments: HandlerTime.allCases, End.allCases)
    func eachEventAndCompletionHandlerComesOnce(_ time: HandlerTime, _ end: End) async throws {
        let (gate, asked) = (Locked(false), Locked(0))
        let server = try server(gate, asked: asked)
        // Several sessions, each with two downloads of one URL.
        let identifiers = (0..<3).map { _ in UUID().uuidString }
        var expected: [String: [UUID: URL]] = [:]
        for identifier in identifiers {
            let downloads = BackgroundTransfers(identifier: identifier)
            for number in 0..<2 {
                let target = folder.file("\(identifier)-\(number)")
                let options = Downloader.Options(existingFile: .refuse)
                let request = URLRequest(url: server.url("/report"))
                let id = try downloads.download(request, to: .file(target), options: options).id
                expected[identifier, default: [:]][id] = target
            }
        }
        while asked.withLock({ $0 }) < 6 { await Task.yield() }
        for identifier in identifiers {
            switch end {
            case .system: BackgroundTransferDaemon.shared.endProcess(identifier)
            case .user: BackgroundTransferDaemon.shared.endProcessByUser(identifier)
            }
        }
        gate.withLock { $0 = true }
        for identifier in identifiers { await BackgroundTransferDaemon.shared.waitUntilIdle(identifier) }
        // Nothing was there to move the files.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)

        let calls = Dictionary(uniqueKeysWithValues: identifiers.map { ($0, Calls()) })
        for identifier in identifiers where time == .beforeTheObject { await calls[identifier]?.hand(identifier) }
        for identifier in identifiers {
            let relaunched = BackgroundTransfers(identifier: identifier)
            if time == .withTheObject { await calls[identifier]?.hand(identifier) }
            let found = await ends(relaunched, count: 2)
            #expect(Set(found.map(\.id)) == Set(try #require(expected[identifier]).keys))
            for update in found {
                switch (end, update.event) {
                case (.system, .finished(let url, let file)):
                    #expect(url == server.url("/report") && file.path == expected[identifier]?[update.id]?.path)
                    #expect(try Data(contentsOf: file) == content)
                case (.user, .failed(let url, let failure)) where failure.isCancellation:
                    #expect(url == server.url("/report"))
                default: Issue.record("\(end) ended a download with \(update.event).")
                }
            }
            await BackgroundTransferDaemon.shared.waitUntilFinished(identifier)
            if time == .afterTheEvents { await calls[identifier]?.hand(identifier) }
            let count = await calls[identifier]?.settled()
            #expect(count?.all == 1 && count?.elsewhere == 0)
            // No more is told.
            let rest = Task { await ends(relaunched, count: 1) }
            for _ in 0..<20 { await Task.yield() }
            rest.cancel()
            #expect(await rest.value.isEmpty)
        }
    }

    @Test func secondWakeCallsItsOwnHandler() async throws {
        let identifier = UUID().uuidString
        let gate = Locked(false)
        let server = try server(gate)
        for round in 1...3 {
            gate.withLock { $0 = false }
            do {
                let downloads = BackgroundTransfers(identifier: identifier)
                try downloads.download(URLRequest(url: server.url("/a")), to: .file(folder.file("\(round)")))
                BackgroundTransferDaemon.shared.endProcess(identifier)
            }
            // Not before: the first process must not see the end.
            gate.withLock { $0 = true }
            await BackgroundTransferDaemon.shared.waitUntilIdle(identifier)
            let calls = Calls()
            let relaunched = BackgroundTransfers(identifier: identifier)
            #expect(await ends(relaunched, count: 1).count == 1)
            await BackgroundTransferDaemon.shared.waitUntilFinished(identifier, times: round)
            await calls.hand(identifier)
            #expect(await calls.settled().all == 1)
            BackgroundTransferDaemon.shared.endProcess(identifier)
        }
    }

    @Test func completionHandlerIsCalledWhenTheSessionEnds() async {
        let calls = Calls()
        let identifier = UUID().uuidString
        _ = BackgroundTransfers(identifier: identifier)
        for _ in 0..<2 { await calls.hand(identifier) }
        // Only the system does that.
        let session = BackgroundSession.of(identifier)
        session.session.invalidateAndCancel()
        let count = await calls.settled()
        #expect(count.all == 2 && count.elsewhere == 0)
        #expect(await session.delegate.updates.next() == nil)
        while BackgroundSession.of(identifier) === session { await Task.yield() }
    }

    @Test func refreshTaskWaitsForTheEvents() async throws {
        let identifier = UUID().uuidString
        let gate = Locked(false)
        let server = try server(gate)
        try BackgroundTransfers(identifier: identifier)
            .download(URLRequest(url: server.url("/a")), to: .file(folder.file("a")))
        BackgroundTransferDaemon.shared.endProcess(identifier)
        gate.withLock { $0 = true }
        await BackgroundTransferDaemon.shared.waitUntilIdle(identifier)
        let waiting = Task { await BackgroundTransfers.handleEvents(forBackgroundURLSession: identifier) }
        let relaunched = BackgroundTransfers(identifier: identifier)
        await waiting.value
        #expect(FileManager.default.fileExists(atPath: folder.file("a").path))
        #expect(await ends(relaunched, count: 1).count == 1)

        let cancelled = Task { await BackgroundTransfers.handleEvents(forBackgroundURLSession: UUID().uuidString) }
        cancelled.cancel()
        await cancelled.value
    }

    @Test func downloadsOfOneURLHaveSeparateEvents() async throws {
        let answers = Locked([MockResponse.status(404), .data(content)])
        let server = try MockServer { _ in answers.withLock { $0.removeFirst() } }
        let downloads = BackgroundTransfers(identifier: UUID().uuidString)
        let request = URLRequest(url: server.url("/report"))
        let first = try downloads.download(request, to: .file(folder.file("first"))).id
        let refused = await ends(downloads, count: 1)
        let second = try downloads.download(request, to: .file(folder.file("second"))).id
        let saved = await ends(downloads, count: 1)
        #expect(refused.map(\.id) == [first] && saved.map(\.id) == [second] && first != second)
        guard case .failed? = refused.first?.event, case .finished? = saved.first?.event else {
            Issue.record("The events are \(refused) and \(saved).")
            return
        }
    }

    @Test func cancelledReaderLosesNoEvent() async throws {
        let server = try server(Locked(true))
        let downloads = BackgroundTransfers(identifier: UUID().uuidString)
        let reader = Task { await ends(downloads, count: 1) }
        reader.cancel()
        #expect(await reader.value.isEmpty)
        let id = try downloads.download(URLRequest(url: server.url("/a")), to: .file(folder.file("a"))).id
        #expect(await ends(downloads, count: 1).map(\.id) == [id])
    }

    @Test func unreadProgressIsReplacedAndEndsAreKept() async throws {
        let updates = BackgroundUpdates()
        let url = try #require(URL(string: "https://example.com/a"))
        let ids = (0..<2000).map { _ in UUID() }
        for count in 1...3 {
            for id in ids {
                updates.post(.init(id: id, event: .progress(url: url, TransferProgress(bytesCompleted: Int64(count)))))
            }
        }
        for id in ids { updates.post(.init(id: id, event: .failed(url: url, .cancelled()))) }
        updates.finish()
        var (progress, ended): ([Int64], [UUID]) = ([], [])
        while let update = await updates.next() {
            if case .progress(_, let value) = update.event {
                progress.append(value.bytesCompleted)
            } else {
                ended.append(update.id)
            }
        }
        #expect(progress == ids.map { _ in 3 } && ended == ids)
    }

    /// What the system says more than once, or not as it should.
    @Test func endIsReportedOnce() async throws {
        let url = try #require(URL(string: "https://example.com/a"))
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let delegate = BackgroundDelegate(.of(UUID().uuidString))
        let failing = session.downloadTask(with: url)
        for _ in 0..<2 { delegate.urlSession(session, task: failing, didCompleteWithError: URLError(.timedOut)) }
        delegate.urlSession(
            session, downloadTask: failing, didWriteData: 1, totalBytesWritten: 1, totalBytesExpectedToWrite: 1)
        let empty = session.downloadTask(with: url)
        delegate.urlSession(session, task: empty, didCompleteWithError: nil)
        delegate.urlSession(session, didBecomeInvalidWithError: nil)
        var errors: [NetworkError] = []
        while let update = await delegate.updates.next() {
            if case .failed(_, let failure) = update.event {
                errors.append(failure.cause)
            } else {
                Issue.record("\(update)")
            }
        }
        #expect(
            errors.map(\.code) == [NetworkError.timeout.code, NetworkError.downloadFailed(URLError(.unknown)).code])
    }
}
