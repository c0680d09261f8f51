import NetCore
import Testing

@Suite struct RetryPolicyTests {
    private func lost(after status: Int? = nil) -> NetworkFailure {
        NetworkFailure(
            wrapping: TransportError(.connectionLost, phase: .receivingBody, message: ""), request: nil,
            response: status.map { ResponseSnapshot(statusCode: $0, headers: HTTPHeaders()) })
    }

    /// Seed 004: 1, 2 and 4 s. Seed 001: from 0.3 s.
    @Test func delaysOfPolicies() {
        #expect((0..<3).map { RetryPolicy.connectionFailures.delay(for: $0) } == [1, 2, 4])
        #expect((0..<3).map { RetryPolicy.default.delay(for: $0) } == [0.3, 0.6, 1.2])
        #expect(RetryPolicy(maxRetries: 1, delay: .fixed(2)).delay(for: 5) == 2)
        #expect(RetryPolicy(maxRetries: 1, delay: .immediate).delay(for: 5) == 0)
        #expect(RetryPolicy(maxRetries: 1).delay(for: 1) == 2)
        for invalid in [-1, TimeInterval.nan] {
            #expect(RetryPolicy(maxRetries: 1, delay: .fixed(invalid)).delay(for: 0) == 0)
            #expect(RetryPolicy(maxRetries: 1, delay: .exponential(base: invalid)).delay(for: 0) == 0)
        }
        #expect(RetryPolicy.connectionFailures.delay(for: .max) == 120)
    }

    /// The types of seed 001 are functions here.
    @Test func maxRetriesOfPolicies() {
        let policies = [RetryPolicy.none, .default, .connectionFailures, RetryPolicy(maxRetries: -1)]
        #expect((policies + [DefaultRetryPolicy(), NoRetryPolicy()]).map(\.maxRetries) == [0, 3, 3, 0, 3, 0])
        #expect(DefaultRetryPolicy().delay == RetryPolicy.default.delay)
    }

    /// The codes of seed 001.
    @Test func defaultRetriesTransientErrors() {
        let policy = RetryPolicy.default
        #expect((400..<600).filter { policy.shouldRetry(.serverError(statusCode: $0)) } == [408, 500, 502, 503, 504])
        // The head was received, and the body was not: that is a lost connection, and not a status.
        let transient = [.timeout(), .noConnection(), lost(), lost(after: 200)]
        for failure in transient { #expect(policy.shouldRetry(failure)) }
        for failure: NetworkFailure in [.cancelled(), .noContent(), .unknown()] {
            #expect(!policy.shouldRetry(failure))
        }
    }

    /// Seed 004: connection lost, timeout, cannot connect, offline; never for a status.
    @Test func connectionFailuresRetriesNoStatus() {
        let policy = RetryPolicy.connectionFailures
        #expect(!(400..<600).contains { policy.shouldRetry(.serverError(statusCode: $0)) })
        let failures = [.timeout(), .noConnection(), lost(), lost(after: 200)]
        for failure in failures { #expect(policy.shouldRetry(failure)) }
        #expect(!policy.shouldRetry(.decodingFailed(PluginError())))
    }

    @Test func reauthenticationStatuses() {
        #expect(RetryPolicy.default.reauthenticationStatuses == [401, 403], "seed 001")
        #expect(RetryPolicy.none.reauthenticationStatuses.isEmpty)
        #expect(RetryPolicy(maxRetries: 1).reauthenticationStatuses == [401])
    }

    @Test func proposalHasRequestResponseAndFailure() throws {
        let url = try url()
        let response = TransportResponse(status: 503, headers: ["X-A": "b"], url: url)
        let failure = NetworkFailure.serviceUnavailable(data: Data("busy".utf8))
        let proposal = RetryPolicy.Proposal(
            request: URLRequest(url: url), failure: failure, response: response, attempt: 2)
        #expect(proposal.response?.statusCode == 503 && proposal.statusCode == 503)
        #expect(proposal.headers?["X-A"] == "b" && proposal.data == Data("busy".utf8) && proposal.attempt == 2)
        #expect(proposal.error == failure && proposal.authenticationProvider is NoAuthProvider)
        let lost = RetryPolicy.Proposal(request: URLRequest(url: url), failure: lost(after: 200))
        #expect(lost.response == nil && lost.data == nil && lost.statusCode == nil)
    }
}
