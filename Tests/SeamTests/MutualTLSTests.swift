import NetTesting
import Networking
import TestLab
import Testing

#if os(Linux)
    /// Mutual TLS with real handshakes: redirects, retries and the cache. Whose certificate a request came with, the servers tell.
    @Suite(.timeLimit(.minutes(5)), .requires(.openssl)) struct MutualTLSTests {
        private static let made = Task {
            let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make()
            let ada = try await certificate.makeClient(named: "Ada")
            return (certificate, ada, try await certificate.makeClient(named: "Bob"))
        }

        private let certificate: MockCertificate
        private let ada: TransportConfiguration.ClientCertificate
        private let bob: TransportConfiguration.ClientCertificate
        init() async throws { (certificate, ada, bob) = try await Self.made.value }

        private func client(
            _ identity: TransportConfiguration.ClientCertificate?, cache: (any HTTPCaching)? = nil,
            retries: Bool = false
        ) -> NetworkClient {
            var configuration = TransportConfiguration()
            configuration.certificateAuthorities = .only(pem: certificate.authority)
            configuration.clientCertificate = identity
            return NetworkClient(
                retryPolicy: retries ? .default : .none, cache: cache, transport: .platform(configuration),
                clock: retries ? TestClock(autoAdvance: true) : SystemClock())
        }

        /// Answers with the subject, which may be stored for ten minutes.
        private func server(_ versions: MockHTTPVersions = .http1Only) throws -> MockServer {
            try MockServer(
                certificate: certificate, clientCertificates: .requested(authority: certificate.authority),
                httpVersions: versions
            ) { request in .text(request.clientCertificateSubject ?? "nobody").header("Cache-Control", "max-age=600") }
        }

        private func text(_ client: NetworkClient, _ url: URL) async throws -> String {
            String(decoding: try await client.data(for: URLRequest(url: url)).data, as: UTF8.self)
        }

        private func subjects(_ server: MockServer) -> [String] {
            server.requests.map { "\($0.path) \($0.clientCertificateSubject ?? "nobody")" }
        }

        /// A redirect to another origin does not present it; the way back does. Nor do sessions of TLS carry it along: each round
        /// opens new connections.
        @Test(arguments: [MockHTTPVersions.http1Only, .http2Only])
        func clientCertificateIsNotShownAfterARedirectToAnotherOrigin(_ versions: MockHTTPVersions) async throws {
            let (home, other) = (try server(versions), try server(versions))
            home.on("/away", .redirect(to: other.url("/guest").absoluteString))
            home.on("/around", .redirect(to: other.url("/back").absoluteString))
            other.on("/back", .redirect(to: home.url("/end").absoluteString))
            let client = client(ada, retries: true)
            for _ in 0..<3 {
                home.enqueue(.status(503))
                #expect(try await text(client, home.url("/away")) == "nobody")
                #expect(try await text(client, home.url("/around")) == "CN=Ada")
                // The other origin is the caller's own here.
                #expect(try await text(client, other.url("/direct")) == "CN=Ada")
                for server in [home, other] {
                    server.closeConnections()
                    try await server.waitForOpenConnections()
                }
            }
            let atHome = ["/away", "/away", "/around", "/end"].map { "\($0) CN=Ada" }
            let away = ["/guest nobody", "/back nobody", "/direct CN=Ada"]
            #expect(subjects(home) == atHome + atHome + atHome && subjects(other) == away + away + away)
        }

        /// New connections show the new certificate, and no exchange uses a connection, a session of TLS or a stored response of the
        /// earlier one.
        @Test(arguments: [MockHTTPVersions.http1Only, .http2Only])
        func replacedClientCertificateNeedsNewConnections(_ versions: MockHTTPVersions) async throws {
            let server = try server(versions)
            let client = client(ada, cache: ResponseCache())
            for _ in 0..<2 { #expect(try await text(client, server.url("/private")) == "CN=Ada") }
            for path in ["/1", "/2"] { #expect(try await text(client, server.url(path)) == "CN=Ada") }
            #expect(server.connectionCount == 1)
            try client.replaceClientCertificate(bob)
            for path in ["/private", "/3"] { #expect(try await text(client, server.url(path)) == "CN=Bob") }
            #expect(server.connectionCount == 2)
            // Without a wait for the idle limit.
            try await server.waitForOpenConnections(atMost: 1)
            #expect(client.connectionStatistics()?.map(\.openConnections) == [1])
            let derived = client.with { $0.timeoutInterval = 30 }
            try derived.replaceClientCertificate(ada)
            #expect(try await text(client, server.url("/4")) == "CN=Ada")
            #expect(try await text(derived, server.url("/5")) == "CN=Ada" && server.connectionCount == 3)
        }

        /// An exchange that runs keeps its connection, which closes at its end.
        @Test func replacingTheCertificateKeepsRunningExchanges() async throws {
            let server = try server()
            let release = AsyncStream<Void>.makeStream()
            server.on("/slow") { request in
                for await _ in release.stream {}
                return .text(request.clientCertificateSubject ?? "nobody")
            }
            let client = client(ada)
            let slow = Task { try await text(client, server.url("/slow")) }
            _ = try await waitUntil("the request") { server.requests.first }
            try client.replaceClientCertificate(bob)
            #expect(try await text(client, server.url("/1")) == "CN=Bob")
            release.continuation.finish()
            #expect(try await slow.value == "CN=Ada")
            try await server.waitForOpenConnections(atMost: 1)
            #expect(try await text(client, server.url("/2")) == "CN=Bob" && server.connectionCount == 2)
        }

        /// A call with a trust of its own has connections of its own, which show the new certificate too.
        @Test func replacedCertificateIsShownByCallsWithTheirOwnTrust() async throws {
            let server = try server()
            let client = client(ada)
            var context = RequestContext()
            context.options.trust = .init(certificateAuthorities: .only(pem: certificate.authority))
            func own() async throws -> String {
                let data = try await client.data(for: URLRequest(url: server.url("/own")), context: context).data
                return String(decoding: data, as: UTF8.self)
            }
            #expect(try await own() == "CN=Ada")
            try client.replaceClientCertificate(bob)
            #expect(try await own() == "CN=Bob")
            // One that is made later.
            context.options.trust = .init(certificateAuthorities: .only(pem: certificate.authority))
            #expect(try await own() == "CN=Bob" && client.connectionStatistics()?.map(\.idleConnections) == [2])
        }

        /// What cannot be shown changes nothing.
        @Test func unusableClientCertificateIsRefused() async throws {
            let server = try server()
            let client = client(ada)
            guard case .pkcs12(let archive, _) = bob else { throw LabError("Not an archive.") }
            let noArchive = TransportConfiguration.ClientCertificate.pkcs12(Data("x".utf8), password: nil)
            for broken in [noArchive, .pkcs12(archive, password: "wrong")] {
                let failure = #expect(throws: NetworkFailure.self) { try client.replaceClientCertificate(broken) }
                #expect(failure?.transportError?.code == .clientCertificateRejected)
            }
            #expect(try await text(client, server.url("/1")) == "CN=Ada")
            await client.shutdown()
            let others: [any HTTPTransport] = [URLSessionTransport(), StubTransport()]
            for client in [self.client(nil)] + others.map({ NetworkClient(transport: $0) }) {
                let failure = #expect(throws: NetworkFailure.self) { try client.replaceClientCertificate(bob) }
                #expect(failure?.code == "unsupported")
            }
        }

        /// Rule 7: what the server told Ada, neither Bob nor a client without a certificate reads from a cache that they share.
        @Test(arguments: [MockHTTPVersions.http1Only, .http2Only])
        func cachedResponsesBelongToTheirClientCertificate(_ versions: MockHTTPVersions) async throws {
            let (server, other) = (try server(versions), try server(versions))
            other.on("/in", .redirect(to: server.url("/private").absoluteString))
            let cache = ResponseCache()
            for _ in 0..<2 {
                for (identity, name) in [(ada, "CN=Ada"), (bob, "CN=Bob"), (nil, "nobody")] {
                    let client = client(identity, cache: cache)
                    #expect(try await text(client, server.url("/private")) == name)
                    await client.shutdown()
                }
            }
            #expect(subjects(server) == ["/private CN=Ada", "/private CN=Bob", "/private nobody"])
            // Over a redirect the same server sees no certificate, so what is stored for Ada must not be served either.
            let client = client(ada, cache: cache)
            for _ in 0..<2 { #expect(try await text(client, other.url("/in")) == "nobody") }
            #expect(try await text(client, server.url("/private")) == "CN=Ada")
        }
    }
#endif
