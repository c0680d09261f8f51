import Foundation
import NetLogging
import NetTesting
import Testing

@testable import RedisPlugins

struct RedisLogSinkTests {
    @Test func messagesOfSeveralServersStandInOneStream() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: RedisClientTests.patience)
            for source in ["one", "two"] {
                let logger = NetworkLogger(sinks: [RedisLogSink(redis, stream: "log", source: source)])
                logger.logMessage("hello from \(source)", level: .warning, logPrivacy: .public)
                logger.logMessage("a secret", level: .info, logPrivacy: .private)
                await logger.flush()
                #expect(logger.failureCount == 0)
            }
            let entries = try #require(try await redis.send(["XRANGE", "log", "-", "+"]).elements)
            let messages = entries.map { entry in
                let words = (entry.elements?.last?.elements ?? []).compactMap(\.text)
                return Dictionary(
                    stride(from: 0, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) }, uniquingKeysWith: { $1 }
                )
            }
            #expect(messages.map { $0["source"] } == ["one", "one", "two", "two"])
            #expect(messages.map { $0["message"] } == ["hello from one", "<private>", "hello from two", "<private>"])
            #expect(messages.map { $0["level"] } == ["warning", "info", "warning", "info"])
            #expect(messages.allSatisfy { $0["time"].flatMap(Double.init) != nil })
        }
    }

    @Test func whileRedisIsAwayMessagesAreCountedAsLost() async throws {
        try await RedisServer.inFolder { folder in
            let redis = RedisClient(RedisServer.address(in: folder), clock: TestClock())
            let logger = NetworkLogger(sinks: [RedisLogSink(redis)])
            for _ in 0..<3 { logger.logMessage("lost", level: .error, logPrivacy: .public) }
            await logger.flush()
            #expect(logger.failureCount == 3)
        }
    }
}
