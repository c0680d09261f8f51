#if os(Linux)
    import NetTransport

    /// The transports of the soak, each with its route to the server.
    struct SoakServers: Sendable {
        struct Route: Sendable {
            let name: String
            let base: URL
            let transport: CurlTransport
        }

        let routes: [Route]

        init(plain: String, tls: String, http2: String, authority: String) throws {
            func route(
                _ name: String, _ address: String, _ change: (inout TransportConfiguration) -> Void = { _ in }
            ) throws -> Route {
                guard let base = URL(string: address) else { throw NetworkError.invalidURL }
                var configuration = TransportConfiguration()
                configuration.certificateAuthorities = .onlyFile(URL(fileURLWithPath: authority))
                // A stall must not end by its own timeout before it is told.
                configuration.timeouts.idle = 120
                configuration.limits.connectionsPerHost = 6
                change(&configuration)
                return Route(name: name, base: base, transport: CurlTransport(configuration: configuration))
            }
            routes = [
                try route("HTTP/1.1", plain), try route("HTTP/1.1 with TLS", tls) { $0.httpVersions = .http1Only },
                try route("HTTP/2 with TLS", tls),
                try route("HTTP/2 without TLS", http2) { $0.httpVersions = .http2PriorKnowledge },
            ]
        }

        func shutdown() async { for route in routes { await route.transport.shutdown() } }
    }
#endif
