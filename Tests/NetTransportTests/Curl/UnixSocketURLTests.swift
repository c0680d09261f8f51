#if os(Linux)
    import NetTesting
    import NetTransport
    import TestLab
    import Testing

    /// One Unix-domain socket for each request: `http+unix` URLs.
    @Suite(.timeLimit(.minutes(2))) struct UnixSocketURLTests {
        private let folder: TemporaryDirectory

        init() throws { folder = try TemporaryDirectory() }

        private func path(_ name: String) -> String { folder.file(name).path }

        private func url(_ name: String, _ rest: String = "/") throws -> URL {
            try NetTransportTests.url("http+unix://\(PercentEncoding.encode(path(name)))\(rest)")
        }

        private func server(_ name: String) throws -> MockServer {
            try MockServer(unixSocketPath: path(name)) { .text("\(name) \($0.path)") }
        }

        @Test func socketPathOfTheURLIsUsed() async throws {
            // Two that differ by case, and one with characters that a URL encodes.
            let names = ["a.sock", "A.sock", "ü b.sock"]
            let (servers, transport) = (try names.map(server), CurlTransport())
            for _ in 0..<2 {
                for name in names {
                    let response = try await transport.response(url(name, "/v1/info?x=%2F#part"))
                    #expect(response.body.data == Data("\(name) /v1/info".utf8))
                    #expect(response.status == 200 && response.connection == nil)
                }
            }
            for server in servers {
                #expect(server.connectionCount == 1)
                #expect(server.requests.map { $0.headers["Host"] } == ["localhost", "localhost"])
                #expect(server.requests.first?.target == "/v1/info?x=%2F")
            }
        }

        /// The settings are for TCP, and for the transport's own socket.
        @Test func tcpSettingsAreIgnored() async throws {
            let (server, other) = (try server("a"), try server("b"))
            let changes: [@Sendable (inout TransportConfiguration) -> Void] = [
                { $0.proxy = .http(host: "127.0.0.1", port: 1) }, { $0.addressFamily = .ipv6Only },
                { $0.resolver = .init(name: "none") { _, _ in [] } }, { $0.httpVersions = .http1Only },
                { [path = path("b")] in $0.unixSocketPath = path }, { $0.localAddress = "127.0.0.2" },
            ]
            for change in changes {
                let (status, _, body) = try await CurlTransport(change).fetch(url("a"))
                #expect(status == 200 && String(decoding: body, as: UTF8.self) == "a /")
            }
            #expect(server.connectionCount == changes.count && other.connectionCount == 0)
        }

        /// As with libcurl, which connects to the transport's socket directly.
        @Test func unixSocketGetsNoProxyCredentials() async throws {
            let server = try server("a")
            let transport = CurlTransport { [path = path("a")] in
                $0.unixSocketPath = path
                $0.proxy = .http(host: "127.0.0.1", port: 1, username: "u", password: "p")
            }
            #expect(try await transport.fetch(NetTransportTests.url("http://localhost/x")).status == 200)
            let request = try await server.takeRequest()
            #expect(request.target == "/x" && request.headers["Proxy-Authorization"] == nil)
        }

        @Test func missingSocketIsConnectionRefused() async throws {
            #expect(try await CurlTransport().expectFailure(.connectionRefused, of: url("none"))?.isUnprocessed == true)
            let long = try await CurlTransport().failure(url(String(repeating: "x", count: 200))) as? TransportError
            #expect(long?.phase == .resolving || long?.phase == .connecting, "\(String(describing: long))")
        }

        /// An address policy is for URLs from others, which must not reach the sockets of this machine.
        @Test func addressPolicyRefusesUnixSockets() async throws {
            let server = try server("a")
            var named = TransportConfiguration.AddressPolicy()
            named.allowedHosts = ["localhost", path("a")]
            for policy in [.publicOnly, named] {
                try await CurlTransport { $0.addressPolicy = policy }.expectFailure(.addressNotAllowed, of: url("a"))
            }
            #expect(server.connectionCount == 0)
        }

        @Test(arguments: [
            "http+unix://relative/x", "http+unix:///run/a.sock/x", "http+unix://%2Frun%2Fa.sock:80/",
            "http+unix://u@%2Frun%2Fa/", "http+unix://%2Frun%00a/", "https+unix://%2Frun%2Fa/", "unix://%2Frun%2Fa/",
        ]) func malformedUnixSocketURLIsInvalidURL(_ text: String) async throws {
            let error = try await CurlTransport().failure(NetTransportTests.url(text))
            #expect(error as? NetworkError == .invalidURL, "\(error)")
        }

        @Test func urlSessionRefusesUnixSocketURLs() async throws {
            #expect(isUnsupported(try await URLSessionTransport().failure(url("a"))))
        }
    }
#endif
