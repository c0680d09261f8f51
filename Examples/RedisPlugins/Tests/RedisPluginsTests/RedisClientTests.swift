import Foundation
import NetTesting
import Testing

@testable import RedisPlugins

struct RedisClientTests {
    /// Long enough for a machine that is busy with something else.
    static let patience: TimeInterval = 60

    @Test func manyAtOnceGetEachItsOwnAnswer() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: Self.patience)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let answer = try await redis.send(["ECHO", "\(number)"]).text
                        #expect(answer == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            let clients = try #require(try await redis.send(["CLIENT", "LIST"]).text)
            #expect(clients.split(separator: "\n").count == 1)
        }
    }

    @Test func anErrorOfTheServerIsOfItsCommandOnly() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: Self.patience)
            _ = try await redis.send(["SET", "text", "x"])
            await #expect(throws: RedisError.refused("ERR value is not an integer or out of range")) {
                try await redis.send(["INCR", "text"])
            }
            #expect(try await redis.send(["GET", "text"]).text == "x")
        }
    }

    @Test func connectsAgainAfterAConnectionWasLost() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: Self.patience, clock: TestClock())
            let other = RedisClient(server.address, timeout: Self.patience)
            for _ in 0..<5 {
                let first = try await redis.send(["CLIENT", "ID"])
                _ = try await other.send(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"])
                // The first command may still meet the end of the old connection.
                _ = try? await redis.send(["PING"])
                let second = try await redis.send(["CLIENT", "ID"])
                #expect(first != second)
            }
        }
    }

    @Test func whileTheServerIsDownItIsTriedOnceInAPause() async throws {
        try await RedisServer.inFolder { folder in
            let clock = TestClock()
            let redis = RedisClient(
                RedisServer.address(in: folder), timeout: Self.patience, pause: 2, clock: clock)
            let error = await #expect(throws: RedisError.self) { try await redis.send(["PING"]) }
            if case .connectionFailed = error {} else { Issue.record("\(String(describing: error))") }
            let server = try await RedisServer(in: folder)
            await #expect(throws: RedisError.unavailable) { try await redis.send(["PING"]) }
            await clock.advance(by: 2)
            let answer = try await redis.send(["PING"])
            #expect(answer == .simpleString("PONG"))
            await server.stop()
        }
    }

    @Test func aServerThatDoesNotAnswerIsGivenUp() async throws {
        try await RedisServer.run { server in
            let other = RedisClient(server.address, timeout: Self.patience)
            _ = try await other.send(["CLIENT", "PAUSE", "3600000", "ALL"])
            let clock = TestClock()
            let redis = RedisClient(server.address, timeout: 0.05, pause: 2, clock: clock)
            await #expect(throws: RedisError.timedOut(seconds: 0.05)) { try await redis.send(["PING"]) }
            await #expect(throws: RedisError.unavailable) { try await redis.send(["PING"]) }
        }
    }

    @Test func aPasswordIsGivenBeforeAllElse() async throws {
        try await RedisServer.run(["--requirepass", "open sesame"]) { server in
            let redis = RedisClient(server.address, password: "open sesame", timeout: Self.patience)
            let answer = try await redis.send(["PING"])
            #expect(answer == .simpleString("PONG"))
            let stranger = RedisClient(server.address, password: "guess", timeout: Self.patience)
            let error = await #expect(throws: RedisError.self) { try await stranger.send(["PING"]) }
            guard case .refused(let words)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(words.hasPrefix("WRONGPASS"))
        }
    }

    @Test(arguments: [TimeInterval.infinity, .nan, -1, 0])
    func timesThatAreNoneAreNoTrap(_ seconds: TimeInterval) async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: seconds, pause: seconds)
            // A millisecond, which may be too short.
            if seconds.isInfinite {
                #expect(try await redis.send(["PING"]) == .simpleString("PONG"))
            } else {
                _ = try? await redis.send(["PING"])
            }
            let careless = RedisClient(server.address, timeout: Self.patience, pause: seconds)
            _ = try await careless.send(["PING"])
        }
    }

    @Test func aClosedClientSaysSo() async throws {
        try await RedisServer.run { server in
            let redis = RedisClient(server.address, timeout: Self.patience)
            _ = try await redis.send(["PING"])
            redis.close()
            redis.close()
            await #expect(throws: RedisError.closed) { try await redis.send(["PING"]) }
        }
    }
}
