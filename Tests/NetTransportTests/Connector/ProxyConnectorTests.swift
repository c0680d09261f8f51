#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

    /// Connections through proxies.
    @Suite(.timeLimit(.minutes(2))) struct ProxyConnectorTests {
        private func server(_ proxy: Proxy, _ environment: [String: String] = [:]) throws -> ProxyPlan.Server {
            let plan = try #require(try ProxyPlan(proxy, environment: environment))
            return try #require(plan.server(host: "server.example", port: 443, isSecure: true))
        }

        private func variable(_ url: String) throws -> ProxyPlan.Server { try server(.system, ["all_proxy": url]) }

        @Test func proxyCredentialsAreParsedAndRedacted() throws {
            for (url, name, user, password) in [
                ("http://leia:al%3Ade%40raan@p:1/", "http://p:1", "leia", "al:de@raan"),
                ("leia@p:1", "http://p:1", "leia", ""), ("SOCKS5://:x@[::1]:1", "socks5://[::1]:1", "", "x"),
            ] {
                let server = try variable(url)
                #expect(server.name == name)
                #expect(server.credentials?.username == user && server.credentials?.password == password)
                var shown = ""
                dump(server, to: &shown)
                #expect(!shown.contains("leia") && !shown.contains("raan") && !"\(server)".contains("raan"))
            }
            #expect(try variable("http://p:1").credentials == nil)
            let configured = try server(.http(host: "p", port: 1, username: "leia", password: "x"))
            #expect(configured.credentials?.basic == "Basic bGVpYTp4" && configured.name == "http://p:1")
        }

        // MARK: HTTP

        /// Plays a proxy that answers CONNECT with a head.
        private func tunnel(
            _ answer: String, user: String? = nil, isTLS: Bool = true, _ change: SettingsChange = { _ in }
        ) async throws -> (result: Result<OpenedConnection, any Error>, head: String) {
            let proxy = try Listener()
            let way = try server(.http(host: "127.0.0.1", port: proxy.port, username: user, password: user))
            let (connector, steps) = (try Connector(change), Locked<[ConnectStep]>([]))
            let target = ConnectTarget("server.example", 443, isTLS: isTLS, proxy: way)
            async let result: Result<OpenedConnection, any Error> = {
                do { return .success(try await connector.connect(target, steps: steps)) } catch {
                    return .failure(error)
                }
            }()
            let accepted = try await proxy.accepted()
            let head = try await readText(accepted, until: "\r\n\r\n")
            writeText(answer, to: accepted)
            close(accepted)
            if case .success(let connection) = await result {
                let address = "127.0.0.1:\(proxy.port)"
                #expect(steps.withLock { $0 } == [.lookedUp, .connecting(to: address), .connected])
                #expect(connection.peer == .server && connection.remote == address)
            }
            return (await result, head)
        }

        @Test func connectRequestHasHostAndCredentials() async throws {
            let answer = "HTTP/1.1 200 OK\r\n\r\nhello"
            for isTLS in [false, true] {
                let (result, head) = try await tunnel(answer, user: "leia", isTLS: isTLS) {
                    if !isTLS { $0.httpVersions = .http2PriorKnowledge }
                }
                let connection = try result.get()
                defer { close(connection.descriptor) }
                #expect(head.hasPrefix("CONNECT server.example:443 HTTP/1.1\r\nHost: server.example:443\r\n"))
                #expect(head.contains("Proxy-Authorization: Basic bGVpYTpsZWlh\r\n"))
                // What follows the answer is the caller's.
                #expect(try await readText(connection.descriptor, until: "hello") == "hello")
            }
        }

        @Test(arguments: ["403 Forbidden", "407 Proxy Authentication Required", "502 Bad Gateway"])
        func refusedConnectIsProxyFailed(status: String) async throws {
            let (result, head) = try await tunnel("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
            #expect(!head.contains("Proxy-Authorization"))
            let error = try #require(throws: TransportError.self) { try result.get() }
            #expect(error.code == .proxyFailed && error.phase == .connecting && error.isUnprocessed, "\(error)")
            #expect(error.message.hasPrefix("The proxy http://127.0.0.1:") && error.message.contains(status.prefix(3)))
        }

        @Test(arguments: ["", "HTTP/1.1 200", "nonsense\r\n\r\n"])
        func truncatedConnectResponseIsAnError(answer: String) async throws {
            let (result, _) = try await tunnel(answer)
            let error = try #require(throws: TransportError.self) { try result.get() }
            #expect([.proxyFailed, .other].contains(error.code) && error.phase == .connecting, "\(error)")
        }

        @Test func errorsNameTheProxyWithoutCredentials() async throws {
            let (silent, connector) = (try Listener(), try Connector())
            func failure(_ proxy: Proxy, within ms: Int = 60_000) async throws -> TransportError {
                let target = ConnectTarget("server.example", 443, isTLS: true, proxy: try server(proxy), within: ms)
                let error = try await connector.failure(target)
                for secret in ["leia", "alderaan"] { #expect(!"\(error)".contains(secret)) }
                return error
            }
            let late = try await failure(
                .http(host: "127.0.0.1", port: silent.port, username: "leia", password: "alderaan"), within: 50)
            #expect(late.code == .connectTimeout && late.phase == .connecting, "\(late)")
            #expect(late.message.contains("(through the proxy http://127.0.0.1:\(silent.port))"))
            for (kind, proxy): (String, (String) -> Proxy) in [
                ("http", { .http(host: $0, port: 1) }), ("https", { .https(host: $0, port: 1) }),
                ("socks5h", { .socks5(host: $0, port: 1) }),
            ] {
                let refused = try await failure(proxy("127.0.0.1"))
                #expect(refused.code == .proxyFailed && refused.phase == .connecting, "\(refused)")
                #expect(refused.message.hasPrefix("The proxy \(kind)://127.0.0.1:1 failed: "), "\(refused)")
                let unknown = try await failure(proxy("proxy.invalid"))
                #expect(unknown.code == .proxyFailed && unknown.phase == .resolving, "\(unknown)")
            }
        }

        // MARK: HTTP over TLS

        @Test(arguments: [false, true]) func tlsProxyGetsAPlainTCPConnection(isTLS: Bool) async throws {
            let proxy = try Listener()
            let way = try server(.https(host: "localhost", port: proxy.port, username: "leia", password: "x"))
            let target = ConnectTarget("no-such-host.invalid", 443, isTLS: isTLS, proxy: way)
            let connection = try await Connector().connect(target)
            #expect(connection.peer == .tlsProxy && connection.remote?.hasSuffix(":\(proxy.port)") == true)
            #expect(try await carriesText(connection, to: proxy))
        }

        // MARK: SOCKS

        @Test(arguments: ["socks4", "socks4a"]) func socks4SendsAddressAndSocks4aSendsName(kind: String) async throws {
            let proxy = try Listener()
            let (way, connector) = (try variable("\(kind)://leia@127.0.0.1:\(proxy.port)"), try Connector())
            async let opened = connector.connect(ConnectTarget("localhost", 80, proxy: way))
            let accepted = try await proxy.accepted()
            defer { close(accepted) }
            let request = try await readText(accepted, until: kind == "socks4a" ? "leia\0localhost\0" : "leia\0")
            #expect(request.utf8.prefix(4).elementsEqual([4, 1, 0, 80]))
            writeText("\0\u{5A}\0\0\0\0\0\0", to: accepted)
            let connection = try await opened
            #expect(connection.peer == .server)
            close(connection.descriptor)
        }
    }
#endif
