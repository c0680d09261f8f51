extension TransportConformance {
    /// The fields that a transport adds.
    private static let framing: Set = [
        "host", "content-length", "transfer-encoding", "accept-encoding", "connection", "expect",
    ]

    /// Exchanges: redirects, challenges, exact requests, cancellation, metrics.
    static let exchangeChecks: [Check] = [
        Check(.singleExchange, "gives a redirect to the caller") { test, server in
            for status in [301, 302, 303, 307, 308] {
                server.enqueue(.redirect(to: "/elsewhere", status: status))
                let response = try await test.expectStatus(status)
                try test.expect(response.headers["Location"], equals: "/elsewhere", "Location")
            }
            try test.expect(server.requests.count, equals: 5, "requests")
        },
        Check(.singleExchange, "does not repeat a request by itself") { test, server in
            let transport = try test.transport()
            for status in [408, 429, 500, 503] {
                server.enqueue(.status(status))
                try await test.expectStatus(status, over: transport)
            }
            try test.expect(server.requests.count, equals: 4, "requests")
        },
        Check(.challenges, "gives 401 and 407 to the caller, whatever the scheme") { test, server in
            for scheme in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Bearer", "Negotiate"] {
                server.enqueue(.status(401).header("WWW-Authenticate", scheme))
                try await test.expectStatus(401)
            }
        },
        Check(.exactRequest, "adds no field but Host, framing and Accept-Encoding") { test, server in
            let given = [
                "Accept": "*/*", "Accept-Language": "de", "User-Agent": "conformance/1", "X-Custom": "a, b",
                "Authorization": "Bearer x", "Cookie": "own=1",
            ]
            for (method, body) in [("GET", nil), ("POST", HTTPBody("text")), ("DELETE", nil)] {
                server.enqueue(.ok)
                var request = test.request(server.url)
                request.httpMethod = method
                let fields = given.merging(body == nil ? [:] : ["Content-Type": "text/plain"]) { $1 }
                request.allHTTPHeaderFields = fields
                _ = try await test.collect(request, body: body)
                let sent = server.requests.last?.headers.filter { !framing.contains($0.name.lowercased()) } ?? []
                try test.expect(
                    sent.map { "\($0.name.lowercased()): \($0.value)" }.sorted(),
                    equals: fields.map { "\($0.key.lowercased()): \($0.value)" }.sorted(), "fields of \(method)")
            }
        },
        Check(.exactRequest, "keeps and sends no cookies, which are the client's") { test, server in
            let transport = try test.transport()
            server.enqueue(MockResponse.ok.header("Set-Cookie", "a=1"), .ok)
            for _ in 0..<2 { _ = try await test.collect(over: transport) }
            try test.expect(server.requests.count, equals: 2, "requests")
            try test.expect(server.requests.last?.headers["Cookie"] == nil, "a cookie was sent")
        },
        Check(.cancellation, "stops at once: before, while waiting, and while reading", overHTTP2: false) {
            test, server in
            let transport = try test.transport()
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await test.failure(over: transport)
            }
            let refused = try await early.value
            try test.expect(refused is CancellationError, "before: \(refused)")
            try test.expect(server.requests.count, equals: 0, "requests of a task that was cancelled before")

            server.enqueue(.ok.fault(.stall(.beforeResponse)), .bytes(count: 1 << 40))
            for stage in ["waiting", "reading"] {
                let count = server.requests.count
                let task = Task { try await test.failure(over: transport) }
                try await test.eventually("the request is there") { server.requests.count > count }
                task.cancel()
                let error = try await task.value
                try test.expect(error is CancellationError, "\(stage): \(error)")
                try await test.eventually("the connection is closed") { server.openConnections == 0 }
            }
        },
        Check(.metrics, "reports times, bytes and reuse") { test, server in
            let transport = try test.transport()
            server.enqueue(.bytes(count: 1000), .bytes(count: 1000))
            let post = test.request(server.url, .post)
            let first = try await test.collect(post, body: HTTPBody("abc"), over: transport).response.metrics
            try test.expect(first.isReusedConnection, equals: false, "first: reused")
            try test.expect(first.bytesSent, equals: 3, "bytes sent")
            try test.expect(first.bytesReceived, equals: 1000, "bytes received")
            guard let connect = first.connect, let firstByte = first.firstByte, let total = first.total else {
                throw ConformanceFailure("times are missing: \(first)")
            }
            try test.expect(0 <= connect && connect <= firstByte && firstByte <= total, "out of order: \(first)")
            try test.expect(first.remoteAddress?.hasSuffix(":\(server.port)") == true, "address: \(first)")
            let second = try await test.collect(over: transport).response.metrics
            try test.expect(second.isReusedConnection, equals: true, "second: reused")
        },
    ]

    /// Timeouts, each with its own code.
    static let timingChecks: [Check] = [
        Check(.connectTimeout, "ends a connection that is not established") { test, server in
            // The TLS handshake never completes.
            server.enqueue(MockResponse.ok.fault(.stall(.onAccept)))
            let request = try test.request(test.url("https://127.0.0.1:\(server.port)/"))
            try await test.expectFailure(.connectTimeout, of: request, over: test.transport { $0.timeouts.connect = 1 })
        },
        Check(.idleTimeout, "ends a response that stalls before, in the head and in the body") { test, server in
            for point in [MockFault.Point.beforeResponse, .inHeaders, .inBody] {
                server.enqueue(MockResponse.bytes(count: 50_000).fault(.stall(point)))
                var request = test.request(server.url)
                request.timeoutInterval = 1
                try await test.expectFailure(.idleTimeout, of: request)
            }
        },
        Check(.idleTimeout, "does not end a slow response that never stalls") { test, server in
            var request = test.request(server.url)
            request.timeoutInterval = 1.2
            // A pause of this machine is a silence as well. A transport that counts the whole time fails each time.
            try await test.upToFiveTimes {
                server.enqueue(.chunked(["a", "b", "c", "d", "e"], delay: 0.4))
                try await test.expectText("abcde", of: request)
            }
        },
        Check(.fractionalTimeout, "keeps a timeout of a fifth of a second") { test, server in
            let transport = try test.transport { $0.timeouts.idle = 0.2 }
            // On a busy machine this server itself may take as long. A transport that takes the timeout for none at all fails each time.
            try await test.upToFiveTimes {
                server.enqueue(.text("quick"))
                try await test.expectStatus(200, over: transport)
            }
            server.enqueue(.ok.fault(.stall(.beforeResponse)))
            try await test.expectFailure(.idleTimeout, over: transport)
        },
        Check(.totalTimeout, "ends an exchange that takes too long, though bytes keep coming") { test, server in
            server.enqueue(.bytes(count: 1 << 30).throttled(bytesPerSecond: 10_000))
            try await test.expectFailure(.totalTimeout, over: test.transport { $0.timeouts.total = 1 })
        },
        Check(.totalTimeout, "keeps the deadline of the call, also one that has passed") { test, server in
            for seconds in [1.0, -1.0] {
                server.enqueue(.ok.fault(.stall(.beforeResponse)))
                var context = RequestContext()
                context.deadline = context.clock.uptime + seconds
                try await test.expectFailure(.totalTimeout, context: context)
            }
        },
        Check(.totalTimeout, "takes a deadline without an end, or NaN, for none") { test, server in
            let transport = try test.transport()
            var context = RequestContext()
            context.delivery = .collected(limit: 100)
            let distant = context.clock.uptime + 1e10
            for deadline in [distant, .greatestFiniteMagnitude, .infinity, .nan] {
                // The timers are checked meanwhile.
                server.enqueue(MockResponse.text("in time").delayed(by: 0.05))
                context.deadline = deadline
                let response = try await test.send(over: transport, context: context)
                let data = try await response.body.collect(upTo: 100)
                try test.expect(data, equals: Data("in time".utf8), "body with a deadline of \(deadline)")
            }
        },
    ]
}
