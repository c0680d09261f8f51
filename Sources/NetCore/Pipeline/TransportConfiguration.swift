/// The settings of a transport: trust, proxies, cookies, timeouts, limits.
///
/// `transport: .platform(configuration)` creates the platform's transport. A setting that the platform does not support makes the transport
/// throw ``NetworkError/unsupported(_:)`` when it is used; none is ignored.
///
/// ```swift
/// var configuration = TransportConfiguration()
/// configuration.timeouts.connect = 5
/// configuration.trustPolicy = myPins
/// let client = NetworkClient(transport: .platform(configuration))
/// ```
public struct TransportConfiguration: Sendable {
    /// Evaluates the server of every new TLS connection, after the platform's own evaluation.
    public var trustPolicy: (any ServerTrustPolicy)?
    public var certificateAuthorities = TransportConfiguration.CertificateAuthorities.system
    /// The servers whose certificates need not be trusted, for development only. None by default.
    public var developmentServers = TransportConfiguration.DevelopmentServers.none
    /// The client's certificate. ``clientCertificateHosts`` selects the servers that see it.
    public var clientCertificate: TransportConfiguration.ClientCertificate?
    /// The hosts that see ``clientCertificate``: `api.example.com`, or `api.example.com:8443`. Subdomains are not included. Empty means no host.
    ///
    /// With nil, the default, the certificate belongs to the origin (scheme, host, port) of the client's base URL, or without a base URL
    /// to the origin at which a call starts. A redirect to another origin never presents it, unless that host is listed here.
    public var clientCertificateHosts: Set<String>?
    /// The oldest accepted version of TLS.
    public var minimumTLSVersion = TransportConfiguration.TLSVersion.v1_2
    public var httpVersions = TransportConfiguration.HTTPVersions.automatic
    public var proxy = TransportConfiguration.Proxy.system
    /// The cookie store of a client with these settings.
    public var cookies = TransportConfiguration.CookieStorage.platform
    public var timeouts = Timeouts()
    public var limits = Limits()
    /// Whether `gzip`, `deflate`, `br` and `zstd` (as far as the platform supports them) are requested and decoded.
    public var decodesContent = true
    /// The path of a Unix-domain socket to connect to instead of the URL's host and port.
    public var unixSocketPath: String?
    /// Addresses that replace a name lookup.
    public var resolveOverrides: [TransportConfiguration.ResolveOverride] = []
    /// Looks up host names in place of the system's resolver. ``resolveOverrides`` win over it.
    public var resolver: TransportConfiguration.Resolver?
    /// The `https` URL of a server for DNS over HTTPS (RFC 8484), which looks up host names in place of the system's resolver.
    ///
    /// If it does not answer, requests fail with ``TransportError/Code/nameNotResolved``, and ``TransportError/resolverError`` is the cause; the
    /// system's resolver is not asked instead. That looks up only the DoH server's own name, so prefer a URL with an address. An answer is kept as
    /// long as its records allow, at most a minute. A ``proxy`` cannot be combined with it. ``certificateAuthorities`` verify the server.
    /// ``trustPolicy``, ``clientCertificate``, ``addressPolicy``, ``addressFamily`` and ``localAddress`` do not apply to it.
    public var dnsOverHTTPS: URL?
    /// The addresses to connect to: IPv4, IPv6 or both, also for a URL with an address.
    public var addressFamily = TransportConfiguration.AddressFamily.any
    /// The local address (`192.0.2.7`) or network interface (`eth1`) of connections. Nil lets the system choose. Name lookups are not bound to it.
    public var localAddress: String?
    /// The servers that the transport may connect to; all by default. For programs that fetch URLs from untrusted sources.
    public var addressPolicy = TransportConfiguration.AddressPolicy.any
    /// Fields that every request of a client gets, unless it has one of the same name. Fields that count as credentials (see
    /// ``RequestContext/identity``) go to the origin at which a call starts, and do not follow a redirect to another.
    public var additionalHeaders = HTTPHeaders()
    /// Whether networks may be used that the system considers expensive (cellular, hotspots). Platforms that cannot tell refuse false.
    public var allowsExpensiveNetworkAccess = true
    /// Whether networks may be used in low-data mode. Platforms that cannot tell refuse false.
    public var allowsConstrainedNetworkAccess = true
    /// Whether networks may be used that the system considers ultra-constrained, such as a carrier's satellites. Nil leaves it to the system.
    /// It has an effect from iOS 26.1 on. Platforms that cannot tell refuse a value.
    public var allowsUltraConstrainedNetworkAccess: Bool?
    /// How connections use several networks (Multipath TCP, RFC 8684). iOS only, with the entitlement `com.apple.developer.networking.multipath`.
    public var multipath = TransportConfiguration.Multipath.none
    /// The kind of traffic, by which the system and the network choose between connections. Apple platforms only.
    public var serviceType = TransportConfiguration.ServiceType.default

