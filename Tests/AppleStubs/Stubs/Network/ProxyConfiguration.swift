/// https://developer.apple.com/documentation/network/proxyconfiguration
///
/// The SDK asks only whether there are any; the initialisers, which take endpoints and options of TLS, are left out.
@available(macOS 14.0, iOS 17.0, watchOS 10.0, tvOS 17.0, *)
public struct ProxyConfiguration: Sendable {
    /// https://developer.apple.com/documentation/network/proxyconfiguration/matchdomains
    public var matchDomains: [String] = []
    /// https://developer.apple.com/documentation/network/proxyconfiguration/excludeddomains
    public var excludedDomains: [String] = []
    /// https://developer.apple.com/documentation/network/proxyconfiguration/allowfailover
    public var allowFailover = false

    /// Harness only: stands for any of Apple's initialisers.
    public init() {}
}
