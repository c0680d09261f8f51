public import NetCore

extension TransportConfiguration {
    /// Maps the settings of a `URLSessionConfiguration`, for a transport that does not use that session.
    ///
    /// It maps each setting that differs from `URLSessionConfiguration.default`, or from `.ephemeral`. The rest is as in
    /// `TransportConfiguration()`: `.default` gives exactly that, and `.ephemeral` differs only in its own cookies. [Transports](doc:/Guides/Transports)
    /// has the table, property by property.
    ///
    /// ```swift
    /// let session = URLSessionConfiguration.default
    /// session.timeoutIntervalForRequest = 20
    /// session.httpAdditionalHeaders = ["Accept-Language": "de"]
    /// let configuration = try TransportConfiguration(mapping: session)
    /// ```
    ///
    /// - Parameter session: read now. Later changes to it have no effect.
    /// - Throws: ``NetworkError/unsupported(_:)`` for settings that the transports lack, with each property and what to do instead. No
    ///   setting is ignored.
    public init(mapping session: URLSessionConfiguration) throws(NetworkError) {
        try self.init(mapping: session, apartFrom: [])
    }

    /// A setting that is not of a transport. A client may take it over.
    package enum SettingOfClient: String {
        case requestCachePolicy, urlCache
    }

    /// - Parameter own: the settings that the client takes over: they are not refused.
    package init(mapping session: URLSessionConfiguration, apartFrom own: Set<SettingOfClient>) throws(NetworkError) {
        self.init()
        let usual = URLSessionConfiguration.default
        let ownProperties = own.map(\.rawValue)
        var refusals = Self.refused(session, usual).filter { !ownProperties.contains($0.property) }
            .map { Self.refusal(of: $0.property, $0.hint) }
        cookies = TransportConfiguration.CookieStorage(of: session)
        if session.timeoutIntervalForRequest != usual.timeoutIntervalForRequest {
            timeouts.idle = session.timeoutIntervalForRequest
        }
        if session.timeoutIntervalForResource != usual.timeoutIntervalForResource {
            timeouts.total = session.timeoutIntervalForResource
        }
        if session.httpMaximumConnectionsPerHost != usual.httpMaximumConnectionsPerHost {
            limits.connectionsPerHost = session.httpMaximumConnectionsPerHost
        }
        serviceType = ServiceType(session.networkServiceType) ?? .default
        #if canImport(Security)
            mapPlatformSettings(session, usual)
        #endif
        do throws(NetworkError) {
            additionalHeaders = try Self.headers(session.httpAdditionalHeaders)
        } catch {
            refusals.append(error)
        }
        do throws(NetworkError) {
            proxy = try TransportConfiguration.Proxy(mapping: session.connectionProxyDictionary)
        } catch {
            refusals.append(error)
        }
        if refusals.count == 1 { throw refusals[0] }
        let texts = refusals.map { if case .unsupported(let text) = $0 { text } else { "\($0)" } }
        if !texts.isEmpty { throw .unsupported(texts.joined(separator: " ")) }
    }

    /// A property that cannot be mapped if it is set, and what to do instead, as a sentence.
    typealias Refusal = (property: String, isSet: Bool, hint: String)

    static func refusal(of property: String, _ hint: String) -> NetworkError {
        .unsupported("URLSessionConfiguration.\(property) cannot be mapped. \(hint)")
    }