    /// Creates the defaults, which stand at each setting.
    public init() {}

    /// Timeouts in seconds. Nil or a number that is not above zero means no limit.
    public struct Timeouts: Hashable, Sendable {
        /// The longest time to connect: name lookup, TCP and TLS.
        public var connect: TimeInterval? = 30
        /// The longest time without a byte in either direction. The shorter of this and the request's `timeoutInterval` counts, but a
        /// `timeoutInterval` of 60 s, the default of a request, gives way to this one.
        public var idle: TimeInterval?
        /// The longest time for one exchange, including the body.
        public var total: TimeInterval?

        public init() {}
    }

    /// Limits on sizes and on concurrency.
    public struct Limits: Hashable, Sendable {
        /// Concurrent connections to one host and port (1 or more). Further requests wait in order, and their timeouts start after the wait. HTTP/2
        /// sends many requests over each connection.
        public var connectionsPerHost = 32
        /// The most idle connections kept for reuse, over all hosts. Connections in use do not count. `CurlTransport` closes a surplus
        /// connection a second after it became idle. `URLSessionTransport` refuses a value other than the default.
        public var idleConnections = 256
        /// Concurrent exchanges over all hosts (1 or more). Further requests wait in order of priority, and their idle and total timeouts
        /// start after the wait. While another origin waits, one origin gets at most half of the places. WebSockets take none.
        /// `URLSession` has no such limit: `URLSessionTransport` refuses a value other than the default.
        public var concurrentExchanges = 512
        /// The largest header section of a response, in bytes.
        public var headerBytes = 256 * 1024
        /// The largest body after decoding a `Content-Encoding`, in bytes, against decompression bombs. It does not limit bodies without a coding.
        public var decodedBodyBytes = 1 << 30
        /// The buffered bytes of a streamed body. The server has to wait while the buffer is full.
        public var streamBufferBytes = 128 * 1024

        public init() {}
    }

    /// The certificate authorities to trust.
    public enum CertificateAuthorities: Hashable, Sendable {
        case system
        /// Only these: one or more certificates in PEM (RFC 7468).
        case only(pem: Data)
        /// Only those in this PEM file.
        case onlyFile(URL)
    }

    /// A certificate with its key, for mutual TLS. Its description shows neither key nor password.
    public enum ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// Certificate (with its chain, if any) and key in PEM. The password is for an encrypted key.
        case pem(certificate: Data, key: Data, password: String?)
        /// Both in a PKCS#12 archive (RFC 7292).
        case pkcs12(Data, password: String?)

        public var description: String {
            switch self {
            case .pem: "ClientCertificate(PEM)"
            case .pkcs12: "ClientCertificate(PKCS#12)"
            }
        }

        /// Is empty, so that `dump` shows no secret.
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// A version of TLS.
    public enum TLSVersion: Int, Comparable, Sendable, CaseIterable {
        /// TLS 1.0 (deprecated by RFC 8996).
        case v1_0
        /// TLS 1.1 (deprecated by RFC 8996).
        case v1_1
        /// TLS 1.2 (RFC 5246).
        case v1_2
        /// TLS 1.3 (RFC 8446).
        case v1_3

