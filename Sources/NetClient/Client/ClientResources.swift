/// What a client holds beside its settings, and shares with the clients that are derived from it.
struct ClientResources: Sendable {
    let lease: TransportLease
    let cookies: CookieStore?
    /// The client's own provider with what is known of its credentials; nil if it has none.
    let authenticator: AuthInterceptor?

    /// - Parameter parent: whose resources are used where the settings are the same; nil for a client of its own.
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

    /// The settings of the transport. What of them is not about connections holds for every transport.
    let settings: TransportConfiguration

    var transport: SharedTransport { lease.transport }
}

/// One client's share in a transport. It ends at the client's shutdown, or with the client.
final class TransportLease: Sendable {
    let transport: SharedTransport
    private let hasEnded = Locked(false)

    init(_ transport: SharedTransport, isFirst: Bool) {
        self.transport = transport
        if !isFirst { transport.join() }
    }

    deinit { end() }

    /// Returns whether this was the last share. Only the first call counts.
    @discardableResult
    func end() -> Bool {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        return isFirst && transport.leave()
    }
}

/// A transport, and how many clients use it: it closes with the last one.
final class SharedTransport: Sendable {
    let base: any HTTPTransport
    /// The settings that the transport was made with; nil for one that has none of ours.
    let settings: TransportConfiguration?
    private let users = Locked((count: 1, isShared: false))

    init(_ configuration: NetworkClient.Configuration) {
        base =
            configuration.transport
            ?? PlatformTransport(
                settings: configuration.refusal.map { .failure($0) } ?? .success(configuration.transportConfiguration))
        settings = (base as? any ConfiguredTransport)?.configuration
    }

    /// The store of a transport that has one, so that all clients of the transport share it.
    var cookies: CookieStore? { (base as? any ConfiguredTransport)?.cookies }

    /// Whether more than one client has used it.
    var isShared: Bool { users.withLock(\.isShared) }

    func join() {
        users.withLock { users in
            users.count += 1
            users.isShared = true
        }
    }

    /// Returns whether no client uses it any more.
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

/// A transport that is made from a ``TransportConfiguration``. What of that is not about connections (default fields, cookies) is the
/// client's to apply.
package protocol ConfiguredTransport: HTTPTransport {
    var configuration: TransportConfiguration { get }
    /// The store that all clients of the transport share; nil for none.
    var cookies: CookieStore? { get }
}
