internal import CAppleNetwork
internal import Network
internal import Security

/// A request as libcurl takes it.
struct RequestForm {
    private let url: String
    private let method: String
    private let fields: [String]
    private let hasBody: Bool
    private let length: Int64
    private var proxy: ProxySettings?
    private let logins: Logins
    private let settings: URLSessionConfiguration
    private let connectsOnly: Bool

    /// For a task of HTTP.
    init(_ load: HTTPLoad) {
        let request = load.request
        settings = load.session.settings
        url = request.url?.absoluteString ?? ""
        method = request.httpMethod ?? "GET"
        logins = load.logins
        connectsOnly = false
        var fields = Self.fields(of: request, settings, login: load.logins.basicHeader)
        var length = load.task.body.length
        if load.sendsBody {
            // A stream is as long as its request says.
            if length == nil { length = fields.first { $0.name == "content-length" }.flatMap { Int64($0.value) } }
            if request.httpMethod == "POST", request.httpBody != nil,
                !fields.contains(where: { $0.name == "content-type" })
            {
                fields.append(("content-type", "Content-Type", "application/x-www-form-urlencoded"))
            }
        }
        // Apple sends the length of an empty body with these.
        let isEmpty = !load.sendsBody && ["POST", "PUT", "PATCH"].contains(method)
        hasBody = load.sendsBody || isEmpty
        self.length = isEmpty ? 0 : length ?? -1
        fields.removeAll { ["content-length", "transfer-encoding"].contains($0.name) }
        if let resuming = (load.task as? URLSessionDownloadTask)?.resuming {
            // The ranges are those of the bytes on the wire.
            fields.removeAll { $0.name == "accept-encoding" }
            fields += [
                ("range", "Range", "bytes=\(resuming.count)-"), ("if-range", "If-Range", resuming.validator),
                ("accept-encoding", "Accept-Encoding", "identity"),
            ]
        }
        self.fields = Self.lines(fields) + ["Expect:"]
        proxy = ProxySettings(settings, for: request.url)
    }

    /// For a connection of which the caller makes what it likes.
    init(connectingTo url: URL, _ settings: URLSessionConfiguration) {
        (self.url, self.settings, method, fields) = (url.absoluteString, settings, "GET", [])
        (hasBody, length, logins, connectsOnly) = (false, -1, Logins(), true)
        proxy = ProxySettings(settings, for: url)
    }

    typealias Field = (name: String, spelling: String, value: String)

    /// The request's, the session's, the cookies and what Apple's loader adds.
    static func fields(of request: URLRequest, _ settings: URLSessionConfiguration, login: String?) -> [Field] {
        var fields: [Field] = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map {
            ($0.key.lowercased(), $0.key, $0.value)
        }
        func add(_ name: String, _ value: String) {
            if !fields.contains(where: { $0.name == name.lowercased() }) {
                fields.append((name.lowercased(), name, value))
            }
        }
        for (name, value) in settings.httpAdditionalHeaders ?? [:] {
            if let name = name as? String, let value = value as? String { add(name, value) }
        }
        if let login {
            fields.removeAll { $0.name == "authorization" }
            add("Authorization", login)
        }
        add("User-Agent", "AppleStubs/1 CFNetwork/1568.100.1 Darwin/24.0.0")
        add("Accept", "*/*")
        add("Accept-Language", "en-US,en;q=0.9")
        add("Accept-Encoding", request.url?.scheme == "https" ? "gzip, deflate, br" : "gzip, deflate")
        if let cookies = CookieJar.header(for: request, settings) {
            fields.removeAll { $0.name == "cookie" }
            add("Cookie", cookies)
        }
        return fields
    }

    private static func lines(_ fields: [Field]) -> [String] {
        fields.map { $0.value.isEmpty ? $0.spelling + ";" : "\($0.spelling): \($0.value)" }
    }

    func begin(_ connection: Connection, _ load: any CurlLoad) -> Bool {
        var callbacks = curlCallbacks(load)
        let strings = Strings()
        var form = an_request()
        form.url = strings.keep(url)
        form.method = strings.keep(method)
        form.has_body = hasBody
        form.body_length = length
        form.proxy = strings.keep(proxy?.url)
        form.no_proxy = strings.keep(proxy?.exceptions)
        form.proxy_user = strings.keep(logins.proxy?.user ?? proxy?.login?.user)
        form.proxy_password = strings.keep(logins.proxy?.password ?? proxy?.login?.password)
        form.proxy_digest = logins.proxy?.isDigest ?? false
        form.digest_user = strings.keep(logins.digest?.user)
        form.digest_password = strings.keep(logins.digest?.password)
        form.oldest_tls = Int32(settings.tlsMinimumSupportedProtocolVersion.rawValue)
        form.newest_tls = Int32(settings.tlsMaximumSupportedProtocolVersion.rawValue)
        form.connects_only = connectsOnly
        let lines = fields.map { strings.keep($0) }
        return lines.withUnsafeBufferPointer { lines in
            form.headers = lines.baseAddress
            form.header_count = lines.count
            return an_begin(connection.pointer, &form, &callbacks)
        }
    }

    /// Holds texts for as long as C reads them.
    private final class Strings {
        private var kept: [UnsafeMutablePointer<CChar>] = []

        func keep(_ text: String?) -> UnsafePointer<CChar>? {
            guard let text, let copy = strdup(text) else { return nil }
            kept.append(copy)
            return UnsafePointer(copy)
        }

        deinit { kept.forEach { free($0) } }
    }
}

/// The proxy of a `connectionProxyDictionary` for a URL.
///
/// https://developer.apple.com/documentation/foundation/urlsessionconfiguration/connectionproxydictionary
struct ProxySettings {
    let host: String
    let port: Int
    let exceptions: String
    let url: String
    let login: (user: String, password: String)?

    /// A session's `proxyConfigurations`, else its dictionary.
    init?(_ settings: URLSessionConfiguration, for url: URL?) {
        if let proxy = settings.proxyConfigurations.first {
            self.init(proxy)
        } else {
            self.init(settings.connectionProxyDictionary, for: url)
        }
    }

    private init(_ proxy: ProxyConfiguration) {
        let parts = URLComponents(string: proxy.url)
        (host, port) = (parts?.host ?? "", parts?.port ?? 0)
        exceptions = proxy.excludedDomains.flatMap { [$0, "." + $0] }.joined(separator: ",")
        (url, login) = (proxy.url, proxy.login)
    }

    private init?(_ settings: [AnyHashable: Any]?, for url: URL?) {
        guard let settings, let url else { return nil }
        let isSecure = ["https", "wss"].contains(url.scheme?.lowercased())
        let prefix = isSecure ? "HTTPS" : "HTTP"
        guard (settings["\(prefix)Enable"] as? NSNumber)?.intValue ?? settings["\(prefix)Enable"] as? Int == 1,
            let host = settings["\(prefix)Proxy"] as? String, let port = settings["\(prefix)Port"] as? Int
        else { return nil }
        (self.host, self.port) = (host, port)
        let names = settings["ExceptionsList"] as? [String] ?? []
        exceptions = names.map { $0.hasPrefix("*.") ? String($0.dropFirst(1)) : $0 }.joined(separator: ",")
        self.url = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        login = nil
    }

    /// Whether it stands between us and that URL.
    func serves(_ url: URL?) -> Bool {
        let host = url?.host ?? ""
        return !exceptions.split(separator: ",").contains { host == $0 || ($0.hasPrefix(".") && host.hasSuffix($0)) }
    }
}
