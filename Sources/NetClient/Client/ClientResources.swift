/// The resources of a client, which it shares with the clients that are derived from it.
struct ClientResources: Sendable {
    private(set) var transport: SharedTransport
    /// The settings of the transport. Settings that are not about connections hold for every transport.
    private(set) var settings: TransportConfiguration
    let cookies: CookieStore?
    /// The client's provider with the state of its refreshes; nil if it has none.
    let authenticator: AuthInterceptor?
    let codingRefusals: CodingRefusals
    /// What is known of interceptors that may add credentials, by their types. A call with options of its own has a pipeline of its own.
    private let additions: Locked<[[ObjectIdentifier]: HiddenCredentials]>

    /// - Parameter parent: the client to share resources with where the settings are the same; nil for none.
    init(_ configuration: NetworkClient.Configuration, sharing parent: NetworkClient?) {
        if let parent, parent.configuration.transportRevision == configuration.transportRevision {
            transport = parent.resources.transport
        } else {
            transport = SharedTransport(configuration)
        }
        codingRefusals = parent?.resources.codingRefusals ?? CodingRefusals()
        additions = parent?.resources.additions ?? Locked([:])
        settings = transport.settings ?? configuration.transportConfiguration
        if let store = configuration.cookies {
            cookies = store
        } else if let parent, parent.resources.settings.cookies == settings.cookies, parent.configuration.cookies == nil
        {
            cookies = parent.resources.cookies
        } else {
            cookies = transport.cookies(settings.cookies)
        }
        if let parent, parent.configuration.authenticationRevision == configuration.authenticationRevision {
            authenticator = parent.resources.authenticator
        } else {
            let provider = configuration.authenticationProvider.unwrapped
            authenticator = provider is NoAuthProvider ? nil : AuthInterceptor(provider: provider)
        }
    }

    /// The same resources, with the transport for a call with a trust of its own.
    func trusting(_ trust: RequestOptions.Trust) throws -> ClientResources {
        var resources = self
        resources.transport = try transport.trusting(trust)
        resources.settings = resources.transport.settings ?? settings
        return resources
    }

    /// Returns the record of interceptors, or nil for none. They are suspected if one is of a type that may add credentials.
    func additions(by interceptors: [any HTTPInterceptor], isSuspected: Bool) -> HiddenCredentials? {
        guard !interceptors.isEmpty else { return nil }
        let types = interceptors.map { ObjectIdentifier(type(of: $0)) }
        return additions.withLock { records in
            let record = records[types] ?? HiddenCredentials(isSuspected: isSuspected)
            records[types] = record
            return record
        }
    }
}

/// A transport and its clients. It closes with the last one that is shut down.
final class SharedTransport: Sendable {
    let base: any HTTPTransport
    /// ``base`` if it has a ``TransportConfiguration``, or nil.
    private let configured: (any ConfiguredTransport)?
    /// The clients, until they are shut down or released.
    private let clients = Locked((current: Set<ObjectIdentifier>(), isShared: false))
    /// The transports of calls with a trust of their own, the last used at the end.
    private let trusting = Locked<[(trust: RequestOptions.Trust, transport: SharedTransport)]>([])
    /// The maximum number of transports in ``trusting``, each with connections of its own. One that is dropped ends with its last response.
    private static let mostTrusts = 8

    private init(_ base: any HTTPTransport) {
        self.base = base
        configured = base as? any ConfiguredTransport
    }

    convenience init(_ configuration: NetworkClient.Configuration) {
        self.init(
            configuration.transport
                ?? PlatformTransport(
                    settings: configuration.refusal.map { .failure($0) }
                        ?? .success(configuration.transportConfiguration)))
    }

    var settings: TransportConfiguration? { configured?.configuration }
    var keepsDeadlines: Bool { configured?.keepsDeadlines ?? false }

    /// Returns the cookie store for a setting, which all clients of the transport share; nil for none.
    func cookies(_ storage: TransportConfiguration.CookieStorage) -> CookieStore? {
        guard let configured else { return .make(storage) }
        return configured.clientState.object { .make(storage) }
    }

    /// Whether each call needs a task of its own, so that a shutdown of its client can cancel it: more than one client has used the transport,
    /// and it cannot cancel the exchanges of one of them.
    var needsTasks: Bool { configured == nil && clients.withLock { $0.isShared } }

    /// - Parameter client: identifies the client, by its calls.
    func join(_ client: ObjectIdentifier) {
        clients.withLock { clients in
            clients.current.insert(client)
            clients.isShared = clients.isShared || clients.current.count > 1
        }
    }

    /// Returns whether that was the last client. Only the first call of a client counts.
    @discardableResult
    func leave(_ client: ObjectIdentifier) -> Bool {
        clients.withLock { $0.current.remove(client) != nil && $0.current.isEmpty }
    }

    func shutdown() async {
        await base.shutdown()
        let trusting = trusting.withLock { list in
            defer { list = [] }
            return list
        }
        for (_, transport) in trusting { await transport.shutdown() }
    }

    /// Cancels the exchanges of a client.
    func cancel(_ group: ObjectIdentifier) {
        configured?.cancel(group)
        for (_, transport) in trusting.withLock({ $0 }) { transport.cancel(group) }
    }

    var connectionIdentity: ConnectionIdentity? { configured?.connectionIdentity }

    /// The transport, and those of calls with a trust of their own.
    private var all: [any HTTPTransport] { [base] + trusting.withLock { $0 }.map(\.transport.base) }

    /// Returns nil if the transport cannot tell.
    func connectionStatistics() -> [ConnectionStatistics]? {
        let statistics = all.compactMap { $0.connectionStatistics() }
        return statistics.isEmpty ? nil : statistics.count == 1 ? statistics[0] : statistics.flatMap(\.self).merged
    }

    func replaceClientCertificate(_ certificate: TransportConfiguration.ClientCertificate) throws {
        for transport in all {
            guard let transport = transport as? any ConfiguredTransport else {
                throw NetworkError.unsupported(
                    "\(type(of: base)) has no client certificate of this SDK. Use .platform(configuration).")
            }
            try transport.replaceClientCertificate(certificate)
        }
    }

    /// Returns the transport for calls with a trust of their own: with the same settings, and its own connections.
    func trusting(_ trust: RequestOptions.Trust) throws -> SharedTransport {
        guard let configured else {
            throw NetworkError.unsupported(
                "\(type(of: base)) cannot change its trust for one call. Use .platform(configuration), or a client with another transport."
            )
        }
        return try trusting.withLock { list in
            let transport: SharedTransport
            if let index = list.firstIndex(where: { $0.trust.id === trust.id }) {
                transport = list.remove(at: index).transport
            } else {
                var configuration = configured.configuration
                configuration.certificateAuthorities = trust.certificateAuthorities
                configuration.trustPolicy = trust.policy
                // The client has the store.
                configuration.cookies = .off
                transport = SharedTransport(try configured.with(configuration))
                if list.count >= Self.mostTrusts { list.removeFirst() }
            }
            list.append((trust, transport))
            return transport
        }
    }
}
