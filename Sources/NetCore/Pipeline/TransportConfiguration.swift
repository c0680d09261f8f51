/// The settings of a transport, as one value: trust, proxies, cookies, timeouts, limits.
///
/// `transport: .platform(configuration)` makes the platform's transport from it. What a platform cannot do is refused with
/// ``NetworkError/unsupported(_:)`` when the transport is used, never ignored.
///
/// ```swift
/// var configuration = TransportConfiguration()
/// configuration.timeouts.connect = 5
/// configuration.trustPolicy = myPins
/// let client = NetworkClient(transport: .platform(configuration))
/// ```
public struct TransportConfiguration: Sendable {
    /// Asked for every new TLS connection, after the platform's own evaluation.
    public var trustPolicy: (any ServerTrustPolicy)?
    /// Which certificate authorities are trusted.
    public var certificateAuthorities = CertificateAuthorities.system
    /// The certificate with which the client shows who it is. ``clientCertificateHosts`` says to whom.
    public var clientCertificate: ClientCertificate?
    /// The hosts to which ``clientCertificate`` is shown: `api.example.com`, or `api.example.com:8443`. Subdomains are hosts of their own,
    /// and an empty set means no host.
    ///
    /// With nil, the default, the certificate belongs to the origin (scheme, host, port) of the client's base URL, and in a client
    /// without one to the origin at which a call starts. A redirect to another origin never shows it, unless its host is named here.
    public var clientCertificateHosts: Set<String>?
    /// The oldest version of TLS that is accepted.
    public var minimumTLSVersion = TLSVersion.v1_2
    /// Which versions of HTTP may be spoken.
    public var httpVersions = HTTPVersions.automatic
    /// Which proxy to go through.
    public var proxy = ProxyConfiguration.system
    /// Which store keeps the cookies of a client with these settings: see ``CookieStorage/platform``.
    public var cookies = CookieStorage.platform
    /// How long to wait.
    public var timeouts = Timeouts()
    /// How much to accept, and how much to do at once.
    public var limits = Limits()
    /// Whether `gzip`, `deflate`, `br` and `zstd` (as far as the platform has them) are asked for and decoded.
    public var decodesContent = true
    /// The path of a Unix-domain socket to connect to in place of the URL's host and port.
    public var unixSocketPath: String?
    /// Addresses to use in place of a name look-up.
    public var resolveOverrides: [ResolveOverride] = []
    /// Which servers may be connected to; all, unless set. For programs that fetch URLs which others give them.
    public var addressPolicy = AddressPolicy.any
    /// Fields that every request of a client gets, unless it has one of that name. Those that count as credentials (see
    /// ``RequestContext/identity``) go to the origin at which a call starts, and do not follow a redirect to another.
    public var additionalHeaders = HTTPHeaders()
    /// Whether networks may be used that the system holds to be expensive (cellular, hotspots). False is refused where the
    /// platform cannot tell.
    public var allowsExpensiveNetworkAccess = true
    /// Whether networks may be used in low-data mode. False is refused where the platform cannot tell.
    public var allowsConstrainedNetworkAccess = true

    /// The defaults: the system's trust, TLS 1.2 or later, HTTP/2 where the server has it, the system's proxy, the
    /// platform's cookies.
    public init() {}

    /// How long to wait, in seconds. Nil or a number that is not above zero means no limit of this kind.
    public struct Timeouts: Hashable, Sendable {
        /// Until the connection is there: name look-up, TCP and TLS.
        public var connect: TimeInterval? = 30
        /// Without any byte coming or going. The request's own `timeoutInterval` stands beside it, and the shorter one
        /// counts; but one of 60 s, which is what a request has when nobody sets it, gives way to this.
        public var idle: TimeInterval?
        /// For one exchange as a whole, body included.
        public var total: TimeInterval?

        /// The defaults.
        public init() {}
    }

