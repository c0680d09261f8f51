import NetCore

/// A token in a header field, from a closure.
struct HeaderCredentials: OptionallyRenewed {
    let name: String
    let prefix: String?
    let token: @Sendable () async throws -> String?
    var renew: (@Sendable () async throws -> Void)?

    var canReauthenticate: Bool { renew != nil }

    func authenticate(_ request: inout URLRequest) async throws {
        guard let token = try await token() else { return }
        try request.setCredentials(prefix.map { $0.isEmpty ? token : "\($0) \(token)" } ?? token, in: name)
    }

    func reauthenticate() async throws {
        try await renew?()
    }
}

/// A key in the query of the URL.
struct QueryCredentials: OptionallyRenewed {
    let name: String
    let key: @Sendable () async throws -> String?

    var canReauthenticate: Bool { false }

    func authenticate(_ request: inout URLRequest) async throws {
        guard let key = try await key(), let url = request.url,
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return }
        let item = QueryEncoder.encode(items: [URLQueryItem(name: name, value: key)])
        let start = QueryEncoder.percentEncode(name) + "="
        let others = (components.percentEncodedQuery ?? "").split(separator: "&").filter { !$0.hasPrefix(start) }
        components.percentEncodedQuery = (others.map(String.init) + [item]).joined(separator: "&")
        guard let authenticated = components.url else { throw NetworkError.invalidURL }
        request.url = authenticated
    }

    func reauthenticate() async throws {}
}

/// What closures do.
struct CustomCredentials: OptionallyRenewed {
    let apply: @Sendable (inout URLRequest) async throws -> Void
    let renew: (@Sendable () async throws -> Void)?

    var canReauthenticate: Bool { renew != nil }

    func authenticate(_ request: inout URLRequest) async throws {
        try await apply(&request)
    }

    func reauthenticate() async throws {
        try await renew?()
    }
}

/// The bearer tokens of a ``TokenProvider`` (seed 002).
final class TokenCredentials: AuthenticationProvider {
    private struct State {
        /// The token that was valid last, in the provider's view.
        var valid: String?
        /// What a refresh gave in its place.
        var replacement: (of: String, by: String)?
    }

    private let tokens: any TokenProvider
    private let state = Locked(State())

    init(_ tokens: any TokenProvider) {
        self.tokens = tokens
    }

    func authenticate(_ request: inout URLRequest) async throws {
        let valid = try await tokens.validToken()
        // As in the seed: what `refreshToken()` returns counts, also if `validToken()` still gives the refused one.
        let token = state.withLock { state in
            state.valid = valid
            return state.replacement.flatMap { $0.of == valid ? $0.by : nil } ?? valid
        }
        try request.setCredentials("Bearer \(token)", in: "Authorization")
    }

    func reauthenticate() async throws {
        let refused = state.withLock(\.valid)
        let token = try await tokens.refreshToken()
        state.withLock { state in state.replacement = refused.map { (of: $0, by: token) } }
    }
}

extension URLRequest {
    /// Foundation on Linux drops a value with a line break, and the request would go without any.
    fileprivate mutating func setCredentials(_ value: String, in name: String) throws {
        guard HTTPHeader(name: name, value: value).isValid else { throw RequestBuildingError.invalidHeader(name) }
        setValue(value, forHTTPHeaderField: name)
    }
}
