#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// What a response tells of its connection.
    @Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct ConnectionFactsTests {
        private static func response(
            _ url: URL, over transport: CurlTransport, streamed: Bool = false
        ) async throws -> TransportResponse {
            let response = try await transport.response(url, streamed: streamed)
            if streamed { _ = try await response.body.collect(upTo: 1 << 24) }
            return response
        }

        @Test(arguments: [NginxServer.TLSVersion.v1_2, .v1_3], [false, true])
        func tlsConnectionHasVersionCipherAndCertificates(_ version: NginxServer.TLSVersion, http2: Bool) async throws {
            let nginx = try await NginxServer(tlsVersions: [version])
            let leaf = try await TestCertificates.shared.server.certificate.der
            let transport = try await CurlTransport.trusting()
            let url = small(http2 ? nginx.http2URL : nginx.httpsURL)
            let first = try await Self.response(url, over: transport)
            let connection = try #require(first.connection)
            #expect(connection.tlsVersion == (version == .v1_2 ? .v1_2 : .v1_3))
            let suite = try #require(connection.cipherSuite)
            #expect(suite.hasPrefix("TLS_") && suite.hasPrefix("TLS_ECDHE_") == (version == .v1_2))
            #expect(connection.applicationProtocol == (http2 ? "h2" : "http/1.1"))
            #expect(connection.certificates?.leaf == leaf)
            #expect(connection.remoteAddress?.hasSuffix(":\(url.port ?? 0)") == true)
            #expect(connection.localAddress != nil && connection.localAddress != connection.remoteAddress)
            #expect(first.metrics.remoteAddress == connection.remoteAddress)
            #expect(first.metrics.isReusedConnection == false)
            for streamed in [false, true] {
                let next = try await Self.response(url, over: transport, streamed: streamed)
                #expect(next.metrics.isReusedConnection == true)
                // The same box: nothing is read or copied again.
                #expect(try next.box() == first.box())
            }
            #expect("\(connection)".contains("certificates: 1") && !"\(connection)".contains("bytes"))
        }

        @Test func resumedTLSConnectionHasItsOwnFacts() async throws {
            let nginx = try await NginxServer()
            let leaf = try await TestCertificates.shared.server.certificate.der
            let transport = try await CurlTransport.trusting { $0.limits.idleConnections = 0 }
            var addresses: Set<String> = []
            for _ in 0..<4 {
                let response = try await Self.response(small(nginx.httpsURL), over: transport)
                let connection = try #require(response.connection)
                #expect(connection.certificates?.leaf == leaf)
                addresses.insert(try #require(connection.localAddress))
            }
            #expect(addresses.count == 4)
        }

        @Test(arguments: [false, true]) func concurrentResponsesHaveTheFactsOfTheirConnection(tls: Bool) async throws {
            let nginx = try await NginxServer()
            let transport = try await CurlTransport.trusting {
                ($0.httpVersions, $0.limits.connectionsPerHost) = (.http1Only, 4)
            }
            let url = small(tls ? nginx.httpsURL : nginx.httpURL)
            let responses = try await atOnce(200) { index in
                try await Self.response(url, over: transport, streamed: index.isMultiple(of: 2))
            }
            let boxes = try responses.reduce(into: [String: Set<UnsafeRawPointer>]()) { boxes, response in
                let facts = try #require(response.pipeline.metricsBox?.connection?.value)
                #expect((facts.tlsVersion != nil) == tls && (facts.certificates != nil) == tls)
                boxes[try #require(facts.localAddress), default: []].insert(try response.box())
            }
            #expect((1...4).contains(boxes.count) && boxes.values.allSatisfy { $0.count == 1 })
        }

        @Test func plainConnectionHasAddressesOnly() async throws {
            let (server, transport) = (try MockServer { _ in .text("ok").closingConnection() }, CurlTransport())
            for streamed in [false, true] {
                let connection = try await Self.response(server.url, over: transport, streamed: streamed).connection
                var expected = TransportResponse.Connection()
                expected.localAddress = connection?.localAddress
                expected.remoteAddress = "127.0.0.1:\(server.port)"
                #expect(connection == expected && connection?.localAddress?.hasPrefix("127.0.0.1:") == true)
            }
        }

        @Test func upgradedConnectionHasItsFacts() async throws {
            let (lab, steps) = (try await HTTP2Lab(versions: .http1Only) { _ in .webSocket() }, StepRecorder())
            let response = try await lab.transport.upgrade(.webSocket(lab.server.url), context: steps.context)
            let address = "127.0.0.1:\(lab.server.port)"
            #expect(response.status == 101 && response.connection?.tlsVersion == .v1_3)
            #expect(response.connection?.remoteAddress == address)
            let opened = ["nameLookedUp", "connecting \(address)", "connected", "secured v1_3"]
            #expect(steps.names == opened + ["requestSent", "firstByteReceived"])
        }

        @Test func connectionComesFromTheLocalAddress() async throws {
            let nginx = try await NginxServer()
            let echo = nginx.httpURL.appendingPathComponent("echo")
            for (local, address) in [("127.0.0.2", "127.0.0.2"), ("127.0.0.1", "127.0.0.1"), ("lo", "127.0.0.1")] {
                let body = try await CurlTransport { $0.localAddress = local }.fetch(echo).body
                #expect(NginxServer.echoed(body)["client-address"] == address)
            }
        }

        /// `if!lo` is a possible name of an interface.
        @Test(arguments: ["203.0.113.77", "nosuch0", "if!lo"])
        func localAddressOfAnotherMachineIsUnreachable(local: String) async throws {
            let (url, transport) = (try url("http://127.0.0.1:1/"), CurlTransport { $0.localAddress = local })
            for _ in 0..<2 { try await transport.expectFailure(.hostUnreachable, phase: .connecting, of: url) }
        }

        @Test(arguments: ["", "a name", String(repeating: "x", count: 16)])
        func malformedLocalAddressIsUnsupported(local: String) async throws {
            let (url, transport) = (try url("http://127.0.0.1:1/"), CurlTransport { $0.localAddress = local })
            for _ in 0..<2 { #expect(isUnsupported(try await transport.failure(url))) }
        }
    }

    extension TransportResponse {
        /// The box in which the facts of the connection are.
        fileprivate func box() throws -> UnsafeRawPointer {
            unsafeBitCast(try #require(pipeline.metricsBox?.connection), to: UnsafeRawPointer.self)
        }
    }
#endif
