import NetTesting
import NetTransfer
import Testing

@testable import DownloadTool

struct DownloadToolTests {
    /// What was shown, and a way to wait for some of it.
    private final class Output: Sendable {
        let screen: Screen
        private let text: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() {
            let (text, continuation) = AsyncStream.makeStream(of: String.self)
            self.text = text
            self.continuation = continuation
            screen = Screen(isTerminal: false) { continuation.yield($0) }
        }

        /// There will be no more.
        func finish() { continuation.finish() }

        func wait(for part: String) async -> String {
            var all = ""
            for await piece in text {
                all += piece
                if all.contains(part) { break }
            }
            return all
        }
    }

    private func download(
        _ words: [String], _ output: Output = Output(), interrupts: AsyncStream<Void> = AsyncStream { _ in }
    ) async throws -> DownloadTool.Outcome {
        // Without a policy, and without real time: what is tested here is the next run, not the next try.
        let client = NetworkClient(clock: TestClock(autoAdvance: true))
        defer { output.finish() }
        return await DownloadTool(try Arguments(words), client: client).run(
            interrupts: interrupts, screen: output.screen)
    }

    @Test func anInterruptKeepsWhatHasArrivedAndTheNextRunFetchesTheRest() async throws {
        try await Origin.run { origin in
            let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
            let output = Output()
            async let first = download(origin.words, output, interrupts: interrupts)
            let shown = await output.wait(for: "50.0%")
            #expect(shown.contains("488.2 KB of 976.5 KB") || shown.contains("50.0%"))
            interrupt.yield()
            guard case .stopped = try await first else { return #expect(Bool(false), "it was not stopped") }
            #expect(origin.saved == nil)
            let end = await output.wait(for: "kept")
            #expect(end.contains("500000 bytes are kept"))

            guard case .finished(let file) = try await download(origin.words) else {
                return #expect(Bool(false), "it was not finished")
            }
            #expect(file.path == origin.file.path)
            #expect(origin.saved == Origin.content)
            #expect(origin.server.requests.count == 2)
            #expect(origin.lastRangeStart == 500_000)
        }
    }

    @Test func aFileThatHasChangedMeanwhileIsFetchedAnew() async throws {
        try await Origin.run { origin in
            let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
            let output = Output()
            async let first = download(origin.words, output, interrupts: interrupts)
            _ = await output.wait(for: "50.0%")
            interrupt.yield()
            guard case .stopped = try await first else { return #expect(Bool(false), "it was not stopped") }

            let changed = Data(Origin.content.reversed())
            origin.server.on("/file.bin", MockResource(changed, etag: "\"v2\""))
            guard case .finished = try await download(origin.words) else {
                return #expect(Bool(false), "it was not finished")
            }
            #expect(origin.saved == changed)
        }
    }

    @Test func aFileWithAnotherChecksumIsNotSaved() async throws {
        try await Origin.run(stallsAtFirst: false) { origin in
            let wrong = String(repeating: "0", count: 64)
            guard case .failed(.downloadFailed(let error)) = try await download(origin.words + ["--sha256", wrong])
            else {
                return #expect(Bool(false), "it did not fail")
            }
            #expect((error as? DownloadError)?.code == .digestMismatch)
            #expect(origin.saved == nil)

            let right = "8e416e0e386c6acdaac987c4d35d14b082cf797045d706d2390b188321b1c1de"
            guard case .finished = try await download(origin.words + ["--sha256", right]) else {
                return #expect(Bool(false), "it was not finished")
            }
            #expect(origin.saved == Origin.content)
        }
    }

    @Test func intoAFolderTheServerNamesTheFile() async throws {
        try await Origin.run(stallsAtFirst: false) { origin in
            var words = origin.words
            words[1] = origin.folder.path
            guard case .finished(let file) = try await download(words) else {
                return #expect(Bool(false), "it was not finished")
            }
            #expect(file.lastPathComponent == "file.bin")
            #expect(origin.saved == Origin.content)
        }
    }

    @Test func whatTheServerRefusesIsAnError() async throws {
        try await Origin.run(stallsAtFirst: false) { origin in
            var words = origin.words
            words[0] = origin.server.url("/none").absoluteString
            let outcome = try await download(words)
            guard case .failed(.requestFailed(404, _)) = outcome else {
                return #expect(Bool(false), "\(outcome)")
            }
            #expect(outcome.exitStatus == 1)
        }
    }

    @Test(arguments: [
        [], ["http://a/", "b", "c"], ["http://a/", "--sha256", "xyz"], ["http://a/", "--connections", "0"],
        ["http://a/", "--state"], ["http://a/", "--fast", "yes"],
    ])
    func refusesWhatItDoesNotUnderstand(_ words: [String]) {
        #expect(throws: Arguments.Invalid.self) { try Arguments(words) }
    }

    @Test func drawsABarOnATerminal() {
        #expect(Screen.bar(0, width: 4) == "░░░░")
        #expect(Screen.bar(0.5, width: 4) == "██░░")
        #expect(Screen.bar(1, width: 4) == "████")
    }
}
