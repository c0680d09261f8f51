import AppleFoundation
import NetCore
import TestLab
import Testing

@testable import NetTransport

/// How streamed bodies reach a session.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct UploadFeedTests {
    /// All that a stream gives, read on a thread of its own.
    private func read(_ input: InputStream) async -> Data {
        nonisolated(unsafe) let input = input
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "reader").async {
                var data = Data()
                var buffer = [UInt8](repeating: 0, count: 10_000)
                input.open()
                while case let count = input.read(&buffer, maxLength: buffer.count), count > 0 {
                    data.append(contentsOf: buffer.prefix(count))
                }
                continuation.resume(returning: data)
            }
        }
    }

    @Test func feedWaitsForTheReader() async throws {
        let feed = try #require(UploadFeed.make())
        let bytes = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let writing = Task {
            let isWritten = await feed.write(bytes)
            feed.finish()
            return isWritten
        }
        // The pair holds 256 KiB: then the writer waits for the reader, and does not ask again and again.
        try await waitUntilSteady("the writer waits", samples: 30) { FakeStreams.questionsWhileFull(of: feed.input) }
        #expect(await read(feed.input) == bytes)
        #expect(await writing.value)
    }

    @Test func failureEndsAWaitingWrite() async throws {
        let feed = try #require(UploadFeed.make())
        let writing = Task { await feed.write(Data(count: 700_000)) }
        try await SystemClock().sleep(for: 0.01)
        feed.fail()
        #expect(await (writing.value, feed.write(Data(count: 1))) == (false, false))
    }
}
