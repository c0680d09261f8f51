extension TransportConformance {
    /// Fields that a transport makes.
    private static let framing: Set = [
        "host", "content-length", "transfer-encoding", "accept-encoding", "connection", "expect",
    ]

    /// One exchange, and what goes with it: redirects, challenges, exactness, cancellation, metrics.
    static let exchangeChecks: [Check] = [
        Check(.singleExchange, "gives a redirect to the caller") { bench in
            try await bench.withServer { server in
                for status in [301, 302, 303, 307, 308] {
                    server.enqueue(.redirect(to: "/elsewhere", status: status))
                    let (response, _) = try await bench.collect(bench.request(server.url), over: bench.transport())
                    try bench.expect(response.status, equals: status, "status")
                    try bench.expect(response.headers["Location"] == "/elsewhere", "no Location")
                }
                try bench.expect(server.requests.count, equals: 5, "requests")
            }
        },
        Check(.singleExchange, "does not repeat a request by itself") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport()
                for status in [408, 429, 500, 503] {
                    server.enqueue(.status(status))
                    let (response, _) = try await bench.collect(bench.request(server.url), over: transport)
                    try bench.expect(response.status, equals: status, "status")
                }
                try bench.expect(server.requests.count, equals: 4, "requests")
            }
        },
        Check(.challenges, "gives 401 and 407 to the caller, whatever the scheme") { bench in
            try await bench.withServer { server in
                for scheme in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Bearer", "Negotiate"] {
                    server.enqueue(.status(401).header("WWW-Authenticate", scheme))
                    let (response, _) = try await bench.collect(bench.request(server.url), over: bench.transport())
                    try bench.expect(response.status, equals: 401, "status for \(scheme)")
                }
            }
        },
        Check(.exactRequest, "adds no field but Host, framing and Accept-Encoding") { bench in
            try await bench.withServer { server in
                let given = [
                    "Accept": "*/*", "Accept-Language": "de", "User-Agent": "conformance/1", "X-Custom": "a, b",
                    "Authorization": "Bearer x", "Cookie": "own=1",
                ]
                for (method, body) in [("GET", nil), ("POST", HTTPBody("text")), ("DELETE", nil)] {
                    server.enqueue(.ok)
                    var request = bench.request(server.url)
                    request.httpMethod = method
                    request.allHTTPHeaderFields = given.merging(body == nil ? [:] : ["Content-Type": "text/plain"]) {
                        $1
                    }
                    _ = try await bench.collect(request, body: body, over: bench.transport())
                    let sent = server.requests.last?.headers.filter { !framing.contains($0.name.lowercased()) } ?? []
                    try bench.expect(
                        sent.map { "\($0.name.lowercased()): \($0.value)" }.sorted(),
                        equals: (request.allHTTPHeaderFields ?? [:]).map { "\($0.key.lowercased()): \($0.value)" }
                            .sorted(), "fields of \(method)")
                }
            }
        },
        Check(.exactRequest, "keeps and sends no cookie: that is the client's to do") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport()
                server.enqueue(MockResponse.ok.header("Set-Cookie", "a=1"), .ok)
                for _ in 0..<2 { _ = try await bench.collect(bench.request(server.url), over: transport) }
                try bench.expect(server.requests.count, equals: 2, "requests")
                try bench.expect(server.requests.last?.headers["Cookie"] == nil, "a cookie was sent")
            }
        },
        Check(.cancellation, "stops at once: before, while waiting, and while reading", overHTTP2: false) { bench in
            try await bench.withServer { server in
                let transport = try bench.transport()
                let early = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await bench.failure(of: bench.request(server.url), over: transport)
                }
                let refused = try await early.value
                try bench.expect(refused is CancellationError, "before: \(refused)")
                try bench.expect(server.requests.count, equals: 0, "requests of a task that was cancelled before")

                server.enqueue(.ok.fault(.stall(.beforeResponse)), .bytes(count: 1 << 40))
                for stage in ["waiting", "reading"] {
                    let count = server.requests.count
                    let task = Task { try await bench.failure(of: bench.request(server.url), over: transport) }
                    try await bench.eventually("the request is there") { server.requests.count > count }
                    task.cancel()
                    let error = try await task.value
                    try bench.expect(error is CancellationError, "\(stage): \(error)")
                    try await bench.eventually("the connection is closed") { server.openConnections == 0 }
                }
            }
        },
        Check(.metrics, "tells times, bytes and reuse") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport()
                server.enqueue(.bytes(count: 1000), .bytes(count: 1000))
                let first = try await bench.collect(
                    bench.request(server.url, .post), body: HTTPBody("abc"), over: transport
                ).response.metrics
                try bench.expect(first.isReusedConnection, equals: false, "first: reused")
                try bench.expect(first.bytesSent, equals: 3, "bytes sent")
                try bench.expect(first.bytesReceived, equals: 1000, "bytes received")
                guard let connect = first.connect, let firstByte = first.firstByte, let total = first.total else {
                    throw ConformanceFailure("times are missing: \(first)")
                }
                try bench.expect(0 <= connect && connect <= firstByte && firstByte <= total, "out of order: \(first)")
                try bench.expect(first.remoteAddress?.hasSuffix(":\(server.port)") == true, "address: \(first)")
                let second = try await bench.collect(bench.request(server.url), over: transport).response.metrics
                try bench.expect(second.isReusedConnection, equals: true, "second: reused")
            }
        },
    ]
}
