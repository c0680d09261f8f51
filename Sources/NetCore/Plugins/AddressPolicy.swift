/// Which servers a transport may connect to: a guard against forged requests (SSRF), for programs that fetch URLs which others
/// give them.
///
/// It is asked for every exchange, and so for every hop of a redirect; and again for every connection, with the address to
/// which the name was resolved, so that a name that changes its address between check and use gains nothing. What it does
/// not allow fails with ``TransportError/Code/addressNotAllowed``; no connection is opened.
///
/// ```swift
/// var configuration = TransportConfiguration()
/// configuration.addressPolicy = .publicOnly
/// configuration.addressPolicy.allowedAddresses = ["10.20.0.0/16"]
/// configuration.proxy = .none
/// ```
///
/// A policy for addresses needs a transport that sees them: `CurlTransport`. A proxy or a Unix-domain socket would hide them.
/// Both are refused with ``NetworkError/unsupported(_:)``, as is `URLSession`; a list of hosts alone works with all of them.
public struct AddressPolicy: Hashable, Sendable {
    /// Whether only public addresses are allowed: none of this machine (loopback), of private or shared networks, of links,
    /// for multicast, documentation, tests or the future (RFC 6890 and the registries of IANA). An IPv4 address inside an
    /// IPv6 one (mapped, NAT64) counts as what it is.
    public var requiresPublicAddress = false

    /// The hosts that are allowed, with their subdomains; nil for all. Names as they stand in URLs (`xn--…` for others than
    /// ASCII), or addresses.
    public var allowedHosts: Set<String>?

    /// Addresses that are allowed whatever else is said here: `"127.0.0.1"`, `"10.0.0.0/8"`, `"fd00::/8"`. One that cannot be
    /// read is refused when the transport is used.
    public var allowedAddresses: [String] = []

    /// Allows everything: see ``any``.
    public init() {}

    /// Allows everything.
    public static let any = AddressPolicy()

    /// Allows public addresses only.
    public static var publicOnly: AddressPolicy {
        var policy = AddressPolicy()
        policy.requiresPublicAddress = true
        return policy
    }
}
