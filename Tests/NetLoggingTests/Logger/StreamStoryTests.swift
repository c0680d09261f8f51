import NetTesting
import NetTransfer
import TestLab
import Testing

@testable import NetLogging

/// What the log, the metrics and the archive tell of a body that arrives as a stream.
@Suite(.timeLimit(.minutes(2))) struct StreamStoryTests {
    private let sink = RecordingSink()
    private let logger: NetworkLogger
    private let observer = RecordingObserver()
    private let recorder = TrafficRecorder()
    private let client: NetworkClient

    init() {
        logger = NetworkLogger(sinks: [sink])
        client = NetworkClient(
            transport: .platform,
            callInterceptors: [LoggingInterceptor(logger: logger), MetricsInterceptor(observers: [observer]), recorder])
    }

    /// The message of that beginning, without its duration.
    private func message(_ beginning: String) async -> String? {
        await logger.flush()
        return sink.messages.last { $0.hasPrefix(beginning) }?
            .replacingOccurrences(of: " in [0-9]+ ms", with: "", options: .regularExpression)
    }

    @Test func brokenBodyIsLoggedWithTheReceivedBytes() async throws {
        let server = try MockServer { _ in .bytes(count: 1_000).fault(.truncatedBody) }
        let response = try await client.send(URLRequest(url: server.url("/file")))
        await #expect(throws: (any Error).self) { try await response.body.collect(upTo: 2_000) }
        let url = "http://127.0.0.1:\(server.port)/file"
        #expect(await message("⬅️") == "⬅️ 200 \(url), a stream of 1000 bytes")
        let end = try #require(await message("⏹️"))
        #expect(end.hasPrefix("⏹️ 200 \(url), 500 of 1000 bytes: truncated_body"), "\(end)")
        #expect(sink.events.last?.level == .error)
        let call = try #require(observer.calls.last)
        #expect(call.outcome == .failure(code: "truncated_body"))
        #expect(call.exchanges.map(\.errorCode) == ["truncated_body"])
        let entry = try #require(recorder.archive.log.entries.last)
        let error = entry.error ?? ""
        #expect(entry.response.status == 200 && error.hasPrefix("truncated_body"), "\(error)")
        await client.shutdown()
        await server.stop()
    }

    @Test func readAndUnreadBodiesAreLogged() async throws {
        let server = try MockServer { _ in .bytes(count: 1_000_000) }
        _ = try await client.send(URLRequest(url: server.url("/whole"))).body.collect(upTo: 1 << 20)
        let url = "http://127.0.0.1:\(server.port)"
        #expect(await message("⏹️") == "⏹️ 200 \(url)/whole, 1000000 bytes")
        do { _ = try await client.send(URLRequest(url: server.url("/left"))) }
        #expect(await message("⏹️") == "⏹️ 200 \(url)/left, 0 of 1000000 bytes, not read to the end")
        await client.shutdown()
        await server.stop()
    }

    @Test func resumptionIsLogged() async throws {
        let server = try MockServer()
        server.enqueue(
            .bytes(count: 600_000).header("ETag", "\"1\"").fault(.truncatedBody),
            .data(MockResponse.generatedBytes(count: 600_000).suffix(300_000), status: 206)
                .header("ETag", "\"1\"").header("Content-Range", "bytes 300000-599999/600000"))
        let folder = try TemporaryDirectory()
        var options = Downloader.Options()
        options.resumptionDelay = .immediate
        let (_, task) = Downloader(client: client).download(
            .url(server.url("/file")), to: .file(folder.url.appendingPathComponent("file")), options: options)
        _ = try await task.value
        await logger.flush()
        let kinds = sink.messages.map { String($0.prefix { $0 != " " }) }
        #expect(kinds == ["➡️", "⬅️", "⏹️", "⏯️", "➡️", "⬅️", "⏹️"], "\(sink.messages)")
        #expect(await message("⏯️") == "⏯️ resumption at byte 300000")
        await client.shutdown()
        await server.stop()
    }
}