    /// How much to accept, and how much to do at once.
    public struct Limits: Hashable, Sendable {
        /// Connections to one host and port at the same time (1 or more). Requests beyond it wait in order, and their
        /// timeouts start when their turn comes. HTTP/2 sends many requests over each.
        public var connectionsPerHost = 32
        /// Idle connections that are kept open for reuse, over all hosts.
        public var idleConnections = 256
        /// Exchanges that run at the same time, over all hosts (1 or more). Requests beyond it wait, the urgent ones first, and their idle
        /// and total timeouts start when their turn comes. While another origin waits, one origin gets at most half of the places.
        /// WebSockets take none. `URLSession` has no such limit: `URLSessionTransport` refuses another value than the default.
        public var concurrentExchanges = 512
        /// The largest header section of a response, in bytes.
        public var headerBytes = 256 * 1024
        /// The largest body after decoding a `Content-Encoding`, in bytes: what a small reply can unfold to. It does not
        /// limit bodies that are sent as they are.
        public var decodedBodyBytes = 1 << 30
        /// How much of a streamed body is kept ready for its reader, in bytes. When it is full the server has to wait.
        public var streamBufferBytes = 128 * 1024

        /// The defaults.
        public init() {}
    }
}

/// Which certificate authorities are trusted.
public enum CertificateAuthorities: Hashable, Sendable {
    /// Those of the system.
    case system
    /// Only these: certificates in PEM (RFC 7468), one or more.
    case only(pem: Data)
    /// Only those in this PEM file.
    case onlyFile(URL)
}

/// A certificate with its key, with which a client shows who it is (mutual TLS).
///
/// Its description shows neither key nor password.
public enum ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Certificate (with its chain, if there is one) and key in PEM; the password is for an encrypted key.
    case pem(certificate: Data, key: Data, password: String?)
    /// Both in a PKCS#12 archive (RFC 7292).
    case pkcs12(Data, password: String?)

    /// The format.
    public var description: String {
        switch self {
        case .pem: "ClientCertificate(PEM)"
        case .pkcs12: "ClientCertificate(PKCS#12)"
        }
    }

    /// Shows nothing of the content, so that `dump` does not either.
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

    /// Older is less.
    public static func < (lhs: TLSVersion, rhs: TLSVersion) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Which versions of HTTP may be spoken.
public enum HTTPVersions: Hashable, Sendable {
    /// HTTP/2 over TLS where the server agrees (ALPN), else HTTP/1.1.
    case automatic
    /// HTTP/1.1 only.
    case http1Only
}

/// Which proxy to go through.
public enum ProxyConfiguration: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// As the system says; on Linux, the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    case system
    /// None, whatever the system says.
    case none
    /// This HTTP proxy; `https` URLs go through it by CONNECT. Hosts in `exceptions` (names, which cover their subdomains)
    /// are reached directly.
    case http(host: String, port: Int, username: String? = nil, password: String? = nil, exceptions: [String] = [])

    /// Kind, host and port; no credentials.
    public var description: String {
        switch self {
        case .system: "system"
        case .none: "none"
        case .http(let host, let port, _, _, _): "http://\(host):\(port)"
        }
    }

    /// Shows no credentials, so that `dump` does not either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// Which store keeps cookies (RFC 6265bis).
public enum CookieStorage: Hashable, Sendable {
    /// The store of the process: on Apple's systems `HTTPCookieStorage.shared`, elsewhere one in memory.
    case shared
    /// A store in memory, for the clients of one transport.
    case memory
    /// No store: cookies are neither kept nor sent.
    case off
    /// A store that also keeps persistent cookies in this file, readable by its owner only.
    case file(URL)

    /// The default: ``shared`` on Apple's systems, as `URLSession` has it, and ``memory`` elsewhere.
    public static var platform: CookieStorage {
        #if canImport(Darwin)
            .shared
        #else
            .memory
        #endif
    }
}

/// An address to use in place of a name look-up, for one host and port.
public struct ResolveOverride: Hashable, Sendable {
    /// The host as in the URL.
    public var host: String
    /// The port, explicit or by the scheme.
    public var port: Int
    /// The addresses to try: IPv4 or IPv6, as text without brackets.
    public var addresses: [String]

    /// An override.
    public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }
}

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
