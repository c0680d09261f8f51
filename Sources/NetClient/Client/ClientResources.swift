/// The resources of a client, which it shares with the clients that are derived from it.
struct ClientResources: Sendable {
    let lease: TransportLease
    let cookies: CookieStore?
    /// The client's provider with the state of its refreshes; nil if it has none.
    let authenticator: AuthInterceptor?

    /// - Parameter parent: the client to share resources with where the settings are the same; nil for none.
    init(_ configuration: NetworkClient.Configuration, sharing parent: NetworkClient?) {
        if let parent, parent.configuration.transportRevision == configuration.transportRevision {
            lease = TransportLease(parent.resources.transport, isFirst: false)
        } else {
            lease = TransportLease(SharedTransport(configuration), isFirst: true)
        }
        let transport = lease.transport
        let settings = transport.settings ?? configuration.transportConfiguration
        self.settings = settings
        if let store = configuration.cookies {
            cookies = store
        } else if let parent, parent.resources.settings.cookies == settings.cookies, parent.configuration.cookies == nil
        {
            cookies = parent.resources.cookies
        } else {
            cookies = transport.cookies ?? CookieStore.make(settings.cookies)
        }
        if let parent, parent.configuration.authenticationRevision == configuration.authenticationRevision {
            authenticator = parent.resources.authenticator
        } else {
            let provider = configuration.authenticationProvider
            authenticator = provider is NoAuthProvider ? nil : AuthInterceptor(provider: provider)
        }
    }

    /// The settings of the transport. Settings that are not about connections hold for every transport.
    let settings: TransportConfiguration

    var transport: SharedTransport { lease.transport }
}

/// One client's share in a transport. It ends at the client's shutdown or release.
final class TransportLease: Sendable {
    let transport: SharedTransport
    private let ended = OnceFlag()

    init(_ transport: SharedTransport, isFirst: Bool) {
        self.transport = transport
        if !isFirst { transport.join() }
    }

    deinit { end() }

    /// Returns whether this was the last share. Only the first call counts.
    @discardableResult
    func end() -> Bool {
        ended.take() && transport.leave()
    }
}

/// A transport and the number of its clients. It closes with the last one.
final class SharedTransport: Sendable {
    let base: any HTTPTransport
    /// The settings of the transport; nil if it has no ``TransportConfiguration``.
    let settings: TransportConfiguration?
    private let users = Locked((count: 1, isShared: false))

    init(_ configuration: NetworkClient.Configuration) {
        base =
            configuration.transport
            ?? PlatformTransport(
                settings: configuration.refusal.map { .failure($0) } ?? .success(configuration.transportConfiguration))
        settings = (base as? any ConfiguredTransport)?.configuration
    }

    /// The cookie store of the transport, which all its clients share; nil if it has none.
    var cookies: CookieStore? { (base as? any ConfiguredTransport)?.cookies }

    /// Whether more than one client has used it.
    var isShared: Bool { users.withLock(\.isShared) }

    func join() {
        users.withLock { users in
            users.count += 1
            users.isShared = true
        }
    }

    /// Returns whether that was the last client.
    func leave() -> Bool {
        users.withLock { users in
            users.count -= 1
            return users.count <= 0
        }
    }

    func shutdown() async {
        await base.shutdown()
    }
}
