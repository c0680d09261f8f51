import NetCore

extension TransportConformance {
    /// TLS and HTTP/2. These checks need servers that the suite cannot start by itself.
    static let securityChecks: [Check] = [
        Check(.http2, "speaks HTTP/2 where the server agrees, and HTTP/1.1 where it is told to", overHTTP2: false) {
            test in
            let url = try test.smallFile(test.servers.http2, "http2")
            for (versions, expected) in [
                (TransportConfiguration.HTTPVersions.automatic, HTTPVersion.http2), (.http1Only, .http1_1),
            ] {
                let transport = try test.trustingTransport { $0.httpVersions = versions }
                let (response, _) = try await test.collect(test.request(url), over: transport)
                try test.expect(response.version, equals: expected, "version")
            }
        },
        Check(.customAuthority, "trusts the authority given, and no other", overHTTP2: false) { test in
            let url = try test.smallFile(test.servers.tls, "tls")
            let other = try test.need(test.servers.otherAuthority, "otherAuthority")
            try await test.expectSmallFile(url, over: test.trustingTransport())
            for authorities in [TransportConfiguration.CertificateAuthorities.only(pem: other), .system] {
                let bad = try test.transport { $0.certificateAuthorities = authorities }
                try await test.expectFailure(.certificateUntrusted, of: test.request(url), over: bad)
            }
        },
        Check(.developmentServers, "accepts an untrusted certificate of this machine on demand", overHTTP2: false) {
            test in
            let url = try test.smallFile(test.servers.tls, "tls")
            try await test.expectFailure(.certificateUntrusted, of: test.request(url))
            let lenient = try test.transport {
                $0.developmentServers = .selfSigned(hosts: ["other.invalid"], allowsReleaseBuilds: true)
            }
            try await test.expectSmallFile(url, over: lenient)
        },
        Check(.clientCertificate, "shows its certificate where one is demanded", overHTTP2: false) { test in
            let url = try test.smallFile(test.servers.mutualTLS, "mutualTLS")
            let identity = try test.need(test.servers.clientCertificate, "clientCertificate")
            for (certificate, status) in [(identity as TransportConfiguration.ClientCertificate?, 200), (nil, 400)] {
                let transport = try test.trustingTransport { $0.clientCertificate = certificate }
                try await test.expectStatus(status, of: test.request(url), over: transport)
            }
        },
        Check(.minimumTLS, "refuses a server that is too old", overHTTP2: false) { test in
            let url = try test.smallFile(test.servers.legacyTLS, "legacyTLS")
            let transport = try test.trustingTransport { $0.minimumTLSVersion = .v1_3 }
            try await test.expectFailure(.tlsHandshakeFailed, of: test.request(url), over: transport)
        },
        Check(.serverTrust, "asks the policy once for each connection, with the server's certificate", overHTTP2: false)
        { test in
            let url = try test.smallFile(test.servers.tls, "tls")
            let certificate = try test.need(test.servers.serverCertificate, "serverCertificate")
            let policy = RecordingPolicy(refuses: false)
            let transport = try test.trustingTransport { $0.trustPolicy = policy }
            for _ in 0..<3 { try await test.expectSmallFile(url, over: transport) }
            try test.expect(policy.hosts, equals: ["localhost"], "hosts that the policy was asked for")
            try test.expect(policy.leaf, equals: certificate, "leaf")
        },
        Check(.serverTrust, "sends no byte of a request when the policy refuses", overHTTP2: false) { test in
            let url = try test.smallFile(test.servers.tls, "tls")
            let requestCount = try test.need(test.servers.requestCount, "requestCount")
            let mark = UUID().uuidString
            for (name, refuses) in [("refused", true), ("permitted", false)] {
                let transport = try test.trustingTransport { $0.trustPolicy = RecordingPolicy(refuses: refuses) }
                guard let target = url.appending(encodedQuery: "\(name)=\(mark)") else { throw NetworkError.invalidURL }
                if refuses {
                    for _ in 0..<2 {
                        let error = try await test.failure(of: test.request(target), over: transport)
                        try test.expect(
                            NetworkError(error) == .pinningFailed(host: "localhost"), "the error is \(error)")
                    }
                } else {
                    _ = try await test.collect(test.request(target), over: transport)
                }
            }
            // When the permitted request is in the log, the log is complete.
            try await test.eventually("the permitted request is logged") {
                (try? await requestCount("permitted=\(mark)")) == 1
            }
            try test.expect(try await requestCount("refused=\(mark)"), equals: 0, "refused requests the server saw")
        },
    ]

