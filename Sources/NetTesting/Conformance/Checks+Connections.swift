extension TransportConformance {
    /// Connections: kept, limited, and made to somewhere else.
    static let connectionChecks: [Check] = [
        Check(.connectionReuse, "uses a connection again") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport()
                for _ in 0..<5 {
                    server.enqueue(.text("x"))
                    _ = try await bench.collect(bench.request(server.url), over: transport)
                }
                try bench.expect(server.connectionCount, equals: 1, "connections")
            }
        },
        Check(.connectionLimit, "makes no more connections to a host than it may") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport { $0.limits.connectionsPerHost = 2 }
                for _ in 0..<12 { server.enqueue(MockResponse.text("x").delayed(by: 0.02)) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<12 {
                        group.addTask { _ = try await bench.collect(bench.request(server.url), over: transport) }
                    }
                    try await group.waitForAll()
                }
                try bench.expect(server.requests.count, equals: 12, "requests")
                try bench.expect(server.connectionCount <= 2, "\(server.connectionCount) connections")
            }
        },
        Check(.unixSocket, "talks to a Unix-domain socket", overHTTP2: false) { bench in
            let path = FileManager.default.temporaryDirectory.path + "/c-\(UUID().uuidString.prefix(8)).sock"
            let server = try MockServer(unixSocketPath: path)
            server.enqueue(.text("through the socket"))
            guard let url = URL(string: "http://service.local/path") else { throw NetworkError.invalidURL }
            let transport = try bench.transport { $0.unixSocketPath = path }
            let data = try await bench.collect(bench.request(url), over: transport).data
            let received = server.requests.last
            await server.stop()
            try bench.expect(data, equals: Data("through the socket".utf8), "body")
            try bench.expect(received?.headers["Host"] == "service.local", "Host: \(received?.headers["Host"] ?? "")")
        },
        Check(.resolveOverride, "uses the address given in place of a look-up", overHTTP2: false) { bench in
            try await bench.withServer { server in
                server.enqueue(.text("x"))
                guard let url = URL(string: "http://no-such-host.invalid:\(server.port)/") else {
                    throw NetworkError.invalidURL
                }
                let transport = try bench.transport {
                    $0.resolveOverrides = [
                        ResolveOverride(host: "no-such-host.invalid", port: server.port, addresses: ["127.0.0.1"])
                    ]
                }
                let (_, data) = try await bench.collect(bench.request(url), over: transport)
                try bench.expect(data, equals: Data("x".utf8), "body")
                try bench.expect(
                    server.requests.last?.headers["Host"] == "no-such-host.invalid:\(server.port)", "wrong Host")
            }
        },
        Check(.addressPolicy, "connects to no address that is not allowed, and to one that is") { bench in
            try await bench.withServer { server in
                server.enqueue(.text("allowed"))
                let strict = try bench.transport { $0.addressPolicy = .publicOnly }
                for host in ["127.0.0.1", "localhost"] {
                    guard let url = URL(string: "http://\(host):\(server.port)/") else { throw NetworkError.invalidURL }
                    try await bench.expectFailure(.addressNotAllowed, of: bench.request(url), over: strict)
                }
                try bench.expect(server.connectionCount, equals: 0, "connections")
                let transport = try bench.transport {
                    $0.addressPolicy = .publicOnly
                    $0.addressPolicy.allowedAddresses = ["127.0.0.0/8"]
                }
                let (_, data) = try await bench.collect(bench.request(server.url), over: transport)
                try bench.expect(data, equals: Data("allowed".utf8), "body")
            }
        },
        Check(.proxy, "sends a plain request to the proxy, with its credentials", overHTTP2: false) { bench in
            try await bench.withServer { proxy in
                guard let url = URL(string: "http://service.invalid/path?a=b") else { throw NetworkError.invalidURL }
                let transport = try bench.transport {
                    $0.proxy = .http(host: "127.0.0.1", port: proxy.port, username: "user", password: "pass")
                }
                // Some show their credentials only to who asks for them.
                proxy.on("/path") { request in
                    request.headers["Proxy-Authorization"] == "Basic dXNlcjpwYXNz"
                        ? .text("by proxy") : .status(407, headers: ["Proxy-Authenticate": "Basic realm=\"proxy\""])
                }
                let (_, data) = try await bench.collect(bench.request(url), over: transport)
                try bench.expect(data, equals: Data("by proxy".utf8), "body")
                try bench.expect(
                    proxy.requests.last?.target, equals: "http://service.invalid/path?a=b", "target at the proxy")
            }
        },
        Check(.proxyExceptions, "does not ask the proxy for exceptions", overHTTP2: false) { bench in
            try await bench.withServer { proxy in
                let transport = try bench.transport {
                    $0.proxy = .http(host: "127.0.0.1", port: proxy.port, exceptions: ["localhost"])
                }
                proxy.enqueue(.text("direct"))
                guard let direct = URL(string: "http://localhost:\(proxy.port)/direct") else {
                    throw NetworkError.invalidURL
                }
                _ = try await bench.collect(bench.request(direct), over: transport)
                try bench.expect(proxy.requests.last?.target, equals: "/direct", "target of the exception")
            }
        },
        Check(.proxy, "tunnels https through CONNECT", overHTTP2: false) { bench in
            let tls = try bench.need(bench.servers.tls, "tls")
            let proxy = try bench.need(bench.servers.proxy, "proxy")
            let authority = try bench.need(bench.servers.authority, "authority")
            let transport = try bench.transport {
                $0.certificateAuthorities = .only(pem: authority)
                $0.proxy = .http(host: proxy.host, port: proxy.port)
            }
            let (response, data) = try await bench.collect(
                bench.request(tls.appendingPathComponent("small")), over: transport)
            try bench.expect(response.status, equals: 200, "status")
            try bench.expect(response.headers["Content-Length"] == "\(data.count)", "not what the server sent")
        },
        Check(.proxy, "tells a proxy that cannot be reached from a server that cannot") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport { $0.proxy = .http(host: "no-such-proxy.invalid", port: 3128) }
                try await bench.expectFailure(.proxyFailed, of: bench.request(server.url), over: transport)
            }
        },
    ]
}
