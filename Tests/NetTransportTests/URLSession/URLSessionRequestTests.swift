import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetTransport

extension URLSessionSuites {
    /// Request bodies, beyond what the conformance suite asks.
    struct URLSessionUploadTests {
        let transport = URLSessionTransport()
        let server: MockServer

        init() throws { server = try MockServer() }

        private func send(_ body: HTTPBody?, _ method: String = "POST", headers: [String: String] = [:]) async throws {
            let response = try await transport.fetch(server.url, method, headers: headers, body: body, streamed: true)
            #expect(response.status == 200)
        }

        @Test func streamedUploadAddsNoHeaders() async throws {
            server.enqueue(.ok)
            try await send(HTTPBody(stream: dataStream("ab", "c"), length: 3))
            let seen = try #require(server.requests.last)
            #expect(seen.bodyText == "abc" && seen.headers["Content-Length"] == "3")
            #expect(seen.headers["Transfer-Encoding"] == nil)
            #if os(Linux)
                #expect(seen.headers["Expect"] == nil && seen.headers["Content-Type"] == nil)
            #endif
        }

        @Test func contentLengthAndTransferEncodingAreTheTransports() async throws {
            let headers = ["content-length": "99", "transfer-encoding": "chunked", "Content-Type": "text/x"]
            for body in [HTTPBody("abc"), HTTPBody(stream: dataStream("abc"), length: 3)] {
                server.enqueue(.ok)
                try await send(body, headers: headers)
                let seen = try #require(server.requests.last)
                #expect(seen.bodyText == "abc" && seen.headers.values(for: "Content-Length") == ["3"])
                #expect(seen.headers["Transfer-Encoding"] == nil && seen.headers["Content-Type"] == "text/x")
            }
        }

        @Test(arguments: ["GET", "DELETE", "POST"]) func framingFieldsNeedABody(_ method: String) async throws {
            server.enqueue(.ok, .ok)
            let wrong = ["content-length": "30", "transfer-encoding": "chunked"]
            for _ in 0..<2 { try await send(nil, method, headers: wrong) }
            #expect(server.requests.count == 2)
            for seen in server.requests {
                #expect([nil, "0"].contains(seen.headers["Content-Length"]))
                #expect(seen.headers["Transfer-Encoding"] == nil)
            }
        }

        @Test func fileSegmentIsUploaded() async throws {
            let folder = try TemporaryDirectory()
            try Data("0123456789".utf8).write(to: folder.file("part"))
            server.enqueue(.ok)
            let segment = FileSegment(url: folder.file("part"), offset: 2, length: 5)
            try await send(HTTPBody(source: .file(segment), length: 5, isReplayable: true))
            #expect(server.requests.last?.bodyText == "23456")
        }

        @Test func concurrentStreamsAreUploaded() async throws {
            let server = try MockServer { .text($0.bodyText) }
            let answers = try await atOnce(40) { [transport] number in
                let body = HTTPBody(stream: dataStream("number ", String(number)))
                return try await transport.fetch(server.url, "PUT", body: body, streamed: true).body
            }
            #expect(Set(answers) == Set((0..<40).map { Data("number \($0)".utf8) }))
        }

        /// On Linux one queue serves all sessions: a stream that was read there by waiting would wait forever.
        @Test func responseBodyCanBeUploadedByTheSameTransport() async throws {
            server.enqueue(.bytes(count: 3_000_000), .ok)
            try await send(transport.stream(server.url).body)
            #expect(server.requests.last?.body == MockResponse.generatedBytes(count: 3_000_000))
        }

        @Test func bodyNotReplayableOfTheStreamIsTheError() async throws {
            let body = HTTPBody(stream: dataStream("used up"))
            _ = try await body.collect(upTo: 100)
            await #expect(throws: NetworkError.bodyNotReplayable) { try await send(body) }
            try await server.waitForOpenConnections(timeout: 120)
        }

        @Test(arguments: [false, true]) func cancellationAndShutdownEndAStalledUpload(isShutdown: Bool) async throws {
            if isShutdown { server.enqueue(.ok.fault(.stall(.beforeResponse))) }
            let (asked, stopped) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            let body = HTTPBody(pulling: {
                asked.continuation.finish()
                defer { stopped.continuation.finish() }
                try await SystemClock().sleep(for: .infinity)
                return nil
            })
            let task = Task { try await transport.failure(server.url, "POST", body: body, streamed: !isShutdown) }
            for await _ in asked.stream {}
            if isShutdown { await transport.shutdown() } else { task.cancel() }
            let error = try await task.value
            #expect(isShutdown ? (error as? TransportError)?.code == .shutDown : error is CancellationError, "\(error)")
            guard !isShutdown else { return }
            for await _ in stopped.stream {}
            try await server.waitForOpenConnections(timeout: 120)
        }

        #if !canImport(Security)
            /// libcurl repeats the request without bytes, so it would hang.
            @Test func postOnAClosedConnectionIsStale() async throws {
                server.enqueue(.ok, .ok.fault(.reset(.beforeResponse)))
                try await send(HTTPBody("first"))
                let error = try await transport.expectFailure(
                    .connectionLost, of: server.url, "POST", body: HTTPBody("second"))
                #expect(error?.isStaleConnection == true && error?.isUnprocessed == false)
            }
        #endif

        @Test func getWithBodyIsUnsupportedUnlessEmpty() async throws {
            #expect(isUnsupported(try await transport.failure(server.url, "GET", body: HTTPBody("x"))))
            server.enqueue(.ok, .ok)
            for method in ["GET", "POST"] { try await send(.empty, method) }
            #expect(server.requests.last?.headers["Content-Length"] == "0")
        }
    }

