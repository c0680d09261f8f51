#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Each failure has its own code, within its timeout.
    @Suite(.timeLimit(.minutes(5))) struct CurlFaultTests {
        @Test(arguments: MockFault.allCases, [false, true])
        func eachServerFaultHasItsErrorCode(_ fault: MockFault, streamed: Bool) async throws {
            let server = try MockServer()
            server.enqueue(MockResponse.bytes(count: 10_000).fault(fault))
            let idle: TimeInterval = Self.codes(of: fault) == [.idleTimeout] ? 1 : 30
            let transport = CurlTransport { ($0.timeouts.idle, $0.limits.decodedBodyBytes) = (idle, 1 << 20) }
            let body = fault.point == .inRequestBody ? HTTPBody(Data(count: 4_000_000)) : nil
            let error = try await transport.failure(server.url("/x"), "POST", body: body, streamed: streamed)
            if let error = error as? NetworkError {
                guard case .responseTooLarge = error, Self.codes(of: fault).isEmpty else { throw error }
            } else {
                let error = try #require(error as? TransportError)
                #expect(Self.codes(of: fault).contains(error.code), "\(error)")
                #expect(error.url?.hasPrefix("http://127.0.0.1") == true)
                // A connection that is reset at once may be gone before the first byte is sent.
                #expect(!error.isUnprocessed || error.phase == .connecting || fault.point == .onAccept)
            }
            await transport.shutdown()
            // That server is stuck with bytes it does not read, and so does not see the end behind them.
            if fault != .stall(.inRequestBody) { try await server.waitForOpenConnections() }
        }

        private static func codes(of fault: MockFault) -> Set<TransportError.Code> {
            switch fault {
            case .close(.inBody), .halfClose(.inBody), .truncatedBody, .truncatedChunkedBody: [.truncatedBody]
            case .close, .halfClose: [.connectionLost, .connectionReset]
            case .reset: [.connectionReset, .connectionLost]
            case .stall: [.idleTimeout]
            case .badChunkSize: [.malformedChunk]
            case .garbageStatusLine: [.malformedStatusLine]
            case .malformedHeader: [.malformedHeader]
            case .endlessHeaders, .endlessInterimResponses: [.headersTooLarge]
            case .endlessBody, .decompressionBomb: []
            case .conflictingContentLengths: [.conflictingLengths]
            case .corruptGzip: [.contentDecodingFailed]
            }
        }

        @Test(.requires(.nginx)) func malformedClientKeyIsClientCertificateRejected() async throws {
            let nginx = try await NginxServer()
            let transport = try await CurlTransport.trusting {
                $0.clientCertificate = .pem(certificate: Data("x".utf8), key: Data("y".utf8), password: nil)
            }
            try await transport.expectFailure(.clientCertificateRejected, of: small(nginx.mutualTLSURL))
        }

        @Test func plainHTTPServerIsTLSHandshakeFailed() async throws {
            let server = try MockServer { _ in .ok }
            let url = try url("https://127.0.0.1:\(server.port)/")
            try await CurlTransport().expectFailure(.tlsHandshakeFailed, phase: .securing, of: url)
        }

        /// libcurl would send it a second time by itself.
        @Test(arguments: ["POST", "GET", "PUT", "POST without a body", "POST of a file", "POST of a stream"])
        func requestIsSentOnceOnAStaleConnection(_ what: String) async throws {
            let server = try MockServer()
            server.enqueue(.text("one"), MockResponse.ok.fault(.close(.beforeResponse)), .text("three"))
            let transport = CurlTransport()
            _ = try await transport.fetch(server.url("/"))
            let folder = try TemporaryDirectory()
            try Data(count: 100).write(to: folder.file("body"))
            let body: HTTPBody? =
                switch what {
                case "GET", "POST without a body": nil
                case "POST of a file": try HTTPBody(file: folder.file("body"))
                case "POST of a stream": HTTPBody(stream: dataStream([Data(count: 100)]), length: 100)
                default: HTTPBody("some")
                }
            let method = String(what.prefix { $0 != " " })
            let error = try await transport.expectFailure(
                .connectionLost, .connectionReset, of: server.url("/"), method, body: body)
            #expect(error?.isStaleConnection == true && error?.isUnprocessed == false && server.requests.count == 2)
        }

        private static let networks: [@Sendable (inout TransportConfiguration) -> Void] = [
            { $0.allowsExpensiveNetworkAccess = false }, { $0.allowsUltraConstrainedNetworkAccess = false },
            { $0.multipath = .interactive }, { $0.serviceType = .video },
        ]

        @Test(arguments: networks.indices) func appleOnlyNetworkSettingsAreUnsupported(_ index: Int) async throws {
            let (server, transport) = (try MockServer { _ in .ok }, CurlTransport { Self.networks[index](&$0) })
            for _ in 0..<2 { #expect(isUnsupported(try await transport.failure(server.url))) }
            #expect(server.connectionCount == 0)
        }
    }
#endif
