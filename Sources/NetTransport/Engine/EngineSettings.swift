#if os(Linux)
    import NetCore

    /// The settings that each request reads, apart from the configuration: copying the whole retains and releases its many parts.
    struct EngineSettings: Sendable {
        let decodesContent: Bool
        let idleTimeout: TimeInterval?
        let totalTimeout: TimeInterval?
        let headerBytes: Int
        let decodedBodyBytes: Int
        let streamBufferBytes: Int
        /// The time to connect, at least 1.
        let connectMilliseconds: Int
        /// Whether only HTTP/2 may be spoken, also without TLS.
        let requiresHTTP2: Bool

        init(_ configuration: TransportConfiguration) {
            decodesContent = configuration.decodesContent
            idleTimeout = configuration.timeouts.idle
            totalTimeout = configuration.timeouts.total
            headerBytes = max(0, configuration.limits.headerBytes)
            decodedBodyBytes = max(0, configuration.limits.decodedBodyBytes)
            connectMilliseconds = Self.milliseconds(toConnect: configuration.timeouts.connect)
            requiresHTTP2 = configuration.httpVersions == .http2PriorKnowledge
            // The window of an HTTP/2 stream is a multiple of this, and windows are limited to 2^31 - 1 (RFC 9113, section 6.9.1).
            streamBufferBytes = min(max(1, configuration.limits.streamBufferBytes), 1 << 28)
        }

        /// Returns at least 1, and the largest number for no limit: for nil, and for a number of seconds that is not above zero.
        static func milliseconds(toConnect seconds: TimeInterval?) -> Int {
            guard let seconds, seconds > 0, seconds < 1e6 else { return Int(Int32.max) }
            return max(1, Int(seconds * 1000))
        }
    }

    extension Engine {
        /// Why settings cannot be enforced together; nil if they can.
        static func conflict(in configuration: TransportConfiguration, checksAddresses: Bool, isProxied: Bool)
            -> NetworkError?
        {
            let settings = [
                ("addressPolicy", checksAddresses), ("resolver", configuration.resolver != nil),
                ("dnsOverHTTPS", configuration.dnsOverHTTPS != nil),
                ("addressFamily", configuration.addressFamily != .any),
                ("localAddress", configuration.localAddress != nil),
            ]
            if configuration.unixSocketPath != nil, let (name, _) = settings.first(where: \.1) {
                return .unsupported("\(name) has no meaning for a Unix-domain socket. Set one of the two.")
            }
            if configuration.resolver != nil, configuration.localAddress.flatMap({ IPAddress($0) }) != nil {
                return .unsupported("libcurl would ask the resolver for localAddress too. Name the interface instead.")
            }
            if configuration.dnsOverHTTPS != nil, configuration.resolver != nil {
                return .unsupported("resolver and dnsOverHTTPS both look up names. Set one of the two.")
            }
            guard isProxied, let (name, _) = settings.prefix(3).first(where: \.1) else { return nil }
            return .unsupported(
                "A proxy connects to the server in place of this transport, so \(name) cannot be enforced. Set proxy to .none, "
                    + "or configure the proxy.")
        }
    }
#endif
