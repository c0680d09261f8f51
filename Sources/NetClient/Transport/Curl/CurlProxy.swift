#if os(Linux)
    import NetCore

    /// Whether a request goes through a proxy, for the errors: libcurl itself says so only since 8.7.
    enum CurlProxy {
        /// Upper-case `HTTP_PROXY` is left out, as libcurl does: a web server sets it from a request's `Proxy` header.
        private static let variables = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

        static var environmentNamesOne: Bool {
            variables.contains { value(of: $0) != nil }
        }

        /// Whether one of them is itself reached by TLS.
        static var environmentNamesTLS: Bool {
            variables.contains { value(of: $0)?.lowercased().hasPrefix("https:") ?? false }
        }

        static func isUsed(for url: URL?, _ proxy: ProxyConfiguration) -> Bool {
            guard let url, let host = url.host?.lowercased() else { return false }
            switch proxy {
            case .none: return false
            case .http(_, _, _, _, let exceptions): return !isExcepted(host, exceptions)
            case .system:
                let scheme = url.scheme?.lowercased() ?? ""
                let names = scheme == "https" ? variables.dropFirst() : variables[0...0] + variables[3...]
                guard names.contains(where: { value(of: $0) != nil }) else { return false }
                let list = value(of: "no_proxy") ?? value(of: "NO_PROXY") ?? ""
                return !isExcepted(host, list.split { $0 == "," || $0 == " " }.map(String.init))
            }
        }

        private static func isExcepted(_ host: String, _ exceptions: [String]) -> Bool {
            exceptions.contains { exception in
                let name = exception.lowercased().drop { $0 == "." }
                return name == "*" || host == name || host.hasSuffix("." + name)
            }
        }

        private static func value(of variable: String) -> String? {
            guard let text = getenv(variable), text.pointee != 0 else { return nil }
            return String(cString: text)
        }
    }
#endif
