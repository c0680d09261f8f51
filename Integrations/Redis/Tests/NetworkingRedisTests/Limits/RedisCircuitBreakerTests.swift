import Foundation
import NetClient
import NetCore
import NetTesting
import Testing

@testable import NetworkingRedis

struct RedisCircuitBreakerTests {
    private struct Fleet {
        let breakers: [RedisCircuitBreaker]
        let request: URLRequest
        let url: URL
        let redis: RedisClient

        /// Three servers. The circuit stays open for an hour.
        init(_ server: RedisServer, threshold: Int = 4, reset: TimeInterval = 3_600) throws {
            redis = patientClient(server.address)
            breakers = (0..<3).map { _ in
                RedisCircuitBreaker(patientClient(server.address), failureThreshold: threshold, resetTimeout: reset)
            }
            url = try #require(URL(string: "https://A.example/x"))
            request = URLRequest(url: url)
        }

        @discardableResult
        func send(_ index: Int, _ next: Next = ending()) async throws -> Int {
            try await breakers[index % 3].intercept(request, next: next).status
        }

        func fail(_ index: Int) async {
            _ = try? await send(
                index, ending { throw TransportError(.connectionRefused, phase: .connecting, message: "refused") })
        }

        /// Ends the time of an open circuit, or of a trial, without waiting for it.
        func passTime() async throws {
            for field in ["open", "trial"] {
                let name: RedisCommand.Word = "circuit:{https://a.example:443}"
                if try await redis.send(["HEXISTS", name, .init(field)]) == .integer(1) {
                    _ = try await redis.send(["HSET", name, .init(field), "1"])
                }
            }
        }

        var state: CircuitBreaker.State {
            get async throws { try await breakers[0].state(for: url) }
        }
    }

    @Test func failuresOfAllServersOpenTheCircuitForAll() async throws {
        try await RedisServer.run { server in
            let fleet = try Fleet(server)
            for index in 0..<3 { await fleet.fail(index) }
            #expect(try await fleet.state == .closed)
            // 5xx counts too.
            _ = try await fleet.send(0, ending(status: 503))
            guard case .open(let until) = try await fleet.state else { return #expect(Bool(false), "not open") }
            #expect(until.timeIntervalSinceNow > 3_000 && until.timeIntervalSinceNow <= 3_600)
            for index in 0..<3 {
                let error = await #expect(throws: NetworkError.self) { try await fleet.send(index) }
                guard case .circuitOpen(let host, let until)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(host == "a.example")
                #expect(until.timeIntervalSinceNow > 3_000)
            }
        }
    }

    @Test func aSuccessOfAnyServerResetsTheCount() async throws {
        try await RedisServer.run { server in
            let fleet = try Fleet(server)
            for round in 0..<4 {
                for index in 0..<3 { await fleet.fail(index) }
                // A 404 is a success of the server.
                try await fleet.send(round, ending(status: 404))
            }
            #expect(try await fleet.state == .closed)
        }
    }

    @Test func cancellationsAndLimitsDoNotCount() async throws {
        try await RedisServer.run { server in
            let fleet = try Fleet(server, threshold: 1)
            let limit = LimitExceeded(limit: .rate, reason: .deadline, host: "a.example")
            for error in [
                CancellationError(), NetworkFailure(cause: .timeout, underlyingError: limit),
                NetworkError.noInternetConnection,
            ] as [any Error] {
                _ = try? await fleet.send(0, ending { throw error })
                #expect(try await fleet.state == .closed)
            }
            await fleet.fail(0)
            #expect(try await fleet.state != .closed)
        }
    }

    @Test func oneTrialForTheWholeFleet() async throws {
        try await RedisServer.run { server in
            let fleet = try Fleet(server, threshold: 1)
            await fleet.fail(0)
            try await fleet.passTime()
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let (released, release) = AsyncStream.makeStream(of: Void.self)
            let trial = Task {
                try await fleet.send(
                    0,
                    ending {
                        start.finish()
                        for await _ in released {}
                    })
            }
            for await _ in started {}
            #expect(try await fleet.state == .halfOpen)
            let refused = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<12 {
                    group.addTask { (try? await fleet.send(index)) == nil }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(refused == 12)
            release.finish()
            #expect(try await trial.value == 200)
            #expect(try await fleet.state == .closed)
            for index in 0..<3 { #expect(try await fleet.send(index) == 200) }
        }
    }

    @Test func aFailedTrialOpensAgainAndALostOneIsGivenUp() async throws {
        try await RedisServer.run { server in
            let fleet = try Fleet(server, threshold: 1)
            await fleet.fail(0)
            try await fleet.passTime()
            await fleet.fail(1)
            guard case .open = try await fleet.state else { return #expect(Bool(false), "not open") }

            // A cancelled trial: the next request is the trial.
            try await fleet.passTime()
            _ = try? await fleet.send(0, ending { throw CancellationError() })
            #expect(try await fleet.state != .closed)
            #expect(try await fleet.send(1) == 200)
            #expect(try await fleet.state == .closed)

            // A trial whose server was killed: another one after the timeout. The first one's outcome no longer counts.
            await fleet.fail(0)
            try await fleet.passTime()
            try await fleet.send(
                0,
                ending {
                    #expect((try? await fleet.send(1)) == nil)
                    try await fleet.passTime()
                    _ = try? await fleet.send(1, ending(status: 500))
                })
            guard case .open = try await fleet.state else { return #expect(Bool(false), "closed by an old trial") }
        }
    }

    @Test func anAttemptFromBeforeTheChangeDoesNotCount() async throws {
        try await RedisServer.run { server in
            let fleet = try Fleet(server, threshold: 1)
            _ = try await fleet.send(
                0,
                ending(status: 500) {
                    await fleet.fail(1)
                    try await fleet.breakers[2].reset(fleet.url)
                })
            #expect(try await fleet.state == .closed)
        }
    }

    @Test func failsOpenOrClosed() async throws {
        try await RedisServer.inFolder { folder in
            let redis = patientClient(RedisServer.address(in: folder), clock: TestClock())
            let request = URLRequest(url: try #require(URL(string: "https://a.example/")))
            let open = RedisCircuitBreaker(redis, failureThreshold: 1)
            for status in [200, 500, 200] {
                #expect(try await open.intercept(request, next: ending(status: status)).status == status)
            }
            let closed = RedisCircuitBreaker(redis, failsOpen: false)
            await #expect(throws: RedisError.unavailable) { try await closed.intercept(request, next: ending()) }
        }
    }
}
