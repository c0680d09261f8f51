/// What FoundationNetworking's `URLRequest` lacks. Kept with the request as what a `URLProtocol` may keep there, which is copied with it and
/// never sent. Unlike Apple's, it does not count when requests are compared.
extension URLRequest {
    /// https://developer.apple.com/documentation/foundation/urlrequest/allowsexpensivenetworkaccess
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public var allowsExpensiveNetworkAccess: Bool {
        get { flag("allowsExpensiveNetworkAccess") ?? true }
        set { setFlag("allowsExpensiveNetworkAccess", newValue) }
    }

    /// https://developer.apple.com/documentation/foundation/urlrequest/allowsconstrainednetworkaccess
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public var allowsConstrainedNetworkAccess: Bool {
        get { flag("allowsConstrainedNetworkAccess") ?? true }
        set { setFlag("allowsConstrainedNetworkAccess", newValue) }
    }

    /// https://developer.apple.com/documentation/foundation/urlrequest/assumeshttp3capable
    @available(macOS 11.3, iOS 14.5, watchOS 7.4, tvOS 14.5, *)
    public var assumesHTTP3Capable: Bool {
        get { flag("assumesHTTP3Capable") ?? false }
        set { setFlag("assumesHTTP3Capable", newValue) }
    }

    /// https://developer.apple.com/documentation/foundation/urlrequest/requiresdnssecvalidation
    @available(macOS 13.0, iOS 16.1, watchOS 9.1, tvOS 16.1, *)
    public var requiresDNSSECValidation: Bool {
        get { flag("requiresDNSSECValidation") ?? false }
        set { setFlag("requiresDNSSECValidation", newValue) }
    }

    private func flag(_ name: String) -> Bool? {
        FoundationNetworking.URLProtocol.property(forKey: "AppleStubs." + name, in: self) as? Bool
    }

    private mutating func setFlag(_ name: String, _ value: Bool) {
        guard let request = (self as NSURLRequest).mutableCopy() as? NSMutableURLRequest else { return }
        FoundationNetworking.URLProtocol.setProperty(value, forKey: "AppleStubs." + name, in: request)
        self = request as URLRequest
    }
}