        public static func < (lhs: TransportConfiguration.TLSVersion, rhs: TransportConfiguration.TLSVersion) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
    }

    /// The allowed versions of HTTP.
    public enum HTTPVersions: Hashable, Sendable {
        /// HTTP/2 over TLS if the server supports it (ALPN), else HTTP/1.1.
        case automatic
        case http1Only
        /// HTTP/2 and nothing else: for `http` URLs by prior knowledge (RFC 9113, section 3.3), for `https` URLs by ALPN. Each request to a
        /// server that does not speak it fails with ``TransportError/Code/protocolError`` or a lost connection.
        case http2PriorKnowledge
        /// HTTP/3 (RFC 9114) and nothing else. `CurlTransport` and `URLSessionTransport` refuse it with ``NetworkError/unsupported(_:)``.
        case http3Only
        /// HTTP/3 if the server answers by it, else an older version: on Apple platforms. `CurlTransport` uses ``automatic``, and logs that once.
        case http3Preferred
    }

    /// The addresses that a transport connects to.
    public enum AddressFamily: String, Hashable, Sendable, CaseIterable {
        /// Both, the faster one of a server that has both (RFC 8305).
        case any
        case ipv4Only, ipv6Only
    }

    /// Looks up the addresses of hosts, for service discovery or a name server of your own.
    ///
    /// A transport asks it before each new connection, and not for a request that uses an open one. It caches no answer: the resolver may.
    ///
    /// ```swift
    /// var configuration = TransportConfiguration()
    /// configuration.resolver = .init(name: "registry") { host, port in
    ///     host == "orders.internal" ? ["10.0.0.7"] : []
    /// }
    /// ```
    ///
    /// An address in a URL is not looked up. The ``addressPolicy`` checks the addresses, and certificates must be valid for the host of the URL.
    public struct Resolver: Sendable {
        /// Distinguishes resolvers in caches: two that lead to different servers need different names.
        public let name: String
        /// Returns the IPv4 and IPv6 addresses to try, as text without brackets, or throws.
        ///
        /// The call counts towards ``Timeouts/connect``, and its task is cancelled with the request. An error, an empty list and text that is
        /// not an address fail the request with ``TransportError/Code/nameNotResolved``, whose ``TransportError/resolverError`` is the error.
        public let addresses: @Sendable (_ host: String, _ port: Int) async throws -> [String]

        /// Creates a resolver. `addresses` is called on any thread, with the host in lower case and the port of the URL.
        public init(
            name: String, addresses: @escaping @Sendable (_ host: String, _ port: Int) async throws -> [String]
        ) {
            self.name = name
            self.addresses = addresses
        }
    }

    /// A cookie store (RFC 6265bis).
    public enum CookieStorage: Hashable, Sendable {
        /// The store of the process: `HTTPCookieStorage.shared` on Apple platforms, elsewhere one in memory.
        case shared
        /// A store in memory, for the clients of one transport.
        case memory
        /// No store: cookies are neither kept nor sent.
        case off
        /// A store that also keeps persistent cookies in this file, which only its owner can read.
        case file(URL)

        /// The default: ``shared`` on Apple platforms, as `URLSession` has it, and ``memory`` elsewhere.
        public static var platform: TransportConfiguration.CookieStorage {
            #if canImport(Darwin)
                .shared
            #else
                .memory
            #endif
        }
    }

    /// Addresses that replace the lookup of one host and port.
    public struct ResolveOverride: Hashable, Sendable {
        /// The host as in the URL.
        public var host: String
        /// The port, explicit or from the scheme.
        public var port: Int
        /// The addresses to try: IPv4 or IPv6, as text without brackets.
        public var addresses: [String]

        public init(host: String, port: Int, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }

