struct ClosureCredentials: AuthenticationProvider {
    /// The one header field that they are in; nil if they may be anywhere.
    var field: String?
    /// Gets new credentials; nil if that is impossible, so that the caller gets the refusal.
    var refresh: (@Sendable () async throws -> Void)?
    var owner: (@Sendable () -> String?)?
    let apply: @Sendable (inout URLRequest) async throws -> Void

    var partition: String? { owner?() }

    func authenticate(_ request: inout URLRequest) async throws { try await apply(&request) }
    func reauthenticate() async throws { try await refresh?() }
}

/// The bearer tokens of a ``TokenProvider``.
final class TokenCredentials: AuthenticationProvider {
    private struct State {
        /// The last valid token of the provider.
        var valid: String?
        /// The refused token, and the one that a refresh returned instead.
        var replacement: (of: String, by: String)?

        /// The token of `refreshToken()` counts, even if the provider still returns the refused one.
        func current(_ token: String) -> String { replacement.flatMap { $0.of == token ? $0.by : nil } ?? token }
    }

    private let tokens: any TokenProvider
    private let state = Locked(State())

    init(_ tokens: any TokenProvider) { self.tokens = tokens }

    func authenticate(_ request: inout URLRequest) async throws {
        _ = try await fetch(for: request)
        _ = try await apply(to: &request, isSending: true)
    }

    /// Adds the current token to a request, without a refresh. Returns false if there is no token yet.
    ///
    /// - Parameter isSending: whether ``fetch(for:)`` has just got the token.
    func apply(to request: inout URLRequest, isSending: Bool) async throws -> Bool {
        let known = state.withLock(\.valid)
        let atHand = await tokens.currentToken()
        var token = atHand ?? known
        if isSending, let atHand, atHand != known {
            // The last valid token was for another call, which may be another user's.
            token = try await tokens.validToken()
            state.withLock { $0.valid = token }
        }
        guard let token else { return false }
        try request.setCredentials("Bearer \(state.withLock { $0.current(token) })", in: "Authorization")
        return true
    }

    /// Gets a valid token from the provider, which may refresh it. Returns whether the request already carries this token.
    func fetch(for request: URLRequest) async throws -> Bool {
        let valid = try await tokens.validToken()
        let token = state.withLock { state in
            state.valid = valid
            return state.current(valid)
        }
        return request.value(forHTTPHeaderField: "Authorization") == "Bearer \(token)"
    }

    func reauthenticate() async throws {
        let refused = await tokens.currentToken() ?? state.withLock(\.valid)
        let token = try await tokens.refreshToken()
        state.withLock { state in state.replacement = refused.map { (of: $0, by: token) } }
    }
}

/// The provider of ``NetworkManager/authenticationProvider``. Its type tells an initialiser that its argument was left out.
struct ConfiguredAuthenticationProvider: AuthenticationProvider {
    let base: any AuthenticationProvider

    func authenticate(_ request: inout URLRequest) async throws { try await base.authenticate(&request) }
    func reauthenticate() async throws { try await base.reauthenticate() }
}

extension AuthenticationProvider {
    /// The provider itself, with its own rules and its shared refreshes, if this is that of ``NetworkManager/authenticationProvider``.
    var unwrapped: any AuthenticationProvider { (self as? ConfiguredAuthenticationProvider)?.base ?? self }
}

extension URLRequest {
    /// Throws for an invalid value. Foundation on Linux drops a value with a line break, so the request would have no credentials.
    mutating func setCredentials(_ value: String, in name: String) throws {
        guard HTTPHeader(name: name, value: value).isValid else { throw RequestBuildingError.invalidHeader(name) }
        setValue(value, forHTTPHeaderField: name)
    }

    /// Sets an item of the query, and removes others of that name.
    mutating func setQueryItem(_ name: String, _ value: String) throws {
        guard let url, var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return }
        let start = PercentEncoding.encode(name) + "="
        let others = (components.percentEncodedQuery ?? "").split(separator: "&").filter { !$0.hasPrefix(start) }
        let item = QueryEncoding.Encoder.encode(items: [URLQueryItem(name: name, value: value)])
        components.percentEncodedQuery = (others.map(String.init) + [item]).joined(separator: "&")
        guard let changed = components.url else { throw NetworkError.invalidURL }
        self.url = changed
    }
}
