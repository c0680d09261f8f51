public import NetCore

extension TransportConfiguration {
    /// The settings of a `URLSessionConfiguration` (seeds 000, 001), for a transport that is none of `URLSession`.
    ///
    /// What was changed from `URLSessionConfiguration.default`, or from `.ephemeral`, is taken over; the rest is as in
    /// `TransportConfiguration()`, so `.default` gives just that, and so does `.ephemeral` but for its own cookies. `Docs/Transports.md`
    /// has the table, property by property.
    ///
    /// ```swift
    /// let session = URLSessionConfiguration.default
    /// session.timeoutIntervalForRequest = 20
    /// session.httpAdditionalHeaders = ["Accept-Language": "de"]
    /// let configuration = try TransportConfiguration(mapping: session)
    /// ```
    ///
    /// - Parameter session: read now; later changes to it change nothing.
    /// - Throws: ``NetworkError/unsupported(_:)``, which names the property and what to do instead, for a setting that no
    ///   transport of ours has. Nothing is ignored.
    public init(mapping session: URLSessionConfiguration) throws(NetworkError) {
        self.init()
        let usual = URLSessionConfiguration.default
        try Self.refuseBackground(session)
        try Self.refusePreferences(session, usual)
        try Self.refuseStores(session, usual)
        try mapTimeouts(session, usual)
        try mapConnections(session, usual)
        cookies = CookieStorage(of: session)
        additionalHeaders = try Self.headers(session.httpAdditionalHeaders)
        proxy = try ProxyConfiguration(mapping: session.connectionProxyDictionary)
        try mapPlatformSettings(session, usual)
    }

    /// - Parameter hint: what to do instead, as a sentence.
    static func refusal(of property: String, _ hint: String) -> NetworkError {
        .unsupported("URLSessionConfiguration.\(property) cannot be taken over. \(hint)")
    }

    private static func refuseBackground(_ session: URLSessionConfiguration) throws(NetworkError) {
        let hint = "Requests that wait for their answer cannot run in a background session: use .default or .ephemeral."
        if session.identifier != nil { throw refusal(of: "identifier", hint) }
        if session.isDiscretionary { throw refusal(of: "isDiscretionary", hint) }
        if session.sharedContainerIdentifier != nil { throw refusal(of: "sharedContainerIdentifier", hint) }
        if (session as any OutdatedSettings).shouldUseExtendedBackgroundIdleMode {
            throw refusal(of: "shouldUseExtendedBackgroundIdleMode", hint)
        }
    }

    private static func refusePreferences(
        _ session: URLSessionConfiguration, _ usual: URLSessionConfiguration
    ) throws(NetworkError) {
        if session.requestCachePolicy != usual.requestCachePolicy {
            throw refusal(of: "requestCachePolicy", "Transports cache nothing: set a cache policy for the request.")
        }
        if session.networkServiceType != usual.networkServiceType {
            throw refusal(
                of: "networkServiceType", "Leave it at .default; a request's priority orders those that wait.")
        }
        if !session.allowsCellularAccess {
            throw refusal(
                of: "allowsCellularAccess", "Set allowsExpensiveNetworkAccess of TransportConfiguration instead.")
        }
        if (session as any OutdatedSettings).httpShouldUsePipelining {
            throw refusal(of: "httpShouldUsePipelining", "Nobody pipelines: HTTP/2 sends requests side by side.")
        }
        let classes = (session.protocolClasses ?? []).map { ObjectIdentifier($0) }
        if classes != (usual.protocolClasses ?? []).map({ ObjectIdentifier($0) }) {
            throw refusal(
                of: "protocolClasses", "Only a URLSession asks them: make one of it, and use Networking(session:).")
        }
    }

    private static func refuseStores(
        _ session: URLSessionConfiguration, _ usual: URLSessionConfiguration
    ) throws(NetworkError) {
        if let cache = session.urlCache, cache !== usual.urlCache {
            // Each ephemeral configuration has a store of its own, known by its sizes only.
            let ephemeral = URLSessionConfiguration.ephemeral.urlCache
            guard cache.diskCapacity == ephemeral?.diskCapacity, cache.memoryCapacity == ephemeral?.memoryCapacity
            else {
                throw refusal(of: "urlCache", "Transports cache nothing: give the client a cache.")
            }
        }
        if let credentials = session.urlCredentialStorage, credentials !== usual.urlCredentialStorage,
            !credentials.allCredentials.isEmpty
        {
            throw refusal(
                of: "urlCredentialStorage", "Transports answer no challenge: give the client an AuthenticationProvider."
            )
        }
        if let cookies = session.httpCookieStorage, cookies !== usual.httpCookieStorage,
            cookies.cookies?.isEmpty == false
        {
            throw refusal(
                of: "httpCookieStorage",
                "A client keeps its cookies in a CookieStore: set these in `client.cookies`, or set a Cookie field.")
        }
    }

    private mutating func mapTimeouts(
        _ session: URLSessionConfiguration, _ usual: URLSessionConfiguration
    ) throws(NetworkError) {
        let (idle, total) = (session.timeoutIntervalForRequest, session.timeoutIntervalForResource)
        if idle != usual.timeoutIntervalForRequest {
            guard idle > 0 else { throw Self.refusal(of: "timeoutIntervalForRequest", "It has to be above 0.") }
            timeouts.idle = idle
        }
        if total != usual.timeoutIntervalForResource {
            guard total > 0 else { throw Self.refusal(of: "timeoutIntervalForResource", "It has to be above 0.") }
            timeouts.total = total
        }
    }

    private mutating func mapConnections(
        _ session: URLSessionConfiguration, _ usual: URLSessionConfiguration
    ) throws(NetworkError) {
        let count = session.httpMaximumConnectionsPerHost
        guard count != usual.httpMaximumConnectionsPerHost else { return }
        guard count > 0 else { throw Self.refusal(of: "httpMaximumConnectionsPerHost", "It has to be 1 or more.") }
        limits.connectionsPerHost = count
    }

    private static func headers(_ fields: [AnyHashable: Any]?) throws(NetworkError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in fields ?? [:] {
            guard let name = name as? String, let value = value as? String,
                HTTPHeader(name: name, value: value).isValid
            else {
                throw refusal(of: "httpAdditionalHeaders", "A name or a value is no valid text of a header.")
            }
            if name.equalsIgnoringASCIICase("Host") {
                throw refusal(
                    of: "httpAdditionalHeaders[\"\(name)\"]",
                    "It would go to every host: set it in the request's headers.")
            }
            headers.add(name: name, value: value)
        }
        return headers
    }
}

/// Reads settings that are deprecated, and that are refused for that reason too, without a warning for each.
private protocol OutdatedSettings {
    var httpShouldUsePipelining: Bool { get }
    var shouldUseExtendedBackgroundIdleMode: Bool { get }
}

extension URLSessionConfiguration: OutdatedSettings {}

extension CookieStorage {
    /// Where a session of this configuration keeps its cookies: nowhere, where the process has them, or in a storage of its own.
    init(of session: URLSessionConfiguration) {
        if !session.httpShouldSetCookies || session.httpCookieAcceptPolicy == .never || session.httpCookieStorage == nil
        {
            self = .off
        } else {
            self = session.httpCookieStorage === HTTPCookieStorage.shared ? .platform : .memory
        }
    }
}
