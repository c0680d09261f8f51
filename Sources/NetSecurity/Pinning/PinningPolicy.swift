public import NetCore

/// Trusts a pinned host only if it shows one of its pins, in addition to the platform's own checks.
///
/// ```swift
/// let policy = try PinningPolicy([
///     PinningPolicy.Host("api.example.com", pins: pins, expires: endOfLife),
///     PinningPolicy.Host("*.cdn.example.com", pins: pins, enforcement: .reportOnly),
/// ]) { mismatch in
///     print(mismatch)
/// }
/// var configuration = TransportConfiguration()
/// configuration.trustPolicy = policy
/// let networking = Networking(configuration: configuration)
/// ```
///
/// Hosts without pins are trusted as the platform trusts them. If several entries match, only the closest applies: the host
/// itself, then `*.` with its parent, then the nearest parent that includes its subdomains.
public struct PinningPolicy: ServerTrustPolicy {
    /// Called with each mismatch, enforced or not.
    public typealias ReportHandler = @Sendable (Mismatch) -> Void

    private let hosts: [HostPattern: PinningPolicy.Host]
    private let clock: any NetworkClock
    private let report: ReportHandler?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - hosts: each host once.
    ///   - clock: for ``PinningPolicy/Host/expires``.
    ///   - report: called on the transport's thread before the connection is refused or used, so it should return at once. Nil to report nothing.
    /// - Throws: ``PinningError/duplicateHost(_:)``, or ``PinningError/noHosts`` for an empty list, which would protect nothing.
    public init(
        _ hosts: [PinningPolicy.Host], clock: any NetworkClock = .system, report: ReportHandler? = nil
    ) throws(PinningError) {
        guard !hosts.isEmpty else { throw .noHosts }
        var known: [HostPattern: PinningPolicy.Host] = [:]
        for host in hosts where known.updateValue(host, forKey: host.pattern) != nil { throw .duplicateHost(host.host) }
        self.hosts = known
        self.clock = clock
        self.report = report
    }

    /// Returns the pins that apply to a host; nil if it has none.
    public func pinnedHost(for host: String) -> PinningPolicy.Host? {
        let name = HostName.normalized(host)
        if let own = hosts[HostPattern(name: name)] { return own }
        guard IPAddress(name) == nil, HostPattern.isName(name), var parent = Self.parent(of: name) else { return nil }
        if let wildcard = hosts[HostPattern(name: parent, isWildcard: true)] { return wildcard }
        while true {
            if let found = hosts[HostPattern(name: parent)], found.includesSubdomains { return found }
            guard let next = Self.parent(of: parent) else { return nil }
            parent = next
        }
    }

    /// Refuses a pinned host that shows none of its pins. See ``ServerTrustPolicy``.
    ///
    /// - Throws: ``Mismatch``; ``PinningError/invalidHost(_:)`` for a name that is not ASCII, since it could be a pinned host.
    public func evaluate(_ chain: CertificateChain, host: String) throws {
        guard HostName.normalized(host).utf8.allSatisfy({ $0 < 0x80 }) else { throw PinningError.invalidHost(host) }
        guard let pinned = pinnedHost(for: host) else { return }
        let fulfils = { PinningPolicy.Pin.fulfilled(by: $0).contains(where: pinned.pins.contains) }
        if chain.certificates.contains(where: fulfils) { return }
        let now = clock.now
        let isExpired = pinned.expires.map { now >= $0 } ?? false
        let isEnforced = pinned.enforcement == .enforced && !isExpired
        let mismatch = Mismatch(host: host, pinned: pinned, chain: chain, date: now, isEnforced: isEnforced)
        report?(mismatch)
        if mismatch.isEnforced { throw mismatch }
    }

    private static func parent(of name: String) -> String? {
        name.firstIndex(of: ".").map { String(name[name.index(after: $0)...]) }
    }

    /// A server that showed none of the certificates and keys that its host is pinned to.
    ///
    /// The report handler receives it. If the pins are enforced, it is also the ``NetworkFailure/underlyingError`` of
    /// ``NetworkError/pinningFailed(host:)``. It contains no secret.
    public struct Mismatch: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
        /// The host of the request.
        public let host: String
        /// The pins that the server did not fulfil.
        public let pinned: PinningPolicy.Host
        /// The certificates that the server showed.
        public let chain: CertificateChain
        /// When the server was checked.
        public let date: Date
        /// Whether the connection was refused.
        public let isEnforced: Bool

        /// The pins that the server would have fulfilled: one for each key that it showed, its own first.
        public var presentedPins: [PinningPolicy.Pin] {
            chain.certificates.compactMap { certificate in
                PinningPolicy.Pin.fulfilled(by: certificate).first { if case .publicKey = $0 { true } else { false } }
            }
        }

        /// The subjects of the certificates, such as `CN=server,O=Example`, the server's own first. Certificates that cannot be read are left out.
        public var subjects: [String] { chain.subjects }

        /// The host, the keys that it showed, and whether the connection was refused.
        public var description: String {
            let shown = presentedPins.map(\.description).joined(separator: ", ")
            let leaf = chain.certificates.lazy.compactMap { try? Certificate(der: $0) }.first
            let owner = leaf.map { " of \($0.subject), issued by \($0.issuer)" } ?? ""
            let pins = "\(shown.isEmpty ? "nothing that can be read" : shown)\(owner)"
            let end = isEnforced ? "refused" : "only reported"
            return "\(host) showed none of its \(pinned.pins.count) pins but \(pins); \(end)."
        }

        public var errorDescription: String? { description }
    }
}

/// A mistake in pins, found when they are created, before anything is sent.
public enum PinningError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The text is not `sha256/` with 32 bytes in base64.
    case invalidPin(String)
    /// The data is not one certificate in DER or PEM; the text says why.
    case invalidCertificate(String)
    /// The text is not a host name: ASCII (`xn--…` for other letters), without a port, a star only as the whole first label.
    case invalidHost(String)
    /// The host is named twice.
    case duplicateHost(String)
    /// A host has only one pin. If its key is lost, the app cannot reach it until an update is installed.
    case backupPinMissing(host: String)
    /// No host is pinned.
    case noHosts
    /// The file does not exist.
    case missingFile(String)
    /// The file cannot be used; the second text says why.
    case unreadableFile(String, String)
    /// The file has no such environment, only the known ones.
    case unknownEnvironment(String, known: [String])

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .invalidPin(let text):
            "\"\(text)\" is not a pin. Write sha256/ and the 44 characters that `Scripts/pins show` prints."
        case .invalidCertificate(let reason):
            "The certificate cannot be read: \(reason). `openssl x509 -text` shows how OpenSSL reads it."
        case .invalidHost(let host):
            "\"\(host)\" is not a host name. Write a name like api.example.com or *.example.com, without scheme and port."
        case .duplicateHost(let host): "\(host) is pinned twice. Put all its pins into one PinningPolicy.Host."
        case .backupPinMissing(let host):
            "\(host) has fewer than two different pins. Add the pin of a backup key that is stored elsewhere, or pass "
                + "backup: .waived."
        case .noHosts: "No host is pinned. To use no pins, leave trustPolicy nil."
        case .missingFile(let path): "The file \(path) does not exist. File names are case-sensitive."
        case .unreadableFile(let path, let reason): "\(path) cannot be used: \(reason)"
        case .unknownEnvironment(let name, let known):
            "There are no pins for the environment \"\(name)\", only for: \(known.joined(separator: ", "))."
        }
    }

    public var errorDescription: String? { description }
}
