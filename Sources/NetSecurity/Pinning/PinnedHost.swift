public import NetCore

/// The pins of a host.
///
/// ```swift
/// let host = try PinnedHost("api.example.com", pins: pins, includesSubdomains: true, expires: endOfLife)
/// ```
public struct PinnedHost: Hashable, Sendable {
    /// Whether a host needs a second pin.
    public enum Backup: Hashable, Sendable {
        /// At least two different pins, so that a lost key does not cut off every app that is installed.
        case required
        /// One will do: it is known what happens when that key is lost, and accepted.
        case waived
    }

    /// What becomes of a connection without a pin that fits.
    public enum Enforcement: Hashable, Sendable {
        /// It is refused, and reported.
        case enforced
        /// It is reported, and used.
        case reportOnly
    }

    /// The host as it was written: `api.example.com`, or `*.example.com`.
    public let host: String
    /// Those of which one has to fit.
    public let pins: Set<CertificatePin>
    /// Whether they are for the names beneath the host too, however deep, unless those have pins of their own.
    public let includesSubdomains: Bool
    /// From when on a mismatch is only reported; nil for never.
    public let expires: Date?
    /// What becomes of a connection without a pin that fits, until ``expires``.
    public let enforcement: Enforcement

    let pattern: HostPattern

    /// Pins for a host.
    ///
    /// - Parameters:
    ///   - host: a name in ASCII (`xn--…` for other letters), or an address, whose pins hold for every spelling of it (`127.1` and
    ///     `[::ffff:7f00:1]` are `127.0.0.1`) and in every zone. `*.example.com` stands for names with one part more, as in
    ///     certificates: for `api.example.com`, but neither for `example.com` nor for `a.b.example.com`.
    ///   - pins: one of them has to be fulfilled by the server's certificate, or by one of those that prove it.
    ///   - includesSubdomains: not together with a star.
    ///   - expires: from then on a mismatch is only reported, so that an app which nobody updates goes on working. The device's clock is asked.
    ///   - enforcement: `.reportOnly` to try pins out.
    ///   - backup: `.waived` to do with one pin.
    /// - Throws: ``PinningError/invalidHost(_:)`` or ``PinningError/backupPinMissing(host:)``.
    public init(
        _ host: String,
        pins: some Sequence<CertificatePin>,
        includesSubdomains: Bool = false,
        expires: Date? = nil,
        enforcement: Enforcement = .enforced,
        backup: Backup = .required
    ) throws(PinningError) {
        pattern = try HostPattern(host)
        guard !(pattern.isWildcard && includesSubdomains) else { throw .invalidHost(host) }
        self.host = host
        self.pins = Set(pins)
        self.includesSubdomains = includesSubdomains
        self.expires = expires
        self.enforcement = enforcement
        guard self.pins.count >= (backup == .waived ? 1 : 2) else { throw .backupPinMissing(host: host) }
    }
}