    /// Returns the settings that the transports lack.
    private static func refused(_ session: URLSessionConfiguration, _ usual: URLSessionConfiguration) -> [Refusal] {
        let background =
            "Requests that wait for their response cannot run in a background session. Use .default or .ephemeral."
        let outdated = session as any OutdatedSettings
        let classes = [session, usual].map { ($0.protocolClasses ?? []).map { ObjectIdentifier($0) } }
        let (credentials, cookies) = (session.urlCredentialStorage, session.httpCookieStorage)
        var settings: [Refusal] = [
            ("identifier", session.identifier != nil, background),
            ("isDiscretionary", session.isDiscretionary, background),
            ("sharedContainerIdentifier", session.sharedContainerIdentifier != nil, background),
            ("shouldUseExtendedBackgroundIdleMode", outdated.shouldUseExtendedBackgroundIdleMode, background),
            (
                "requestCachePolicy", session.requestCachePolicy != usual.requestCachePolicy,
                "Transports do not cache. Set a cache policy for the request."
            ),
            (
                "allowsCellularAccess", !session.allowsCellularAccess,
                "Set allowsExpensiveNetworkAccess of TransportConfiguration instead."
            ),
            (
                "httpShouldUsePipelining", outdated.httpShouldUsePipelining,
                "Pipelining is obsolete: HTTP/2 sends requests in parallel."
            ),
            (
                "protocolClasses", classes[0] != classes[1],
                "Only a URLSession uses them. Make one, and use Networking(session:)."
            ),
            (
                "urlCache", session.ownCache != nil,
                "Transports do not cache. Give the client ResponseCache(store: URLCacheStore(cache))."
            ),
            (
                "urlCredentialStorage",
                credentials !== usual.urlCredentialStorage && credentials?.allCredentials.isEmpty == false,
                "Transports do not answer challenges. Give the client an AuthenticationProvider."
            ),
            (
                "httpCookieStorage", cookies !== usual.httpCookieStorage && cookies?.cookies?.isEmpty == false,
                "A client keeps its cookies in a CookieStore. Set them in `client.cookies`, or set a Cookie field."
            ),
            ("timeoutIntervalForRequest", !(session.timeoutIntervalForRequest > 0), "It must be above 0."),
            ("timeoutIntervalForResource", !(session.timeoutIntervalForResource > 0), "It must be above 0."),
            ("httpMaximumConnectionsPerHost", session.httpMaximumConnectionsPerHost <= 0, "It must be 1 or more."),
            (
                "networkServiceType", ServiceType(session.networkServiceType) == nil,
                "Set it to .default, .background, .video or .voice."
            ),
        ]
        #if canImport(Security)
            settings += platformRefusals(session, usual)
        #endif
        return settings.filter(\.isSet)
    }

    private static func headers(_ fields: [AnyHashable: Any]?) throws(NetworkError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in fields ?? [:] {
            guard let name = name as? String, let value = value as? String, HTTPHeader(name: name, value: value).isValid
            else { throw refusal(of: "httpAdditionalHeaders", "A name or a value is not valid in a header.") }
            if name.equalsIgnoringASCIICase("Host") {
                throw refusal(
                    of: "httpAdditionalHeaders[\"\(name)\"]",
                    "Every host would receive it. Set it in the request's headers.")
            }
            headers.add(name: name, value: value)
        }
        return headers
    }
}

/// Reads deprecated settings, which are refused, without a warning for each.
private protocol OutdatedSettings {
    var httpShouldUsePipelining: Bool { get }
    var shouldUseExtendedBackgroundIdleMode: Bool { get }
}

extension URLSessionConfiguration: OutdatedSettings {}

extension TransportConfiguration.CookieStorage {
    /// The storage of a session with this configuration: none, the process's, or its own.
    init(of session: URLSessionConfiguration) {
        if !session.httpShouldSetCookies || session.httpCookieAcceptPolicy == .never || session.httpCookieStorage == nil
        {
            self = .off
        } else {
            self = session.httpCookieStorage === HTTPCookieStorage.shared ? .platform : .memory
        }
    }
}

