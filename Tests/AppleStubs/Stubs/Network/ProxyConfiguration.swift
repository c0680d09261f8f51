/// https://developer.apple.com/documentation/network/proxyconfiguration
@available(macOS 14.0, iOS 17.0, watchOS 10.0, tvOS 17.0, *)
public struct ProxyConfiguration: Sendable {
    public var excludedDomains: [String] = []

    /// Harness only: as libcurl names it, and what `applyCredential` was given.
    public private(set) var url: String
    public private(set) var login: (user: String, password: String)?

    public init(socksv5Proxy proxyEndpoint: NWEndpoint) { url = "socks5h://\(proxyEndpoint.text)" }

    public init(httpCONNECTProxy proxyEndpoint: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) {
        url = "\(tlsOptions == nil ? "http" : "https")://\(proxyEndpoint.text)"
    }

    public mutating func applyCredential(username: String, password: String) { login = (username, password) }
}

/// https://developer.apple.com/documentation/network/nwendpoint
public enum NWEndpoint: Sendable {
    case hostPort(host: NWEndpoint.Host, port: NWEndpoint.Port)

    /// https://developer.apple.com/documentation/network/nwendpoint/host
    public struct Host: Sendable {
        let text: String

        public init(_ string: String) { text = string }
    }

    /// https://developer.apple.com/documentation/network/nwendpoint/port
    public struct Port: ExpressibleByIntegerLiteral, Sendable {
        public let rawValue: UInt16

        public init(integerLiteral value: UInt16) { rawValue = value }
        public init?(rawValue: UInt16) { self.rawValue = rawValue }
    }

    var text: String {
        switch self {
        case .hostPort(let host, let port): "\(host.text.contains(":") ? "[\(host.text)]" : host.text):\(port.rawValue)"
        }
    }
}

/// https://developer.apple.com/documentation/network/nwprotocoltls
public enum NWProtocolTLS {
    /// https://developer.apple.com/documentation/network/nwprotocoltls/options
    public final class Options { public init() {} }
}
