public import NetCore

extension PinningPolicy {
    /// The pins of a host.
    ///
    /// ```swift
    /// let host = try PinningPolicy.Host("api.example.com", pins: pins, includesSubdomains: true, expires: endOfLife)
    /// ```
    public struct Host: Hashable, Sendable {
        /// Whether a host needs a second pin.
        public enum Backup: Hashable, Sendable {
            /// At least two different pins, so that a lost key does not cut off every installed app.
            case required
            /// One pin is enough. The caller accepts what happens if that key is lost.
            case waived
        }

        /// What happens to a connection that fulfils no pin.
        public enum Enforcement: Hashable, Sendable {
            /// The connection is refused and reported.
            case enforced
            /// The connection is reported and used.
            case reportOnly
        }

        /// The host as it was written: `api.example.com`, or `*.example.com`.
        public let host: String
        /// The server must fulfil one of these.
        public let pins: Set<PinningPolicy.Pin>
        /// Whether the pins also apply to all subdomains, at any depth, unless those have pins of their own.
        public let includesSubdomains: Bool
        /// When a mismatch begins to be only reported; nil for never.
        public let expires: Date?
        /// What happens to a connection that fulfils no pin, until ``expires``.
        public let enforcement: Enforcement

        let pattern: HostPattern

        /// Pins for a host.
        ///
        /// - Parameters:
        ///   - host: a name in ASCII (`xn--…` for other letters), or an address. Pins of an address apply to every spelling of it (`127.1` and
        ///     `[::ffff:7f00:1]` are `127.0.0.1`) and to every zone. `*.example.com` stands for names with one more label, as in certificates:
        ///     for `api.example.com`, but neither for `example.com` nor for `a.b.example.com`.
        ///   - pins: a certificate of the server's chain must match one of these.
        ///   - includesSubdomains: cannot be combined with a star.
        ///   - expires: from then on a mismatch is only reported, so that an app that is never updated continues to work. Measured by the device's clock.
        ///   - enforcement: `.reportOnly` to try pins out.
        ///   - backup: `.waived` to allow a single pin.
        /// - Throws: ``PinningError/invalidHost(_:)`` or ``PinningError/backupPinMissing(host:)``.
        public init(
            _ host: String, pins: some Sequence<PinningPolicy.Pin>, includesSubdomains: Bool = false,
            expires: Date? = nil,
            enforcement: Enforcement = .enforced, backup: Backup = .required
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
}

/// A host, or with a star the hosts one label below it.
struct HostPattern: Hashable {
    /// The name without the star, as ``HostName/normalized(_:)`` spells it.
    let name: String
    var isWildcard = false
}

extension HostPattern {
    init(_ text: String) throws(PinningError) {
        let isWildcard = text.hasPrefix("*.")
        let name = HostName.normalized(isWildcard ? String(text.dropFirst(2)) : text)
        guard IPAddress(name) == nil ? Self.isName(name) : !isWildcard else { throw .invalidHost(text) }
        self.init(name: name, isWildcard: isWildcard)
    }

    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.utf8.count <= 63
                    && label.utf8.allSatisfy { $0.isLower || $0.isDigit || "-_".utf8.contains($0) }
            }
    }
}