    /// HTTP/2 alone: streams that share a connection and end one by one.
    static let streamChecks: [Check] = [
        Check(.http2, "sends a hundred requests at once over one connection") { test, server in
            server.on("/", .text("ok").delayed(by: 0.05))
            let transport = try test.transport()
            try await atOnce(100) { _ in
                let version = try await test.collect(over: transport).response.version
                try test.expect(version, equals: .http2, "version")
            }
            try test.expect(server.connectionCount, equals: 1, "connections")
            try test.expect(server.requestCount, equals: 100, "requests")
        },
        Check(.http2, "reports a stream that is broken off as cut, whatever the reason") { test in
            for fault in [MockHTTP2Fault.reset(.noError), .reset(.cancel), .goAway(.internalError), .close, .garbage] {
                for point in [MockHTTP2Fault.Point.afterHead, .afterBody(40)] {
                    try await test.withServer { test, server in
                        server.on("/", .bytes(count: 1000).fault(http2: fault, at: point))
                        try await test.expectFailure(.truncatedBody)
                    }
                }
            }
        },
        Check(.http2, "says which requests the server certainly did not process") { test in
            for fault in [MockHTTP2Fault.reset(.refusedStream), .goAway(.noError, last: .previous)] {
                try await test.withServer { test, server in
                    server.on("/", .ok.fault(http2: fault, at: .beforeHead))
                    let post = test.request(server.url, .post)
                    let error = try await test.failure(of: post, body: HTTPBody(Data("x".utf8)))
                    let found = error as? TransportError
                    try test.expect(found?.code, equals: .refusedStream, "code of \(fault)")
                    try test.expect(found?.isUnprocessed, equals: true, "isUnprocessed after \(fault)")
                }
            }
        },
        Check(.http2, "tells protocol errors from an unreachable network") { test in
            let expected: [(MockHTTP2Fault, TransportError.Code)] = [
                (.badSetting, .flowControlError), (.badIndex, .compressionError), (.pushPromise, .protocolError),
                (.http1Response, .protocolError), (.largeHeaders(bytes: 600_000), .headersTooLarge),
            ]
            for (fault, code) in expected {
                try await test.withServer { test, server in
                    server.on("/", .ok.fault(http2: fault, at: .beforeHead))
                    try await test.expectFailure(code)
                }
            }
        },
        Check(.backPressure, "holds back the server of a stream that is not read, and of no other") { test, server in
            let (transport, response) = try await openLargeStream(test, server)
            for _ in 0..<20 { _ = try await test.collect(test.request(server.url("/small")), over: transport) }
            try test.expect(server.connectionCount, equals: 1, "connections")
            var count = 0
            for try await chunk in response.body { count += chunk.count }
            try test.expect(count, equals: 50_000_000, "bytes")
        },
        Check(.cancellation, "ends one stream and spares the connection") { test, server in
            let transport = try await openLargeStream(test, server).transport
            // The response is gone.
            try await server.waitForHTTP2 { $0.first?.resets.map(\.code) == [.cancel] }
            var tries = 0
            // A transport may use another connection while it asks a server that was silent for long.
            repeat {
                _ = try await test.collect(test.request(server.url("/small")), over: transport)
                tries += 1
            } while server.requests.last?.connection != 1 && tries < 10
            try test.expect(server.requests.last?.connection, equals: 1, "connection")
        },
    ]

    /// Opens a stream of 50 MB, and serves a small response at `/small`.
    private static func openLargeStream(
        _ test: TransportFixture, _ server: MockServer
    ) async throws -> (transport: any HTTPTransport, response: TransportResponse) {
        server.on("/large", .bytes(count: 50_000_000))
        server.on("/small", .text("ok"))
        let transport = try test.transport()
        var context = RequestContext()
        context.delivery = .streamed
        let response = try await test.send(test.request(server.url("/large")), over: transport, context: context)
        try test.expect(response.version, equals: .http2, "version")
        return (transport, response)
    }
}

/// A policy that records the chains it evaluates.
private final class RecordingPolicy: ServerTrustPolicy {
    struct Refusal: Error {}

    private let refuses: Bool
    private let journal = Locked<[(host: String, chain: CertificateChain)]>([])

    init(refuses: Bool) { self.refuses = refuses }

    func evaluate(_ chain: CertificateChain, host: String) throws {
        journal.withLock { $0.append((host, chain)) }
        if refuses { throw Refusal() }
    }

    var hosts: [String] { journal.withLock { $0.map(\.host) } }
    var leaf: Data? { journal.withLock { $0.first?.chain.leaf } }
}
