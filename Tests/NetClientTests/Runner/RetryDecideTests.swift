import NetTesting
import TestLab
import Testing

@testable import NetClient

/// Policies with an asynchronous closure, and policies of a call.
@Suite struct RetryDecideTests {
    private let clock = TestClock(autoAdvance: true)

    private func client(_ policy: RetryPolicy, _ transport: StubTransport) -> NetworkClient {
        NetworkClient(retryPolicy: policy, transport: transport, clock: clock, random: { 0.5 })
    }

    @Test func decideGetsTheProposal() async throws {
        let seen = Locked<[RetryPolicy.Proposal]>([])
        let policy = RetryPolicy(
            maxRetries: 5, delay: .fixed(1),
            decide: { proposal in
                try await proposal.clock.sleep(for: 0.25)
                return seen.withLock { seen in
                    seen.append(proposal)
                    return seen.count < 3
                }
            })
        let transport = StubTransport(
            .success(answer(429, "slow", headers: ["X-A": "b"])), .failure(lostConnection), .success(answer(404)))
        let response = try await client(policy, transport).response(
            for: request(headers: ["Accept": "x/y"]), context: .with(IdleProvider()))
        #expect(response.status == 404 && clock.sleeps == [0.25, 1, 0.25, 1, 0.25])
        let proposals = seen.withLock { $0 }
        #expect(proposals.map(\.attempt) == [0, 1, 2] && proposals.map(\.statusCode) == [429, nil, 404])
        #expect(proposals[0].data == Data("slow".utf8) && proposals[0].headers?["X-A"] == "b")
        #expect(proposals[0].response?.statusCode == 429 && proposals[1].response == nil)
        #expect(proposals[1].failure.transportError?.code == .connectionLost)
        #expect(proposals[0].request.value(forHTTPHeaderField: "Accept") == "x/y")
        #expect(proposals.allSatisfy { $0.authenticationProvider is IdleProvider })
    }

    @Test func decideIsNotCalledAfterMaxRetries() async throws {
        let asked = Locked(0)
        let policy = RetryPolicy(
            maxRetries: 2, delay: .immediate,
            decide: { _ in
                asked.withLock { $0 += 1 }
                return true
            })
        let transport = StubTransport { _, _, _ in answer(503) }
        let response = try await client(policy, transport).response(for: request())
        #expect(asked.withLock { $0 } == 2 && transport.exchanges.count == 3)
        #expect(response.retryTrace.end == .limitReached)
    }

    @Test func errorOfDecideEndsTheCall() async throws {
        for (thrown, cause) in [
            (PluginError(), .unknown(nil)), (NetworkError.noData, .noData), (NetworkFailure.timeout(), .timeout),
            (CancellationError(), .cancelled),
        ] as [(any Error, NetworkError)] {
            let policy = RetryPolicy(maxRetries: 2, decide: { _ in throw thrown })
            let transport = StubTransport(.success(answer(500)))
            let failure = try await failure { try await client(policy, transport).response(for: request()) }
            #expect(failure.cause == cause && transport.exchanges.count == 1)
            if thrown is PluginError {
                #expect(failure.underlyingError is PluginError && failure.response?.statusCode == 500)
            }
        }
    }

    /// Custom rules apply to any method, and the policies of the SDK only to idempotent ones.
    @Test func decideAppliesToPOSTAndNotToFinalErrors() async throws {
        let policy = RetryPolicy(maxRetries: 2, delay: .immediate, decide: { _ in true })
        let asked = RetryPolicy(maxRetries: 2, delay: .immediate, shouldRetry: { _ in true })
        for policy in [policy, asked] {
            let post = StubTransport(.success(answer(503)), .success(answer(503)), .success(answer(200)))
            let response = try await client(policy, post).response(for: request("https://a.example/", .post))
            #expect(response.status == 200 && post.exchanges.count == 3)
        }
        for policy in [RetryPolicy.default, RetryPolicy(maxRetries: 2), .connectionFailures] {
            let post = StubTransport { _, _, _ in throw NetworkError.timeout }
            let failure = try await failure {
                try await client(policy, post).response(for: request("https://a.example/", .post))
            }
            #expect(failure.retryTrace.end == .notIdempotent && post.exchanges.count == 1)
        }
        let open = StubTransport(.failure(NetworkError.circuitOpen(host: "a", until: .distantFuture)))
        await #expect(throws: NetworkFailure.self) { try await client(policy, open).response(for: request()) }
        #expect(open.exchanges.count == 1)
    }

    @Test func policyOfACallReplacesTheClients() async throws {
        let transport = StubTransport { _, _, _ in throw lostConnection }
        let client = client(RetryPolicy(maxRetries: 1, delay: .fixed(1)), transport)
        for (policy, count) in [(RetryPolicy(maxRetries: 2, delay: .fixed(5)), 3), (.none, 4)] {
            let context = RequestContext.with { $0[RetryPolicyKey.self] = policy }
            _ = try? await client.response(for: request(), context: context)
            #expect(clock.sleeps == [5, 5] && transport.exchanges.count == count)
        }
    }

    @Test func policyOfSend() async throws {
        let transport = StubTransport(.success(answer(503)), .success(answer(200, #"{"id":1}"#)))
        let client = client(.none, transport)
        let answer: [String: Int] = try await client.send(
            Request(method: .get, absoluteURL: try url()), retryPolicy: DefaultRetryPolicy())
        #expect(answer == ["id": 1] && clock.sleeps == [0.3])
    }

    @Test func reauthenticationStatusesOfThePolicy() {
        let policies = [RetryPolicy.none, .default]
        #expect(policies.map { $0.refusals(isOfCall: false) } == [[401], [401, 403]])
        #expect(policies.map { $0.refusals(isOfCall: true) } == [[], [401, 403]])
        var odd = RetryPolicy(maxRetries: 0)
        odd.reauthenticationStatuses = [419]
        #expect(odd.refusals(isOfCall: false) == [419])
    }
}
