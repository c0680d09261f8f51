import AppleLiberties
public import Network
public import Security

/// https://developer.apple.com/documentation/foundation/urlsessionconfiguration
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlsessionconfiguration/multipathservicetype-swift.enum
    public enum MultipathServiceType: Int, Sendable { case none, handover, interactive, aggregate }

    public let identifier: String?
    open var requestCachePolicy: NSURLRequest.CachePolicy = .useProtocolCachePolicy
    open var timeoutIntervalForRequest: TimeInterval = 60
    open var timeoutIntervalForResource: TimeInterval = 604_800
    open var networkServiceType: NSURLRequest.NetworkServiceType = .default
    open var allowsCellularAccess = true
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    open var allowsExpensiveNetworkAccess = true
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    open var allowsConstrainedNetworkAccess = true
    /// The default is not documented.
    @available(macOS 26.1, iOS 26.1, watchOS 26.1, tvOS 26.1, visionOS 26.1, *)
    open var allowsUltraConstrainedNetworkAccess = usesUltraConstrained
    private static let usesUltraConstrained = Liberties.pick("URLSession.ultraConstrained", [false, true])
    @available(macOS 13.0, iOS 16.1, watchOS 9.1, tvOS 16.1, *)
    open var requiresDNSSECValidation = false
    open var waitsForConnectivity = false
    open var isDiscretionary = false
    open var sharedContainerIdentifier: String?
    open var sessionSendsLaunchEvents = true
    open var connectionProxyDictionary: [AnyHashable: Any]?
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    open var tlsMinimumSupportedProtocolVersion = tls_protocol_version_t.TLSv10
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    open var tlsMaximumSupportedProtocolVersion = tls_protocol_version_t.TLSv13
    @available(
        macOS, introduced: 10.9, deprecated: 15.4, message: "Only supported in the classic loader, please adopt HTTP/2"
    )
    open var httpShouldUsePipelining = false
    open var httpShouldSetCookies = true
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy = .onlyFromMainDocumentDomain
    open var httpAdditionalHeaders: [AnyHashable: Any]?
    /// 6, as on macOS (4 on iOS).
    open var httpMaximumConnectionsPerHost = 6
    open var httpCookieStorage: HTTPCookieStorage?
    open var urlCredentialStorage: URLCredentialStorage?
    open var urlCache: URLCache?
    @available(macOS, introduced: 10.11, deprecated: 15.4, message: "Not supported")
    open var shouldUseExtendedBackgroundIdleMode = false
    /// Those of the system stand in it, which are not public.
    open var protocolClasses: [AnyClass]? = [SystemProtocol.self]
    /// On iOS only.
    open var multipathServiceType = MultipathServiceType.none
    @available(macOS 14.0, iOS 17.0, watchOS 10.0, tvOS 17.0, *)
    public var proxyConfigurations: [Network.ProxyConfiguration] = []

    /// Stands for Apple's own, which the sessions here do without.
    private final class SystemProtocol: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { false }
    }

    private init(identifier: String?) { self.identifier = identifier }

    open class var `default`: URLSessionConfiguration {
        let configuration = URLSessionConfiguration(identifier: nil)
        configuration.httpCookieStorage = .shared
        configuration.urlCredentialStorage = .shared
        configuration.urlCache = .shared
        return configuration
    }

    open class var ephemeral: URLSessionConfiguration {
        let configuration = URLSessionConfiguration(identifier: nil)
        // The only way to a store of cookies in memory.
        configuration.httpCookieStorage = FoundationNetworking.URLSessionConfiguration.ephemeral.httpCookieStorage
        configuration.urlCredentialStorage = URLCredentialStorage()
        configuration.urlCache = URLCache(memoryCapacity: 512_000, diskCapacity: 0, diskPath: nil)
        return configuration
    }

    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration(identifier: identifier)
        configuration.httpCookieStorage = .shared
        configuration.urlCredentialStorage = .shared
        return configuration
    }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = URLSessionConfiguration(identifier: identifier)
        give(
            to: copy, \.requestCachePolicy, \.timeoutIntervalForRequest, \.timeoutIntervalForResource,
            \.networkServiceType, \.allowsCellularAccess, \.allowsExpensiveNetworkAccess,
            \.allowsConstrainedNetworkAccess, \.allowsUltraConstrainedNetworkAccess, \.requiresDNSSECValidation,
            \.waitsForConnectivity, \.isDiscretionary, \.sharedContainerIdentifier, \.sessionSendsLaunchEvents,
            \.connectionProxyDictionary, \.tlsMinimumSupportedProtocolVersion, \.tlsMaximumSupportedProtocolVersion,
            \.httpShouldUsePipelining, \.httpShouldSetCookies, \.httpCookieAcceptPolicy, \.httpAdditionalHeaders,
            \.httpMaximumConnectionsPerHost, \.httpCookieStorage, \.urlCredentialStorage, \.urlCache,
            \.shouldUseExtendedBackgroundIdleMode, \.protocolClasses, \.multipathServiceType, \.proxyConfigurations)
        return copy
    }

    private func give<each Value>(
        to other: URLSessionConfiguration, _ paths: repeat ReferenceWritableKeyPath<URLSessionConfiguration, each Value>
    ) { for path in repeat each paths { other[keyPath: path] = self[keyPath: path] } }

    /// As a session keeps it.
    var snapshot: URLSessionConfiguration { copy(with: nil) as? URLSessionConfiguration ?? self }
}
