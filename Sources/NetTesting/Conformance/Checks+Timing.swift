extension TransportConformance {
    /// Timeouts: each by itself, and each with its own code.
    static let timingChecks: [Check] = [
        Check(.connectTimeout, "ends a connection that does not come about") { bench in
            try await bench.withServer { server in
                // Whoever wants to speak TLS to it waits for a handshake that never comes.
                server.enqueue(MockResponse.ok.fault(.stall(.onAccept)))
                guard let url = URL(string: "https://127.0.0.1:\(server.port)/") else { throw NetworkError.invalidURL }
                try await bench.expectFailure(
                    .connectTimeout, of: bench.request(url), over: bench.transport { $0.timeouts.connect = 1 })
            }
        },
        Check(.idleTimeout, "ends a response that stalls before, in the head and in the body") { bench in
            try await bench.withServer { server in
                for point in [MockFault.Point.beforeResponse, .inHeaders, .inBody] {
                    server.enqueue(MockResponse.bytes(count: 50_000).fault(.stall(point)))
                    var request = bench.request(server.url)
                    request.timeoutInterval = 1
                    try await bench.expectFailure(.idleTimeout, of: request, over: bench.transport())
                }
            }
        },
        Check(.idleTimeout, "lets a slow response run that never stalls") { bench in
            try await bench.withServer { server in
                server.enqueue(.chunked(["a", "b", "c", "d", "e"], delay: 0.4))
                var request = bench.request(server.url)
                request.timeoutInterval = 1.2
                let (_, data) = try await bench.collect(request, over: bench.transport())
                try bench.expect(data, equals: Data("abcde".utf8), "body")
            }
        },
        Check(.fractionalTimeout, "keeps a timeout of a fifth of a second") { bench in
            try await bench.withServer { server in
                server.enqueue(.text("quick"), .ok.fault(.stall(.beforeResponse)))
                let transport = try bench.transport { $0.timeouts.idle = 0.2 }
                _ = try await bench.collect(bench.request(server.url), over: transport)
                try await bench.expectFailure(.idleTimeout, of: bench.request(server.url), over: transport)
            }
        },
        Check(.totalTimeout, "ends an exchange that takes too long, though bytes keep coming") { bench in
            try await bench.withServer { server in
                server.enqueue(.bytes(count: 1 << 30).throttled(bytesPerSecond: 10_000))
                try await bench.expectFailure(
                    .totalTimeout, of: bench.request(server.url), over: bench.transport { $0.timeouts.total = 1 })
            }
        },
        Check(.totalTimeout, "keeps the deadline of the call, also one that has passed") { bench in
            try await bench.withServer { server in
                for seconds in [1.0, -1.0] {
                    server.enqueue(.ok.fault(.stall(.beforeResponse)))
                    var context = RequestContext()
                    context.deadline = context.clock.uptime + seconds
                    try await bench.expectFailure(
                        .totalTimeout, of: bench.request(server.url), over: bench.transport(), context: context)
                }
            }
        },
    ]
}