extension TransportConfiguration.Proxy {
    /// The proxy of a `connectionProxyDictionary`: the system's for nil, and none for a dictionary that enables nothing.
    ///
    /// Only Apple platforms have constants for the keys. The texts are the same everywhere.
    init(mapping dictionary: [AnyHashable: Any]?) throws(NetworkError) {
        self = .system
        guard let dictionary else { return }
        let settings = ProxySettings(dictionary)
        try settings.refuseUnknown()
        let plain = settings.isOn("HTTPEnable")
        guard plain == settings.isOn("HTTPSEnable") else {
            throw Self.refusal(
                "The proxy is the same for http and https. Set both HTTPEnable and HTTPSEnable, or neither.")
        }
        let (username, password) = (settings.text("kCFProxyUsernameKey"), settings.text("kCFProxyPasswordKey"))
        if settings.isOn("SOCKSEnable") {
            guard !plain, let host = settings.text("SOCKSProxy"), let port = settings.port("SOCKSPort"), username == nil
            else {
                throw Self.refusal(
                    "A SOCKS proxy needs SOCKSProxy and SOCKSPort, no HTTP proxy beside it, and no credentials.")
            }
            self = .socks5(host: host, port: port, exceptions: try settings.exceptions())
        } else if plain {
            guard let host = settings.text("HTTPProxy"), let port = settings.port("HTTPPort"),
                settings.text("HTTPSProxy") == host, settings.number("HTTPSPort") == port
            else {
                throw Self.refusal(
                    "The proxy is the same for http and https. Set HTTPProxy and HTTPPort, and HTTPSProxy and HTTPSPort to the same."
                )
            }
            self = .http(
                host: host, port: port, username: username, password: password, exceptions: try settings.exceptions())
        } else {
            self = .none
        }
    }

    fileprivate static func refusal(_ hint: String) -> NetworkError {
        TransportConfiguration.refusal(
            of: "connectionProxyDictionary", hint + " Or set the proxy of TransportConfiguration.")
    }
}

/// A `connectionProxyDictionary`, by its text keys.
private struct ProxySettings {
    private var values: [String: Any] = [:]
    private var hasOtherKeys = false

    init(_ dictionary: [AnyHashable: Any]) {
        for (key, value) in dictionary {
            if let key = key as? String { values[key] = value } else { hasOtherKeys = true }
        }
    }

    func text(_ key: String) -> String? { values[key] as? String }

    func number(_ key: String) -> Int? { (values[key] as? NSNumber)?.intValue ?? values[key] as? Int }

    func port(_ key: String) -> Int? { number(key).flatMap { (1...65_535).contains($0) ? $0 : nil } }

    func isOn(_ key: String) -> Bool { (number(key) ?? 0) != 0 || values[key] as? Bool == true }

    func refuseUnknown() throws(NetworkError) {
        let switches = ["ProxyAutoConfigEnable", "ProxyAutoDiscoveryEnable", "FTPEnable", "RTSPEnable"]
        if let key = switches.first(where: isOn) {
            throw TransportConfiguration.Proxy.refusal("\(key): only HTTP and SOCKS proxies are supported.")
        }
        let known = ["SOCKS", "ProxyAuto", "FTP", "RTSP", "HTTP", "ExceptionsList", "kCFProxyUser", "kCFProxyPass"]
        let unknown = values.keys.sorted().first { key in !known.contains { key.hasPrefix($0) } }
        if hasOtherKeys || unknown != nil {
            throw TransportConfiguration.Proxy.refusal(
                "\(unknown ?? "A key that is not a text"): its meaning is unknown.")
        }
    }

    /// Our exceptions cover subdomains. So a name must appear with its own wildcard: otherwise more hosts than requested would bypass the proxy.
    func exceptions() throws(NetworkError) -> [String] {
        guard let list = values["ExceptionsList"] else { return [] }
        let names = list as? [String] ?? []
        let covered = names.filter { names.contains("*." + $0) }
        guard list is [String], covered.count * 2 == names.count else {
            throw TransportConfiguration.Proxy.refusal(
                "ExceptionsList: an exception covers the subdomains too, so name both \"a.example\" and \"*.a.example\"."
            )
        }
        return covered
    }
}

extension URLSessionConfiguration {
    /// The cache that the app has set; nil for that of `.default` or `.ephemeral`, and for none.
    package var ownCache: URLCache? {
        guard let cache = urlCache, cache !== URLSessionConfiguration.default.urlCache else { return nil }
        // Each ephemeral configuration has a store of its own. Only its sizes identify it.
        let ephemeral = URLSessionConfiguration.ephemeral.urlCache
        return cache.diskCapacity == ephemeral?.diskCapacity && cache.memoryCapacity == ephemeral?.memoryCapacity
            ? nil : cache
    }
}
