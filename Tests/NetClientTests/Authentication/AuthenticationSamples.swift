import NetClient
import NetTesting
import Testing

/// Numbered tokens, of which the last one is valid, as a class with an identity.
final class NumberedTokens: AuthenticationProvider {
    struct State {
        var current = 0
        var refreshes = 0
    }

    let state = Locked(State())
    let refresh: @Sendable () async throws -> Void
    let partition: String?

    init(partition: String? = nil, refresh: @escaping @Sendable () async throws -> Void = {}) {
        self.partition = partition
        self.refresh = refresh
    }

    var refreshes: Int { state.withLock(\.refreshes) }

    func authenticate(_ request: inout URLRequest) async throws {
        request.setValue("Bearer \(state.withLock(\.current))", forHTTPHeaderField: "Authorization")
    }

    func reauthenticate() async throws {
        state.withLock { $0.refreshes += 1 }
        try await refresh()
        state.withLock { $0.current += 1 }
    }
}

/// A server that takes one token, and refuses every other one.
final class TokenServer: Sendable {
    struct State {
        var accepted: String
        var refusals = 0
    }

    let state: Locked<State>

    init(accepting token: String = "Bearer 1") { state = Locked(State(accepted: token)) }

    var refusals: Int { state.withLock(\.refusals) }

    func answer(_ request: URLRequest) -> TransportResponse {
        let isAccepted = state.withLock { state in
            let isAccepted = request.value(forHTTPHeaderField: "Authorization") == state.accepted
            if !isAccepted { state.refusals += 1 }
            return isAccepted
        }
        return NetClientTests.answer(isAccepted ? 200 : 401, isAccepted ? "welcome" : "who are you?")
    }

    var transport: StubTransport { StubTransport { request, _, _ in self.answer(request) } }
}

/// Lets tasks wait until a test opens it, or until so many have come.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let capacity: Int

    /// - Parameter capacity: opens by itself when so many have come.
    init(opensAt capacity: Int = .max) { self.capacity = capacity }

    var arrived: Int { state.withLock(\.arrived) }

    func pass() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.arrived += 1
                state.waiters.append(continuation)
                if state.arrived >= capacity { state.isOpen = true }
                guard state.isOpen else { return [] }
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in ready { waiter.resume() }
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

    /// Until so many have come.
    func waitForArrivals(_ count: Int = 1) async throws { try await eventually { self.arrived >= count } }
}

/// Waits until it is so; a minute is enough for everything, also where others use all of the machine.
func eventually(_ condition: @Sendable () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
        try #require(ContinuousClock.now < end, "waited for too long")
        try await Task.sleep(for: .milliseconds(1))
    }
}

struct RefreshError: Error, Equatable { var secret = "s3cr3t" }

extension RequestContext {
    /// With a provider that the request brought along.
    static func with(_ provider: any AuthenticationProvider) -> RequestContext {
        var context = RequestContext()
        context[AuthenticationProviderKey.self] = provider
        return context
    }
}
