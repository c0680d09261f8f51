import AppleFoundation
import NetCore
import Testing

@testable import NetTransport

/// How streamed bodies reach a session.
@Suite(.serialized, .timeLimit(.minutes(1)))
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
        // The pair holds 256 KiB: then the writer waits, and nobody reads.
        try await SystemClock().sleep(for: 0.1)
        // Other tests ask at the same time. A writer that asks all the time would do so in each interval.
        var isQuiet = false
        for _ in 0..<20 where !isQuiet {
            let questions = FakeStreams.questions
            try await SystemClock().sleep(for: 0.1)
            isQuiet = FakeStreams.questions == questions
        }
        #expect(isQuiet)
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
