extension TransportConformance {
    /// Connections: reuse, limits, and other destinations than the URL's host.
    static let connectionChecks: [Check] = [
        Check(.connectionReuse, "uses a connection again") { test, server in
            let transport = try test.transport()
            for _ in 0..<5 {
                server.enqueue(.text("x"))
                _ = try await test.collect(over: transport)
            }
            try test.expect(server.connectionCount, equals: 1, "connections")
        },
        Check(.connectionLimit, "makes no more connections to a host than it may") { test, server in
            let transport = try test.transport { $0.limits.connectionsPerHost = 2 }
            for _ in 0..<12 { server.enqueue(MockResponse.text("x").delayed(by: 0.02)) }
            try await atOnce(12) { _ in _ = try await test.collect(over: transport) }
            try test.expect(server.requests.count, equals: 12, "requests")
            try test.expect(server.connectionCount <= 2, "\(server.connectionCount) connections")
        },
        Check(.unixSocket, "talks to a Unix-domain socket", overHTTP2: false) { test in
            let path = FileManager.default.temporaryDirectory.path + "/c-\(UUID().uuidString.prefix(8)).sock"
            let server = try MockServer(unixSocketPath: path)
            server.enqueue(.text("through the socket"))
            let request = try test.request(test.url("http://service.local/path"))
            try await test.expectText(
                "through the socket", of: request, over: test.transport { $0.unixSocketPath = path })
            let received = server.requests.last
            await server.stop()
            try test.expect(received?.headers["Host"], equals: "service.local", "Host")
        },
        Check(.resolveOverride, "uses the address given in place of a look-up", overHTTP2: false) { test, server in
            server.enqueue(.text("x"))
            let url = try test.url("http://no-such-host.invalid:\(server.port)/")
            let transport = try test.transport {
                $0.resolveOverrides = [.init(host: "no-such-host.invalid", port: server.port, addresses: ["127.0.0.1"])]
            }
            try await test.expectText("x", of: test.request(url), over: transport)
            try test.expect(
                server.requests.last?.headers["Host"], equals: "no-such-host.invalid:\(server.port)", "Host")
        },
        Check(.resolver, "asks the resolver once for a connection", overHTTP2: false) { test, server in
            let questions = Locked<[String]>([])
            let transport = try test.transport {
                $0.resolver = .init(name: "conformance") { host, port in
                    questions.withLock { $0.append("\(host):\(port)") }
                    return ["127.0.0.1"]
                }
            }
            let url = try test.url("http://no-such-host.invalid:\(server.port)/")
            for _ in 0..<2 {
                server.enqueue(.text("x"))
                try await test.expectText("x", of: test.request(url), over: transport)
            }
            try test.expect(questions.withLock { $0 }, equals: ["no-such-host.invalid:\(server.port)"], "questions")
        },
        Check(.dnsOverHTTPS, "asks no other resolver if the DoH server does not answer", overHTTP2: false) {
            test, server in
            let transport = try test.transport { $0.dnsOverHTTPS = URL(string: "https://127.0.0.1:\(server.port)/") }
            let url = try test.url("http://no-such-host.invalid:\(server.port)/")
            try await test.expectFailure(.nameNotResolved, of: test.request(url), over: transport)
            try test.expect(server.connectionCount > 0, "the DoH server was not asked")
        },
        Check(.addressFamily, "connects to no address of the other family") { test, server in
            server.enqueue(.text("x"))
            try await test.expectText("x", over: test.transport { $0.addressFamily = .ipv4Only })
            try await test.expectFailure(.nameNotResolved, over: test.transport { $0.addressFamily = .ipv6Only })
            try test.expect(server.connectionCount, equals: 1, "connections")
        },
        Check(.localAddress, "connects from no address of another machine") { test, server in
            server.enqueue(.text("x"))
            try await test.expectText("x", over: test.transport { $0.localAddress = "127.0.0.1" })
            try await test.expectFailure(.hostUnreachable, over: test.transport { $0.localAddress = "203.0.113.1" })
        },
        Check(.http2PriorKnowledge, "speaks HTTP/2 without TLS, and nothing else", overHTTP2: false) { test in
            let server = try MockServer(httpVersions: .automatic) { _ in .text("x") }
            let transport = try test.transport { $0.httpVersions = .http2PriorKnowledge }
            let version = try await test.collect(test.request(server.url), over: transport).response.version
            let streams = server.requests.map { $0.stream != nil }
            await server.stop()
            try test.expect(version, equals: .http2, "version")
            try test.expect(streams, equals: [true], "requests as streams")
        },
        Check(.http3, "does not send a plain request by another version", overHTTP2: false) { test, server in
            _ = try await test.failure(over: test.transport { $0.httpVersions = .http3Only })
            try test.expect(server.connectionCount, equals: 0, "connections")
        },
        Check(.addressPolicy, "connects to no address that is not allowed, and to one that is") { test, server in
            server.enqueue(.text("allowed"))
            let strict = try test.transport { $0.addressPolicy = .publicOnly }
            for host in ["127.0.0.1", "localhost"] {
                let url = try test.url("http://\(host):\(server.port)/")
                try await test.expectFailure(.addressNotAllowed, of: test.request(url), over: strict)
            }
            try test.expect(server.connectionCount, equals: 0, "connections")
            let transport = try test.transport {
                $0.addressPolicy = .publicOnly
                $0.addressPolicy.allowedAddresses = ["127.0.0.0/8"]
            }
            try await test.expectText("allowed", over: transport)
        },
        Check(.proxy, "sends a plain request to the proxy, with its credentials", overHTTP2: false) { test, proxy in
            let url = try test.url("http://service.invalid/path?a=b")
            let transport = try test.transport {
                $0.proxy = .http(host: "127.0.0.1", port: proxy.port, username: "user", password: "pass")
            }
            // Some transports send credentials only after a challenge.
            proxy.on("/path") { request in
                request.headers["Proxy-Authorization"] == "Basic dXNlcjpwYXNz"
                    ? .text("by proxy") : .status(407, headers: ["Proxy-Authenticate": "Basic realm=\"proxy\""])
            }
            try await test.expectText("by proxy", of: test.request(url), over: transport)
            try test.expect(
                proxy.requests.last?.target, equals: "http://service.invalid/path?a=b", "target at the proxy")
        },
        Check(.proxyExceptions, "does not ask the proxy for exceptions", overHTTP2: false) { test, proxy in
            let transport = try test.transport {
                $0.proxy = .http(host: "127.0.0.1", port: proxy.port, exceptions: ["localhost"])
            }
            proxy.enqueue(.text("direct"))
            let direct = try test.url("http://localhost:\(proxy.port)/direct")
            _ = try await test.collect(test.request(direct), over: transport)
            try test.expect(proxy.requests.last?.target, equals: "/direct", "target of the exception")
        },
        Check(.proxy, "tunnels https through CONNECT", overHTTP2: false) { test in
            let url = try test.smallFile(test.servers.tls, "tls")
            let proxy = try test.need(test.servers.proxy, "proxy")
            let transport = try test.trustingTransport { $0.proxy = .http(host: proxy.host, port: proxy.port) }
            try await test.expectSmallFile(url, over: transport)
        },
        Check(.tlsProxy, "verifies a proxy that is reached over TLS, and tunnels through it", overHTTP2: false) {
            test in
            let url = try test.smallFile(test.servers.tls, "tls")
            let proxy = try test.need(test.servers.tlsProxy, "tlsProxy")
            let authority = try test.need(test.servers.authority, "authority")
            for isTrusted in [true, false] {
                let transport = try test.trustingTransport {
                    $0.proxy = .https(
                        host: proxy.host, port: proxy.port,
                        certificateAuthorities: isTrusted ? .only(pem: authority) : .system)
                }
                if isTrusted {
                    try await test.expectSmallFile(url, over: transport)
                } else {
                    try await test.expectFailure(.proxyFailed, of: test.request(url), over: transport)
                }
            }
        },
        Check(.socksProxy, "has a SOCKS proxy look up names, and connect", overHTTP2: false) { test, server in
            let proxy = try test.need(test.servers.socksProxy, "socksProxy")
            let transport = try test.transport { $0.proxy = .socks5(host: proxy.host, port: proxy.port) }
            server.enqueue(.text("through SOCKS"))
            let url = try test.url("http://localhost:\(server.port)/")
            try await test.expectText("through SOCKS", of: test.request(url), over: transport)
            let unknown = try test.url("http://no-such-host.invalid/")
            try await test.expectFailure(.proxyFailed, .hostUnreachable, of: test.request(unknown), over: transport)
        },
        Check(.proxy, "tells an unreachable proxy from an unreachable server") { test, server in
            let transport = try test.transport { $0.proxy = .http(host: "no-such-proxy.invalid", port: 3128) }
            try await test.expectFailure(.proxyFailed, over: transport)
        },
    ]

