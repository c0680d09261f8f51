extension TransportConformance {
    /// TLS and HTTP/2. These need servers that the suite cannot start by itself.
    static let securityChecks: [Check] = [
        Check(.http2, "speaks HTTP/2 where the server agrees, and HTTP/1.1 where it is told to", overHTTP2: false) {
            bench in
            let url = try bench.need(bench.servers.http2, "http2").appendingPathComponent("small")
            let authority = try bench.need(bench.servers.authority, "authority")
            for (versions, expected) in [(HTTPVersions.automatic, HTTPVersion.http2), (.http1Only, .http1_1)] {
                let transport = try bench.transport {
                    $0.certificateAuthorities = .only(pem: authority)
                    $0.httpVersions = versions
                }
                let (response, _) = try await bench.collect(bench.request(url), over: transport)
                try bench.expect(response.version, equals: expected, "version")
            }
        },
        Check(.customAuthority, "trusts the authority given, and no other", overHTTP2: false) { bench in
            let url = try bench.need(bench.servers.tls, "tls").appendingPathComponent("small")
            let authority = try bench.need(bench.servers.authority, "authority")
            let other = try bench.need(bench.servers.otherAuthority, "otherAuthority")
            let good = try bench.transport { $0.certificateAuthorities = .only(pem: authority) }
            try bench.expect(
                try await bench.collect(bench.request(url), over: good).response.status, equals: 200, "status")
            for authorities in [CertificateAuthorities.only(pem: other), .system] {
                let bad = try bench.transport { $0.certificateAuthorities = authorities }
                try await bench.expectFailure(.certificateUntrusted, of: bench.request(url), over: bad)
            }
        },
        Check(.clientCertificate, "shows its certificate where one is demanded", overHTTP2: false) { bench in
            let url = try bench.need(bench.servers.mutualTLS, "mutualTLS").appendingPathComponent("small")
            let authority = try bench.need(bench.servers.authority, "authority")
            let identity = try bench.need(bench.servers.clientCertificate, "clientCertificate")
            for (certificate, status) in [(identity as ClientCertificate?, 200), (nil, 400)] {
                let transport = try bench.transport {
                    $0.certificateAuthorities = .only(pem: authority)
                    $0.clientCertificate = certificate
                }
                let (response, _) = try await bench.collect(bench.request(url), over: transport)
                try bench.expect(response.status, equals: status, "status")
            }
        },
        Check(.minimumTLS, "refuses a server that is too old", overHTTP2: false) { bench in
            let url = try bench.need(bench.servers.legacyTLS, "legacyTLS").appendingPathComponent("small")
            let authority = try bench.need(bench.servers.authority, "authority")
            let transport = try bench.transport {
                $0.certificateAuthorities = .only(pem: authority)
                $0.minimumTLSVersion = .v1_3
            }
            try await bench.expectFailure(.tlsHandshakeFailed, of: bench.request(url), over: transport)
        },
        Check(.serverTrust, "asks the policy once for each connection, with the server's certificate", overHTTP2: false)
        { bench in
            let url = try bench.need(bench.servers.tls, "tls").appendingPathComponent("small")
            let authority = try bench.need(bench.servers.authority, "authority")
            let certificate = try bench.need(bench.servers.serverCertificate, "serverCertificate")
            let policy = JournalingPolicy(refuses: false)
            let transport = try bench.transport {
                $0.certificateAuthorities = .only(pem: authority)
                $0.trustPolicy = policy
            }
            for _ in 0..<3 {
                let (response, _) = try await bench.collect(bench.request(url), over: transport)
                try bench.expect(response.status, equals: 200, "status")
            }
            try bench.expect(policy.hosts, equals: ["localhost"], "hosts that the policy was asked for")
            try bench.expect(policy.leaf, equals: certificate, "leaf")
        },
        Check(.serverTrust, "sends no byte of a request when the policy refuses", overHTTP2: false) { bench in
            let url = try bench.need(bench.servers.tls, "tls").appendingPathComponent("small")
            let authority = try bench.need(bench.servers.authority, "authority")
            let requestCount = try bench.need(bench.servers.requestCount, "requestCount")
            let mark = UUID().uuidString
            for (name, refuses) in [("refused", true), ("permitted", false)] {
                let transport = try bench.transport {
                    $0.certificateAuthorities = .only(pem: authority)
                    $0.trustPolicy = JournalingPolicy(refuses: refuses)
                }
                guard let target = url.appending(encodedQuery: "\(name)=\(mark)") else { throw NetworkError.invalidURL }
                if refuses {
                    for _ in 0..<2 {
                        let error = try await bench.failure(of: bench.request(target), over: transport)
                        try bench.expect(
                            NetworkError(mapping: error) == .pinningFailed(host: "localhost"), "the error is \(error)")
                    }
                } else {
                    _ = try await bench.collect(bench.request(target), over: transport)
                }
            }
            // The second transport's request is in the log, so the log has caught up.
            try await bench.eventually("the permitted request is logged") {
                (try? await requestCount("permitted=\(mark)")) == 1
            }
            try bench.expect(try await requestCount("refused=\(mark)"), equals: 0, "refused requests the server saw")
        },
    ]
}

/// A policy that notes what it was asked.
private final class JournalingPolicy: ServerTrustPolicy {
    struct Refusal: Error {}

    private let refuses: Bool
    private let journal = Locked<[(host: String, chain: CertificateChain)]>([])

    init(refuses: Bool) {
        self.refuses = refuses
    }

    func evaluate(_ chain: CertificateChain, host: String) throws {
        journal.withLock { $0.append((host, chain)) }
        if refuses { throw Refusal() }
    }

    var hosts: [String] { journal.withLock { $0.map(\.host) } }
    var leaf: Data? { journal.withLock { $0.first?.chain.leaf } }
}