    /// Restricts the servers to connect to. It prevents server-side request forgery (SSRF) in programs that fetch URLs from untrusted sources.
    ///
    /// It is checked for every exchange, including every hop of a redirect, and again for every connection with the resolved address, which prevents
    /// DNS rebinding. A request that it does not allow fails with ``TransportError/Code/addressNotAllowed``, before a connection is opened.
    ///
    /// ```swift
    /// var configuration = TransportConfiguration()
    /// configuration.addressPolicy = .publicOnly
    /// configuration.addressPolicy.allowedAddresses = ["10.20.0.0/16"]
    /// configuration.proxy = .none
    /// ```
    ///
    /// A policy for addresses needs `CurlTransport`, which sees them. A proxy or a Unix-domain socket hides them; both are refused with
    /// ``NetworkError/unsupported(_:)``, as is `URLSession`. A list of hosts alone works with all of them.
    public struct AddressPolicy: Hashable, Sendable {
        /// Whether only public addresses are allowed: not those for loopback, private or shared networks, links, multicast, documentation,
        /// tests or future use (RFC 6890 and IANA's registries). An IPv4 address inside an IPv6 one (mapped, NAT64) counts as the IPv4 address.
        public var requiresPublicAddress = false

        /// The allowed hosts, including their subdomains, or nil for all. Names as in URLs (`xn--…` beyond ASCII), or addresses.
        public var allowedHosts: Set<String>?

        /// Addresses that are always allowed: `"127.0.0.1"`, `"10.0.0.0/8"`, `"fd00::/8"`. A malformed one is refused when the transport is used.
        public var allowedAddresses: [String] = []

        /// Creates a policy that allows everything.
        public init() {}

        /// Allows everything.
        public static let any = TransportConfiguration.AddressPolicy()

        /// Allows public addresses only.
        public static var publicOnly: TransportConfiguration.AddressPolicy {
            var policy = TransportConfiguration.AddressPolicy()
            policy.requiresPublicAddress = true
            return policy
        }
    }

    /// How a connection uses several networks, as in `URLSessionConfiguration.MultipathServiceType`.
    public enum Multipath: Hashable, Sendable, CaseIterable {
        /// One network.
        case none
        /// Continues over the other network when the first one fails.
        case handover
        /// Uses the network with the shorter delay.
        case interactive
        /// Uses all networks at once. For development only.
        case aggregate
    }

    /// The kind of traffic, as in `NSURLRequest.NetworkServiceType`.
    public enum ServiceType: Hashable, Sendable, CaseIterable {
        case `default`
        /// Transfers that the user does not wait for.
        case background
        case video, voice
    }
}

/// Decides whether to trust a server, after the platform has validated its certificates.
///
/// The transport asks it for every new connection, before it sends any byte of a request. A policy can only refuse: what the platform rejects stays
/// rejected. `CurlTransport` and Apple's `URLSessionTransport` enforce it. `URLSessionTransport` on Linux cannot, and refuses requests with
/// ``NetworkError/unsupported(_:)``.
public protocol ServerTrustPolicy: Sendable {
    /// Returns if the server is trusted. It runs on the transport's thread, so decide without waiting.
    ///
    /// - Parameters:
    ///   - chain: the server's certificate and its issuers.
    ///   - host: the request's host, in lower case, without port.
    /// - Throws: an error to refuse. The call fails with ``NetworkError/pinningFailed(host:)`` and that error as its underlying one.
    func evaluate(_ chain: CertificateChain, host: String) throws
}

/// A server's certificate and its issuers, in DER (ITU-T X.690), without `SecTrust`.
///
/// It holds only certificates that signed the server's, directly or through others. Others prove nothing, since any server can send them.
public struct CertificateChain: Hashable, Sendable {
    /// The certificates, the server's own ("leaf") first. The root is included on Apple platforms; on Linux only if the server sends it (rare).
    public let certificates: [Data]

    public init(certificates: [Data]) { self.certificates = certificates }

    /// The server's own certificate.
    public var leaf: Data? { certificates.first }
}

/// A `URLSession` delegate that wraps a policy, so that a transport can take over the policy and report why it refused.
package protocol TrustPolicyHolder: AnyObject { var trustPolicy: any ServerTrustPolicy { get } }