    /// Broken replies and connections. Each has its own code, and none hangs.
    static let errorChecks: [Check] = [
        Check(.bufferedResponse, "reports a refused connection") { test in
            // Not the port of a server that was stopped: the system may give that to another process.
            let listener = try Listener.loopback(accepts: false)
            defer { listener.close() }
            let url = try test.url("http://127.0.0.1:\(listener.port)/")
            try await test.expectFailure(.connectionRefused, of: test.request(url))
        },
        Check(.bufferedResponse, "reports a name without an address") { test in
            let url = try test.url("http://no-such-host.invalid/")
            try await test.expectFailure(.nameNotResolved, of: test.request(url))
        },
        Check(.malformedReplies, "reports each malformed reply by its code", overHTTP2: false) { test, server in
            let table: [(MockFault, TransportError.Code)] = [
                (.garbageStatusLine, .malformedStatusLine), (.badChunkSize, .malformedChunk),
                (.truncatedBody, .truncatedBody), (.truncatedChunkedBody, .truncatedBody),
                (.conflictingContentLengths, .conflictingLengths), (.corruptGzip, .contentDecodingFailed),
                (.endlessHeaders, .headersTooLarge),
            ]
            let transport = try test.transport()
            for (fault, code) in table {
                server.enqueue(MockResponse.bytes(count: 10_000).fault(fault))
                try await ConformanceFailure.naming(fault) {
                    try await test.expectFailure(code, over: transport)
                }
            }
        },
        Check(.malformedReplies, "reports a connection that is closed or reset at each point") { test, server in
            let transport = try test.transport()
            for point in [MockFault.Point.beforeResponse, .inHeaders, .inBody] {
                for fault in [MockFault.close(point), .reset(point)] {
                    server.enqueue(MockResponse.bytes(count: 100_000).fault(fault))
                    try await ConformanceFailure.naming(fault) {
                        try await test.expectFailure(
                            .connectionLost, .connectionReset, .truncatedBody, .malformedHeader,
                            of: test.request(server.url, .post), over: transport)
                    }
                }
            }
        },
    ]
}
