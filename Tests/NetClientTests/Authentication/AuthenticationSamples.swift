/// Numbered tokens, of which the last one is valid.
final class NumberedTokens: AuthenticationProvider {
    let state = Locked((current: 0, refreshes: 0))
    let refresh: @Sendable () async throws -> Void
    let partition: String?
    private let prefix: String
    private let end: Date

    /// - Parameters:
    ///   - prefix: the start of the URLs that the tokens cover.
    ///   - end: the date when the first token expires.
    init(
        partition: String? = nil, prefix: String = "", end: Date = .distantFuture,
        refresh: @escaping @Sendable () async throws -> Void = {}
    ) {
        (self.partition, self.prefix, self.end, self.refresh) = (partition, prefix, end, refresh)
    }

    var refreshes: Int { state.withLock(\.refreshes) }

    func needsReauthentication(at now: Date) async -> Bool { now >= end && refreshes == 0 }

    func covers(_ url: URL) -> Bool { url.absoluteString.hasPrefix(prefix) }

    func authenticate(_ request: inout URLRequest) async throws {
        request.setValue("Bearer \(state.withLock(\.current))", forHTTPHeaderField: "Authorization")
    }

    func reauthenticate() async throws {
        state.withLock { $0.refreshes += 1 }
        try await refresh()
        state.withLock { $0.current += 1 }
    }
}

/// A server that accepts one token.
final class TokenServer: Sendable {
    let state: Locked<(accepted: String, refusals: Int)>

    init(accepting token: String = "Bearer 1") { state = Locked((token, 0)) }

    var refusals: Int { state.withLock(\.refusals) }

    func answer(_ request: URLRequest) -> TransportResponse {
        let isAccepted = state.withLock { state in
            let isAccepted = request.value(forHTTPHeaderField: "Authorization") == state.accepted
            if !isAccepted { state.refusals += 1 }
            return isAccepted
        }
        return NetClientTests.answer(isAccepted ? 200 : 401, isAccepted ? "welcome" : "who are you?")
    }

    var transport: StubTransport { transport {} }

    func transport(after wait: @escaping @Sendable () async throws -> Void) -> StubTransport {
        StubTransport { request, _, _ in
            try await wait()
            return self.answer(request)
        }
    }
}

/// Holds tasks until a test opens it, or until `capacity` tasks have arrived.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let capacity: Int

    init(opensAt capacity: Int = .max) { self.capacity = capacity }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.arrived += 1
                state.waiters.append(continuation)
                return state.isOpen || state.arrived >= capacity
            }
            if isOpen { open() }
        }
    }

    func open() {
        let ready = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in ready { waiter.resume() }
    }

    func waitForArrivals() async throws {
        try await waitUntil("a task has arrived") { state.withLock(\.arrived) > 0 ? () : nil }
    }
}

struct RefreshError: Error, Equatable { var secret = "s3cr3t" }

extension RequestContext {
    /// The context of a request with its own provider.
    static func with(_ provider: any AuthenticationProvider) -> RequestContext {
        .with { $0[AuthenticationProviderKey.self] = provider }
    }
}
