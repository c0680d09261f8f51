import NetCore

/// One combination of settings, and of what happens on the way.
struct SeamCase: Hashable, Sendable {
    var door = Door.clientData
    var source = Source.none
    var cache = Cache.none
    var redirect = Redirect.none
    var vary = Vary.none
    var sharing = Sharing.off
    var clients = Clients.two
    /// Whether the server refuses the first token of each user.
    var refreshes = false
    /// Whether the server answers 503 once to each user.
    var retries = false
    /// Whether each response sets an analytics cookie.
    var setsCookie = false
    /// Whether interceptors and redirect policy belong to each call (`RequestOptions`) and not to the client.
    var isPerCall = false
    /// Whether the client makes a transport of its own, or shares one with other cases.
    var ownsTransport = false

    /// The way into a client.
    enum Door: String, CaseIterable, Sendable {
        case facadeValue, facadeResponse, facadeCompletion, facadeChain, facadeStream, facadeOnClient
        case clientEndpoint, clientSend, clientExecute, clientData, derivedClient, builderSend, builderStream, apiClient

        /// Whether the response is read as a stream.
        var isStreamed: Bool { self == .facadeStream || self == .builderStream }

        /// Whether the call can have options of its own.
        var takesOptions: Bool { self != .clientExecute && self != .apiClient }

        /// Whether the call can say what a cache may do.
        var takesCachePolicy: Bool { ![.clientEndpoint, .clientExecute, .apiClient].contains(self) }
    }

    /// Where the credentials come from.
    enum Source: String, CaseIterable, Sendable {
        case none
        /// `AuthInterceptor` with closures; with a partition; over a `TokenProvider`.
        case bearer, bearerWithPartition, tokenProvider
        /// An actor as `authenticationProvider`; one that the call brings along.
        case provider, callProvider
        case session
        case keyInHeader, keyInQuery
        /// `RequestInterceptor.adapt` adds `X-Session`; `Interceptor.intercept(request:)` adds `Token`.
        case adaptHook, interceptHook
        /// Middleware adds `X-Tenant` below the cache: whose it is not said; said; the client has a partition.
        case middleware, middlewareWithOwner, middlewareWithPartition
        /// A call interceptor adds `X-Call-Token`, outside of redirects.
        case callMiddleware
        case additionalHeaders, environment
        case callersAuthorization, callersCookie
        /// A cookie that the app puts into the store; an `HttpOnly` one that a login sets.
        case storedCookie, sessionCookie
        case basicChallenge, digestChallenge
        case messageSigner, awsSigner
        /// Another Unix-domain socket for each user, behind the same URL.
        case unixSocket
    }

    enum Cache: String, CaseIterable, Sendable {
        case none, memory, disk, tiered
        /// A `CachePolicy` of the call, over a store in memory or on disk.
        case policy
    }

    enum Redirect: String, CaseIterable, Sendable { case none, sameOrigin, otherPort, otherHost, thereAndBack }

    /// What the `Vary` of the responses names; of languages, where the field is added.
    enum Vary: String, CaseIterable, Sendable {
        case none, cookie, authorization, languageOfHook, languageOfMiddleware
        var isByLanguage: Bool { self == .languageOfHook || self == .languageOfMiddleware }
    }

    enum Sharing: String, CaseIterable, Sendable {
        case off, coalescing, hedging, both
        var coalesces: Bool { self == .coalescing || self == .both }
        var hedges: Bool { self == .hedging || self == .both }
    }

    /// Whether the users have a client each, with one cache for both, or change places at one client.
    enum Clients: String, CaseIterable, Sendable { case one, two }
}

extension SeamCase.Source {
    /// Whether there are other credentials after a 401.
    var canRefresh: Bool {
        [.bearer, .bearerWithPartition, .tokenProvider, .provider, .callProvider, .session, .adaptHook].contains(self)
    }

    /// Whether one client can send the credentials of several users.
    var canSwitch: Bool {
        !isChallenge && !isSigner
            && ![.session, .keyInQuery, .additionalHeaders, .environment, .unixSocket].contains(self)
    }

    /// Whether one client can also send requests without a user.
    var canSignOut: Bool { canSwitch && self != .tokenProvider }
    var isChallenge: Bool { self == .basicChallenge || self == .digestChallenge }
    var isSigner: Bool { self == .messageSigner || self == .awsSigner }

    /// Whether the cookies of the store tell the users apart.
    var isCookieOfStore: Bool { self == .storedCookie || self == .sessionCookie }

    /// Whether a header field of the call itself has the credentials.
    var isOfCall: Bool { self == .callersAuthorization || self == .callersCookie }
}

extension SeamCase {
    /// The nearest case that makes sense.
    var normalized: SeamCase {
        var result = self
        if !source.canSwitch { result.clients = .two }
        if !source.canRefresh { result.refreshes = false }
        if source.isOfCall, door == .apiClient { result.door = .clientData }
        if source == .callProvider, ![.clientSend, .builderSend, .builderStream].contains(door) {
            result.door = .builderSend
        }
        if source == .unixSocket {
            // Every URL leads to the socket.
            if redirect != .none { result.redirect = .sameOrigin }
            result.ownsTransport = true
        }
        if !result.door.takesOptions { result.isPerCall = false }
        // Nothing tells whether two calls' interceptors do the same, so such calls are not shared.
        if result.isPerCall { result.sharing = sharing.hedges ? .hedging : .off }
        // The losing copy of a hedged request may still set its cookie after the next user has signed in.
        if source.isCookieOfStore, result.clients == .one, result.sharing.hedges { result.setsCookie = false }
        return result
    }
}

extension SeamCase: CustomStringConvertible {
    var description: String {
        let marks = [
            refreshes ? "refresh" : nil, retries ? "retry" : nil, setsCookie ? "set-cookie" : nil,
            isPerCall ? "options" : nil, ownsTransport ? "own transport" : nil,
        ]
        let names = [
            door.rawValue, source.rawValue, "cache \(cache.rawValue)", "redirect \(redirect.rawValue)",
            "vary \(vary.rawValue)", "sharing \(sharing.rawValue)", "\(clients.rawValue) client(s)",
        ]
        return (names + marks.compactMap { $0 }).joined(separator: ", ")
    }
}

enum SeamUser: String, CaseIterable, Sendable { case alice, bob }

/// Who is at the keyboard, and in which language: what credentials and hooks of a client that several users share go by.
enum Seat {
    @TaskLocal static var user: SeamUser?
    @TaskLocal static var language: String?
}

/// The tokens of one case's users.
///
/// A token names its user, its case and its generation (`alice.c17.t0`), so that it is recognised wherever it turns up.
final class TokenVault: Sendable {
    let id: Int
    private let generations = Locked<[SeamUser: Int]>([:])
    init(id: Int) { self.id = id }
    func generation(of user: SeamUser) -> Int { generations.withLock { $0[user] ?? 0 } }
    func token(of user: SeamUser) -> String { Self.token(of: user, id, generation(of: user)) }
    func renew(_ user: SeamUser) { generations.withLock { $0[user, default: 0] += 1 } }
    static func token(of user: SeamUser, _ id: Int, _ generation: Int) -> String {
        "\(user.rawValue).c\(id).t\(generation)"
    }
}
