#if os(Linux)
    import NetTesting
    import NetTransport
    import TestLab
    import Testing

    /// HTTP/2 without negotiation: over plain connections, and as the only version over TLS.
    @Suite(.timeLimit(.minutes(3))) struct HTTP2PriorKnowledgeTests {
        private func transport(_ change: SettingsChange = { _ in }) -> CurlTransport {
            CurlTransport(change) { ($0.httpVersions, $0.proxy) = (.http2PriorKnowledge, .none) }
        }

        @Test func concurrentRequestsShareAPlainConnection() async throws {
            let server = try MockServer(httpVersions: .http2Only) { .text("\($0.bodyLength)") }
            let transport = transport()
            _ = try await atOnce(100) { index in
                let body = HTTPBody(Data(count: index * 500))
                let answer = try await transport.fetch(server.url("/a?b=\(index)"), "PUT", body: body)
                #expect(answer.body == Data("\(index * 500)".utf8))
            }
            #expect(server.connectionCount == 1 && server.requests.allSatisfy { $0.stream != nil })
            #expect(server.requests.first?.headers["Host"] ?? "127.0.0.1:\(server.port)" == "127.0.0.1:\(server.port)")
            #expect(server.protocolErrors.isEmpty)
        }

        @Test(.requires(.nginx)) func nginxAcceptsPriorKnowledge() async throws {
            let (nginx, transport) = (try await NginxServer(), transport())
            for _ in 0..<2 {
                let answer = try await transport.fetch(nginx.plainHTTP2URL.appendingPathComponent("echo")).body
                let fields = NginxServer.echoed(answer)
                #expect(fields["protocol"] == "HTTP/2.0" && fields["scheme"] == "http")
            }
            let (data, upload) = (pattern(3_000_000), nginx.plainHTTP2URL.appendingPathComponent("upload/a"))
            #expect(try await transport.fetch(upload, "PUT", body: HTTPBody(data)).status == 201)
            #expect(try nginx.read("upload/a") == data)
            // The same over TLS.
            let authority = try await TestCertificates.shared.ca.pem
            let secure = self.transport { $0.certificateAuthorities = .only(pem: authority) }
            let answer = try await secure.fetch(nginx.http2URL.appendingPathComponent("echo"))
            #expect(NginxServer.echoed(answer.body)["protocol"] == "HTTP/2.0")
            let url = small(nginx.httpsURL)
            #expect(try await secure.expectFailure(.protocolError, .tlsHandshakeFailed, of: url)?.isUnprocessed == true)
            // nginx does not speak it on this port.
            try await transport.expectFailure(.protocolError, of: nginx.httpURL)
            #expect(!nginx.accessLog.contains { $0.contains("HTTP/1.1") })
        }

        @Test(
            arguments: [
                (nil, [.protocolError]), (.close(.beforeRequest), [.connectionLost, .connectionReset]),
                (.reset(.beforeRequest), [.connectionLost, .connectionReset]), (.stall(.beforeRequest), [.idleTimeout]),
            ] as [(MockFault?, [TransportError.Code])])
        func serverWithoutHTTP2IsAnError(_ fault: MockFault?, _ codes: [TransportError.Code]) async throws {
            let server = try MockServer { _ in .text("x") }
            if let fault { server.enqueue(.fault(fault)) }
            let idle: TimeInterval = codes == [.idleTimeout] ? 0.3 : 30
            let error = try await transport { $0.timeouts.idle = idle }.failure(server.url) as? TransportError
            #expect(error.map { codes.contains($0.code) } == true, "\(String(describing: error))")
            #expect(server.requests.isEmpty)
        }

        @Test func http11RequiredDoesNotDowngrade() async throws {
            let server = try MockServer(httpVersions: .automatic) { _ in .text("x") }
            server.enqueue(.ok.fault(http2: .reset(.http11Required), at: .beforeHead))
            let transport = transport()
            try await transport.expectFailure(.http11Required, of: server.url)
            #expect(try await transport.fetch(server.url).status == 200)
            #expect(server.requests.allSatisfy { $0.stream != nil })
        }

        @Test func unixSocketUsesPriorKnowledge() async throws {
            let folder = try TemporaryDirectory()
            let path = folder.file("socket").path
            let server = try MockServer(unixSocketPath: path, httpVersions: .http2Only) { _ in .text("x") }
            let transport = transport { $0.unixSocketPath = path }
            for _ in 0..<3 { #expect(try await transport.fetch(url("http://service.local/path")).status == 200) }
            #expect(server.connectionCount == 1)
        }

        @Test(.requires(.tinyproxy)) func proxyTunnelsPriorKnowledge() async throws {
            let proxy = try await ProxyServer()
            let server = try MockServer(httpVersions: .http2Only) { _ in .text("x") }
            let transport = transport { $0.proxy = .http(host: "127.0.0.1", port: proxy.url.port ?? 0) }
            #expect(try await transport.fetch(server.url).status == 200 && server.requests.first?.target == "/")
        }
    }
#endif
