import Foundation
import NetTesting
import Testing

@testable import NetworkingRedis

struct RedisClientTests {
    @Test func commandsAtTheSameTimeGetTheirOwnReplies() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let reply = try await redis.send(["ECHO", "\(number)"]).text
                        #expect(reply == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            let clients = try #require(try await redis.send(["CLIENT", "LIST"]).text)
            #expect(clients.split(separator: "\n").count == 1)
        }
    }

    @Test func anErrorBelongsToItsCommandOnly() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            _ = try await redis.send(["SET", "text", "x"])
            await #expect(throws: RedisError.refused("ERR value is not an integer or out of range")) {
                try await redis.send(["INCR", "text"])
            }
            #expect(try await redis.send(["GET", "text"]).text == "x")
        }
    }

    @Test func connectsAgainAfterAConnectionWasLost() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address, clock: TestClock())
            let other = patientClient(server.address)
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
            let redis = patientClient(RedisServer.address(in: folder), pause: 2, clock: clock)
            let error = await #expect(throws: RedisError.self) { try await redis.send(["PING"]) }
            if case .connectionFailed = error {} else { Issue.record("\(String(describing: error))") }
            let server = try await RedisServer(in: folder)
            await #expect(throws: RedisError.unavailable) { try await redis.send(["PING"]) }
            await clock.advance(by: 2)
            let reply = try await redis.send(["PING"])
            #expect(reply == .simpleString("PONG"))
            await server.stop()
        }
    }

    @Test func aServerThatDoesNotReplyTimesOut() async throws {
        try await RedisServer.run { server in
            let other = patientClient(server.address)
            _ = try await other.send(["CLIENT", "PAUSE", "3600000", "ALL"])
            let redis = patientClient(server.address, timeout: 0.05, pause: 2, clock: TestClock())
            await #expect(throws: RedisError.timedOut(seconds: 0.05)) { try await redis.send(["PING"]) }
            await #expect(throws: RedisError.unavailable) { try await redis.send(["PING"]) }
        }
    }

    @Test func aCancelledCommandEndsAtOnceAndDisturbsNoOther() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            _ = try await redis.send(["PING"])
            let waiting = Task { try await redis.send(["BLPOP", "list", "0"]) }
            // The server blocks this connection when it has the command.
            let other = patientClient(server.address)
            while try await other.send(["CLIENT", "LIST"]).text?.contains("cmd=blpop") != true {}
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            _ = try await other.send(["LPUSH", "list", "late"])
            let reply = try await redis.send(["ECHO", "mine"])
            #expect(reply.text == "mine")
        }
    }

    @Test func authenticatesAndSelectsADatabaseBeforeAllElse() async throws {
        let options = ["--requirepass", "open sesame", "--user", "fleet", "on", ">word", "~*", "+@all"]
        try await RedisServer.run(options) { server in
            let redis = patientClient(server.address) { $0.password = "open sesame" }
            let reply = try await redis.send(["PING"])
            #expect(reply == .simpleString("PONG"))
            let fleet = patientClient(server.address) {
                $0.username = "fleet"
                $0.password = "word"
                $0.database = 3
            }
            #expect(try await fleet.send(["ACL", "WHOAMI"]).text == "fleet")
            #expect(try await fleet.send(["CLIENT", "INFO"]).text?.contains(" db=3 ") == true)
            for (password, start) in [("guess", "WRONGPASS"), (nil, "NOAUTH")] {
                let stranger = patientClient(server.address) { $0.password = password }
                let error = await #expect(throws: RedisError.self) { try await stranger.send(["PING"]) }
                guard case .refused(let words)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(words.hasPrefix(start))
            }
        }
    }

    @Test func descriptionsHideThePassword() {
        var configuration = RedisConfiguration(.tcp(host: "cache.internal"))
        configuration.password = "open sesame"
        var text = ""
        dump(configuration, to: &text)
        #expect(!"\(configuration) \(text)".contains("sesame"))
        #expect("\(configuration)".contains("cache.internal"))
    }

    @Test(arguments: [TimeInterval.infinity, .nan, -1, 0])
    func timesThatAreNoDurationDoNotTrap(_ seconds: TimeInterval) async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address, timeout: seconds, pause: seconds)
            // A millisecond, which may be too short.
            if seconds.isInfinite {
                #expect(try await redis.send(["PING"]) == .simpleString("PONG"))
            } else {
                _ = try? await redis.send(["PING"])
            }
            let careless = patientClient(server.address, pause: seconds)
            _ = try await careless.send(["PING"])
        }
    }

    @Test func aClosedClientThrows() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            _ = try await redis.send(["PING"])
            redis.close()
            redis.close()
            await #expect(throws: RedisError.closed) { try await redis.send(["PING"]) }
        }
    }

    @Test func aScriptIsKnownAgainAfterTheServerForgotIt() async throws {
        try await RedisServer.run { server in
            let redis = patientClient(server.address)
            let script = RedisScript("return redis.call('INCR', KEYS[1])")
            for number in 1...3 {
                let reply = try await redis.run(script, keys: ["counter"])
                #expect(reply == .integer(Int64(number)))
                if number == 2 { _ = try await redis.send(["SCRIPT", "FLUSH"]) }
            }
        }
    }
}
