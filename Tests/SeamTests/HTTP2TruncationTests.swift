#if os(Linux)
    import FaultLab
    import NetTesting
    import Networking
    import TestLab
    import Testing

    /// Streams of HTTP/2 that end before their end, through a whole client: an error at each door, and nothing kept of them.
    @Suite(.timeLimit(.minutes(5))) struct HTTP2TruncationTests {
        /// Behind HEADERS without `content-length` and 40 bytes of DATA.
        private static let ways: [MockHTTP2Fault] = [
            .reset(.noError), .reset(.cancel), .reset(.internalError), .goAway(.internalError), .close,
            .resetConnection, .badFrameLength, .oversizedFrame, .dataOnIdleStream, .badSetting,
            .zeroWindowUpdate(.connection), .garbage, .windowOverflow(.connection), .badIndex,
        ]

        private static let certificate = Task { try await MockCertificate.make() }
        private static let text = Data((0..<200).map { "row \($0)\n" }.joined().utf8)

        private func serve(
            _ handler: @escaping MockServer.Handler
        ) async throws -> (server: MockServer, client: NetworkClient) {
            let certificate = try await Tool.openssl.needed(by: Self.self).certificate.value
            let server = try MockServer(certificate: certificate, httpVersions: .http2Only, handler)
            var configuration = TransportConfiguration()
            configuration.certificateAuthorities = .only(pem: certificate.authority)
            let client = NetworkClient(
                retryPolicy: .none, cache: ResponseCache(maxEntries: 100), transport: .platform(configuration))
            return (server, client)
        }

        @Test(arguments: ways) func truncatedStreamIsAnErrorAndIsNotStored(_ way: MockHTTP2Fault) async throws {
            let isCut = Locked(true)
            let (server, client) = try await serve { _ in
                let whole = MockResponse.data(Self.text).header("Cache-Control", "max-age=600")
                return isCut.withLock { $0 } ? whole.fault(http2: way, at: .afterBody(40)) : whole
            }
            let url = server.url("/cut")
            let folder = try TemporaryDirectory()
            await expectTruncated(url, through: client)
            var options = Downloader.Options()
            options.maxResumptions = 0
            let download: NetworkResponse<URL> = await Downloader(client: client, registry: nil).download(
                from: url, destinationURL: folder.file("file"), options: options)
            #expect(!download.isSuccess)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
            isCut.withLock { $0 = false }
            try await expectNothingIsStored(of: url, in: client, whole: Self.text, server)
        }

        /// The others on a connection that breaks: whole, or an error.
        @Test(arguments: ways) func otherStreamsOfABrokenConnectionAreNotTruncated(_ way: MockHTTP2Fault) async throws {
            let size = 300_000
            let (server, client) = try await serve { request in
                request.path == "/cut"
                    ? .data(Self.text).fault(http2: way, at: .afterBody(40))
                    : .bytes(count: Int64(size)).throttled(bytesPerSecond: 1_000_000)
            }
            let lengths = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<8 {
                    group.addTask { try? await client.data(for: URLRequest(url: server.url("/\(number)"))).0.count }
                }
                try await server.waitForHTTP2 { $0.reduce(0) { $0 + $1.streams } >= 8 }
                _ = try? await client.data(for: URLRequest(url: server.url("/cut")))
                return try await group.reduce(into: [Int?]()) { $0.append($1) }
            }
            #expect(lengths.allSatisfy { $0 == nil || $0 == size }, "\(lengths)")
            if MockHTTP2Fault.resets.contains(way) { #expect(lengths.allSatisfy { $0 == size }, "\(lengths)") }
        }
    }
#endif
