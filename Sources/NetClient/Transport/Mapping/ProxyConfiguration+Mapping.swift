import NetCore

extension ProxyConfiguration {
    /// The proxy of a `connectionProxyDictionary`: nil is the system's, and one that switches nothing on is none.
    ///
    /// The keys have constants on Apple's systems only; the text is the same everywhere.
    init(mapping dictionary: [AnyHashable: Any]?) throws(NetworkError) {
        guard let dictionary else {
            self = .system
            return
        }
        let settings = Settings(dictionary)
        try settings.refuseUnknown()
        let plain = settings.isOn("HTTPEnable")
        guard plain == settings.isOn("HTTPSEnable") else {
            throw Self.refusal(
                "Our proxies are for http and https alike: set both HTTPEnable and HTTPSEnable, or neither.")
        }
        guard plain else {
            self = .none
            return
        }
        guard let host = settings.text("HTTPProxy"), let port = settings.number("HTTPPort"),
            (1...65_535).contains(port),
            settings.text("HTTPSProxy") == host, settings.number("HTTPSPort") == port
        else {
            throw Self.refusal(
                "Our proxies are for http and https alike: set HTTPProxy and HTTPPort, and HTTPSProxy and HTTPSPort to the same."
            )
        }
        self = .http(
            host: host, port: port, username: settings.text("kCFProxyUsernameKey"),
            password: settings.text("kCFProxyPasswordKey"), exceptions: try settings.exceptions())
    }

    fileprivate static func refusal(_ hint: String) -> NetworkError {
        TransportConfiguration.refusal(
            of: "connectionProxyDictionary", hint + " Or set the proxy of TransportConfiguration.")
    }
}

private struct Settings {
    private var values: [String: Any] = [:]
    private var hasOtherKeys = false

    init(_ dictionary: [AnyHashable: Any]) {
        for (key, value) in dictionary {
            if let key = key as? String {
                values[key] = value
            } else {
                hasOtherKeys = true
            }
        }
    }

    func text(_ key: String) -> String? { values[key] as? String }

    func number(_ key: String) -> Int? { (values[key] as? NSNumber)?.intValue ?? values[key] as? Int }

    func isOn(_ key: String) -> Bool { (number(key) ?? 0) != 0 || values[key] as? Bool == true }

    func refuseUnknown() throws(NetworkError) {
        let switches = ["SOCKSEnable", "ProxyAutoConfigEnable", "ProxyAutoDiscoveryEnable", "FTPEnable", "RTSPEnable"]
        if let key = switches.first(where: isOn) {
            throw ProxyConfiguration.refusal("\(key): only HTTP proxies are known.")
        }
        let known = ["SOCKS", "ProxyAuto", "FTP", "RTSP", "HTTP", "ExceptionsList", "kCFProxyUser", "kCFProxyPass"]
        let unknown = values.keys.sorted().first { key in !known.contains { key.hasPrefix($0) } }
        if hasOtherKeys || unknown != nil {
            throw ProxyConfiguration.refusal("\(unknown ?? "A key that is no text"): its meaning is not known.")
        }
    }

    /// Ours cover subdomains, so a name has to stand beside its own wildcard: more than was asked for must not go past the
    /// proxy.
    func exceptions() throws(NetworkError) -> [String] {
        guard let list = values["ExceptionsList"] else { return [] }
        let names = list as? [String] ?? []
        let covered = names.filter { names.contains("*." + $0) }
        guard list is [String], covered.count * 2 == names.count else {
            throw ProxyConfiguration.refusal(
                "ExceptionsList: an exception covers the subdomains too, so name both \"a.example\" and \"*.a.example\"."
            )
        }
        return covered
    }
}