    /// What cannot be done is refused before anything is sent, and declared.
    struct URLSessionRefusalTests {
        struct AnyPolicy: ServerTrustPolicy {
            func evaluate(_ chain: CertificateChain, host: String) throws {}
        }

        typealias Setting = (
            name: String, gap: TransportConfiguration.Capability?,
            change: @Sendable (inout TransportConfiguration) -> Void
        )

        static let settings: [Setting] = {
            #if canImport(Security)
                everywhere
            #else
                everywhere + linux
            #endif
        }()

        private static let everywhere: [Setting] = [
            ("Unix socket", .unixSocket, { $0.unixSocketPath = "/tmp/none" }),
            ("override", .resolveOverride, { $0.resolveOverrides = [.init(host: "a", port: 1, addresses: [])] }),
            ("resolver", .resolver, { $0.resolver = .init(name: "none") { _, _ in [] } }),
            ("DNS over HTTPS", .dnsOverHTTPS, { $0.dnsOverHTTPS = URL(string: "https://127.0.0.1/") }),
            ("address family", .addressFamily, { $0.addressFamily = .ipv6Only }),
            ("local address", .localAddress, { $0.localAddress = "127.0.0.2" }),
            ("HTTP/2 by prior knowledge", .http2PriorKnowledge, { $0.httpVersions = .http2PriorKnowledge }),
            ("HTTP/3", .http3, { $0.httpVersions = .http3Only }),
            ("address policy", .addressPolicy, { $0.addressPolicy = .publicOnly }),
            ("connect timeout", .connectTimeout, { $0.timeouts.connect = 5 }),
            ("no decoding", .decompression, { $0.decodesContent = false }),
            ("HTTP/1.1 only", nil, { $0.httpVersions = .http1Only }),
            ("idle connections", nil, { $0.limits.idleConnections = 1 }),
            (
                "PEM client certificate", .clientCertificate,
                { $0.clientCertificate = .pem(certificate: Data(), key: Data(), password: nil) }
            ),
        ]

        private static let linux: [Setting] = [
            ("trust policy", .serverTrust, { $0.trustPolicy = AnyPolicy() }),
            ("own authority", .customAuthority, { $0.certificateAuthorities = .only(pem: Data("x".utf8)) }),
            ("PKCS#12 identity", .clientCertificate, { $0.clientCertificate = .pkcs12(Data(), password: nil) }),
            ("HTTP/3 preferred", .http3, { $0.httpVersions = .http3Preferred }),
            ("TLS 1.3", .minimumTLS, { $0.minimumTLSVersion = .v1_3 }),
            ("TLS 1.0", .minimumTLS, { $0.minimumTLSVersion = .v1_0 }),
            ("proxy", .proxy, { $0.proxy = .http(host: "127.0.0.1", port: 1) }),
            ("expensive networks", nil, { $0.allowsExpensiveNetworkAccess = false }),
            ("constrained networks", nil, { $0.allowsConstrainedNetworkAccess = false }),
            ("ultra-constrained networks", nil, { $0.allowsUltraConstrainedNetworkAccess = true }),
            ("Multipath TCP", nil, { $0.multipath = .handover }),
            ("service type", nil, { $0.serviceType = .background }),
        ]

        @Test(arguments: settings.indices) func settingIsUnsupported(_ index: Int) async throws {
            let (entry, server) = (Self.settings[index], try MockServer())
            let transport = URLSessionTransport(configuration: TransportConfiguration(entry.change))
            let error = try await transport.failure(server.url)
            #expect(isUnsupported(error) && server.connectionCount == 0, "\(entry.name): \(error)")
            if let gap = entry.gap { #expect(transport.missingCapabilities[gap]?.isEmpty == false, "\(entry.name)") }
        }

        #if !canImport(Security)
            @Test func sessionWithDelegateIsUnsupported() {
                final class Delegate: NSObject, URLSessionDelegate {}
                let session = URLSession(configuration: .ephemeral, delegate: Delegate(), delegateQueue: nil)
                defer { session.invalidateAndCancel() }
                let error = #expect(throws: NetworkError.self) { try URLSessionTransport(session: session) }
                #expect(error?.code == "unsupported")
            }
        #endif

        @Test func connectTimeoutEqualToIdleTimeoutIsAccepted() async throws {
            let server = try MockServer { _ in .ok }
            let configuration = TransportConfiguration { ($0.timeouts.connect, $0.timeouts.idle) = (5, 5) }
            #expect(try await URLSessionTransport(configuration: configuration).fetch(server.url).status == 200)
        }

        @Test func sessionWithoutDelegateLendsItsConfiguration() async throws {
            try await withLimits { limit in
                let server = try MockServer()
                server.enqueue(MockResponse.ok.header("Set-Cookie", "a=1"), .ok.fault(.stall(.beforeResponse)))
                let configuration = URLSessionConfiguration.ephemeral
                configuration.httpAdditionalHeaders = ["X-Session": "mine"]
                configuration.timeoutIntervalForRequest = limit
                let client = NetworkClient(
                    transport: try URLSessionTransport(session: URLSession(configuration: configuration)))
                _ = try await client.response(for: URLRequest(url: server.url))
                let error = try await failure { try await client.response(for: URLRequest(url: server.url)) }
                #expect(error.transportError?.code == .idleTimeout)
                let requests = server.requests
                return requests.map { $0.headers["X-Session"] } == ["mine", "mine"]
                    && requests.map { $0.headers["Cookie"] } == [nil, "a=1"]
            }
        }
    }
}
