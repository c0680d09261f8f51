public import NetCore

/// Trusts a pinned host only if it shows one of its pins, on top of what the platform asks of every server.
///
/// ```swift
/// let policy = try PinningPolicy([
///     PinnedHost("api.example.com", pins: pins, expires: endOfLife),
///     PinnedHost("*.cdn.example.com", pins: pins, enforcement: .reportOnly),
/// ]) { mismatch in
///     print(mismatch)
/// }
/// var configuration = TransportConfiguration()
/// configuration.trustPolicy = policy
/// let networking = Networking(configuration: configuration)
/// ```
///
/// Hosts without pins are trusted as the platform trusts them. Of several entries that fit, the closest counts alone: the host
/// itself, then `*.` with its parent, then the nearest parent that includes its subdomains.
public struct PinningPolicy: ServerTrustPolicy {
    /// Called with each mismatch, enforced or not.
    public typealias ReportHandler = @Sendable (PinMismatch) -> Void

    private let exact: [String: PinnedHost]
    private let wildcards: [String: PinnedHost]
    private let clock: any NetworkClock
    private let report: ReportHandler?

    /// A policy.
    ///
    /// - Parameters:
    ///   - hosts: each once.
    ///   - clock: for ``PinnedHost/expires``.
    ///   - report: called on the transport's thread before the connection is refused or used, so leave work to others. Nil to report
    ///     nothing.
    /// - Throws: ``PinningError/duplicateHost(_:)``, or ``PinningError/noHosts`` for an empty list, which would protect nothing.
    public init(
        _ hosts: [PinnedHost], clock: any NetworkClock = .system, report: ReportHandler? = nil
    ) throws(PinningError) {
        guard !hosts.isEmpty else { throw .noHosts }
        var (exact, wildcards): ([String: PinnedHost], [String: PinnedHost]) = ([:], [:])
        for host in hosts {
            let name = host.pattern.name
            let previous =
                host.pattern.isWildcard
                ? wildcards.updateValue(host, forKey: name) : exact.updateValue(host, forKey: name)
            guard previous == nil else { throw .duplicateHost(host.host) }
        }
        self.exact = exact
        self.wildcards = wildcards
        self.clock = clock
        self.report = report
    }

    /// The pins that count for a host; nil if it has none.
    public func pinnedHost(for host: String) -> PinnedHost? {
        let name = HostName.normalized(host)
        if let own = exact[name] { return own }
        guard IPAddress(name) == nil, HostPattern.isName(name), var parent = Self.parent(of: name) else { return nil }
        if let wildcard = wildcards[String(parent)] { return wildcard }
        while true {
            if let found = exact[String(parent)], found.includesSubdomains { return found }
            guard let next = Self.parent(of: parent) else { return nil }
            parent = next
        }
    }

    /// Refuses a pinned host that shows none of its pins. See ``ServerTrustPolicy``.
    ///
    /// - Throws: ``PinMismatch``; ``PinningError/invalidHost(_:)`` for a name that is not ASCII, since nobody can tell whether it is pinned.
    public func evaluate(_ chain: CertificateChain, host: String) throws {
        guard HostName.normalized(host).utf8.allSatisfy({ $0 < 0x80 }) else { throw PinningError.invalidHost(host) }
        guard let pinned = pinnedHost(for: host), !Self.fulfils(chain, pinned.pins) else { return }
        let now = clock.now
        let isExpired = pinned.expires.map { now >= $0 } ?? false
        let mismatch = PinMismatch(
            host: host, pinned: pinned, chain: chain, date: now,
            isEnforced: pinned.enforcement == .enforced && !isExpired)
        report?(mismatch)
        if mismatch.isEnforced { throw mismatch }
    }

    private static func fulfils(_ chain: CertificateChain, _ pins: Set<CertificatePin>) -> Bool {
        chain.certificates.contains { certificate in
            CertificatePin.fulfilled(by: certificate).contains(where: pins.contains)
        }
    }

    private static func parent(of name: some StringProtocol) -> Substring? {
        name.firstIndex(of: ".").map { Substring(name[name.index(after: $0)...]) }
    }
}
