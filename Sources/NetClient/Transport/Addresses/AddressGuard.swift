import NetCore

/// An ``AddressPolicy``, ready to be asked.
struct AddressGuard: Sendable {
    private let requiresPublicAddress: Bool
    private let hosts: Set<String>?
    private let hostAddresses: Set<IPAddress>
    private let ranges: [AddressRange]

    /// Nil if everything is allowed.
    ///
    /// - Throws: ``NetworkError/unsupported(_:)`` for an address that cannot be read.
    init?(_ policy: AddressPolicy) throws {
        ranges = try policy.allowedAddresses.map { text in
            guard let range = AddressRange(text) else {
                throw NetworkError.unsupported(
                    "addressPolicy.allowedAddresses: '\(text.prefix(64).description.onOneLine)' is neither an address nor a "
                        + "range such as 10.0.0.0/8.")
            }
            return range
        }
        guard policy.requiresPublicAddress || policy.allowedHosts != nil else { return nil }
        requiresPublicAddress = policy.requiresPublicAddress
        hosts = policy.allowedHosts.map { Set($0.map(HostName.normalized)) }
        hostAddresses = Set((policy.allowedHosts ?? []).compactMap(IPAddress.init))
    }

    /// Whether the addresses to which names are resolved matter.
    var checksAddresses: Bool { requiresPublicAddress }

    /// Whether there may be a connection to that address.
    func allows(_ address: IPAddress) -> Bool {
        !requiresPublicAddress || isNamed(address) || address.isPublic
    }

    /// Refuses a URL by what it says, before anything is opened.
    ///
    /// - Throws: ``TransportError/Code/addressNotAllowed``.
    func check(_ url: URL?) throws {
        let host = HostName.normalized(url?.host ?? "")
        guard allows(host: host) else { throw Self.refusal(host: host, url: url, phase: .preparing) }
    }

    static func refusal(host: String, url: URL?, phase: TransportError.Phase) -> TransportError {
        TransportError(
            .addressNotAllowed, phase: phase,
            message: "The transport's address policy does not allow \(host.isEmpty ? "this host" : host).", url: url)
    }

    private func allows(host: String) -> Bool {
        if let address = IPAddress(host) {
            guard hosts == nil || hostAddresses.contains(address) || isNamed(address) else { return false }
            return allows(address)
        }
        // It ends like an address and is none: resolvers differ in what they make of it.
        if let last = host.split(separator: ".").last, last.utf8.first?.isDigit == true,
            last.allSatisfy({ $0.isHexDigit || $0 == "x" })
        {
            return false
        }
        guard let hosts else { return true }
        // No name of DNS is longer, and each of its parents is looked up.
        guard host.utf8.count <= 253 else { return false }
        var name = Substring(host)
        while !name.isEmpty {
            if hosts.contains(String(name)) { return true }
            guard let dot = name.firstIndex(of: ".") else { return false }
            name = name[name.index(after: dot)...]
        }
        return false
    }

    private func isNamed(_ address: IPAddress) -> Bool {
        let target = address.target
        return ranges.contains { $0.contains(address) || $0.contains(target) }
    }
}
