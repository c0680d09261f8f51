#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Which connection carries a request, which requests wait for one, and what connections leave behind.
    @Suite(.timeLimit(.minutes(3)), .serialized) struct HTTP2ConnectionTests {
        @Test(arguments: [0, 1, 2]) func idleConnectionsAboveTheLimitAreClosed(_ idle: Int) async throws {
            let labs = try await atOnce(6) { _ in try await HTTP2Lab { _ in .text("ok").delayed(by: 0.1) } }
            let transport = labs[0].transport { $0.limits.idleConnections = idle }
            for _ in 0..<5 { try await transport.fetchAtOnce(labs.map { $0.server.url("/") }) }
            try await waitUntil("the others are closed") {
                labs.flatMap(\.server.http2Connections).filter(\.isOpen).count <= idle ? () : nil
            }
        }

        @Test func constantGoAwayCausesAtMostTwoConnectionsARequest() async throws {
            let lab = try await HTTP2Lab()
            let watch = Task {
                while !Task.isCancelled {
                    lab.server.goAway(lastStream: 0)
                    try await Task.sleep(nanoseconds: 100_000)
                }
            }
            let client = lab.client { $0.timeouts.total = 3 }
            for number in 0..<50 { _ = try? await client.send("POST", lab.server.url("/\(number)"), HTTPBody("x")) }
            watch.cancel()
            #expect(lab.server.connectionCount <= 100, "\(lab.server.connectionCount)")
        }

        @Test func cancelledWaitersForAStreamAreNotSent() async throws {
            let lab = try await HTTP2Lab(MockHTTP2Settings(streams: 1)) { _ in .text("ok") }
            lab.server.on("/long", MockResponse(body: .stream([.bytes(Data(count: 4_000)), .hold])))
            let transport = lab.transport { $0.limits.connectionsPerHost = 1 }
            _ = try await transport.fetch(lab.server.url("/"))
            var long: TransportResponse? = try await transport.stream(lab.server.url("/long"))
            for _ in 0..<3 {
                let tasks = (0..<200).map { _ in Task { _ = try await transport.fetch(lab.server.url("/never")) } }
                try await Task.sleep(nanoseconds: 20_000_000)
                for task in tasks { task.cancel() }
                for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            }
            let last = Task { try await transport.fetch(lab.server.url("/last")).status }
            var count = 0
            for try await chunk in try #require(long?.body) {
                count += chunk.count
                if count == 4_000 { break }
            }
            long = nil
            #expect(try await last.value == 200 && count == 4_000)
            #expect(lab.server.requests.map(\.path) == ["/", "/long", "/last"])
        }

        @Test(arguments: [0, 1]) func idleLimitDoesNotCloseBusyConnections(_ idle: Int) async throws {
            let (plain, lab) = (try await HTTP2Lab(versions: .http1Only), try await HTTP2Lab())
            for server in [plain.server, lab.server] { server.on("/slow", .bytes(count: 100_000_000)) }
            let transport = lab.transport { $0.limits.idleConnections = idle }
            var busy: [TransportResponse] = []
            for lab in [plain, plain, lab] { busy.append(try await transport.stream(lab.server.url("/slow"))) }
            for _ in 0..<3 { #expect(try await transport.fetch(lab.server.url("/")).status == 200) }
            #expect(busy.count == 3)
        }

        @Test func drainingConnectionDoesNotCountTowardsTheLimit() async throws {
            let lab = try await HTTP2Lab()
            lab.server.on("/slow", .bytes(count: 1000).throttled(bytesPerSecond: 50))
            let client = lab.client { $0.limits.connectionsPerHost = 1 }
            let slow = try await client.send("GET", lab.server.url("/slow"))
            lab.server.goAway()
            // What is sent before GOAWAY has come is sent once more.
            try await Task.sleep(nanoseconds: 50_000_000)
            #expect(try await client.send("GET", lab.server.url("/")).status == 200)
            // It did not wait for the other to end.
            #expect(lab.server.http2Connections[0].openStreams == 1)
            _ = slow
        }

        @Test func waitingForAStreamIsNotIdleTimeout() async throws {
            // Each response takes less time than the timeout, and the five before the last one take more.
            try await withLimits([3, 10, 30]) { limit in
                let lab = try await HTTP2Lab(MockHTTP2Settings(streams: 1)) { _ in .text("ok").delayed(by: limit / 4) }
                let transport = lab.transport { ($0.limits.connectionsPerHost, $0.timeouts.idle) = (1, limit) }
                lab.server.on("/quick", .text("ok"))
                _ = try await transport.fetch(lab.server.url("/quick"))
                try await transport.fetchAtOnce((0..<6).map { lab.server.url("/\($0)") })
                return true
            }
        }

        @Test func longStreamDoesNotDelayOthers() async throws {
            let lab = try await HTTP2Lab(MockHTTP2Settings(streams: 1)) { _ in .text("ok") }
            lab.server.on("/long", .bytes(count: 2_000).throttled(bytesPerSecond: 100))
            _ = try await lab.transport.fetch(lab.server.url("/"))
            let long = try await lab.transport.stream(lab.server.url("/long"))
            try await lab.transport.fetchAtOnce((0..<4).map { lab.server.url("/\($0)") })
            #expect(lab.server.http2Connections.contains { $0.openStreams == 1 }, "the long one has ended first")
            _ = long
        }

        @Test func goAwayWhileIdleFailsNoRequest() async throws {
            let lab = try await HTTP2Lab()
            let client = lab.client()
            for number in 0..<300 {
                await #expect(throws: Never.self, "\(number)") {
                    try await client.send("POST", lab.server.url("/\(number)"), HTTPBody("x"))
                }
                lab.server.goAway()
            }
            #expect(Set(lab.server.requests.map(\.path)).count == lab.server.requestCount)
        }

        @Test func http11RequiredWhileConnectionsOpenFailsNoRequest() async throws {
            for round in 0..<60 {
                let lab = try await HTTP2Lab(MockHTTP2Settings(streams: 1)) { _ in .text("ok") }
                let client = lab.client { ($0.limits.connectionsPerHost, $0.timeouts.idle) = (1 + round % 4, 6) }
                try await client.send("GET", lab.server.url("/"))
                lab.server.on("/last", MockResponse.ok.fault(http2: .reset(.http11Required), at: .beforeHead))
                _ = try await atOnce(16) { number in
                    await #expect(throws: Never.self, "\(round) \(number)") {
                        try await Task.sleep(nanoseconds: UInt64(number * 150_000))
                        let url = lab.server.url(number == round % 8 ? "/last" : "/\(number)")
                        #expect(try await client.send("POST", url, HTTPBody("x")).status == 200)
                    }
                }
                await client.shutdown()
                await lab.server.stop()
            }
        }

        @Test func gracefulGoAwayPairFailsNoRequest() async throws {
            let lab = try await HTTP2Lab()
            lab.server.on("/slow", .bytes(count: 1000).throttled(bytesPerSecond: 2000))
            let client = lab.client()
            try await client.send("GET", lab.server.url("/"))
            async let statuses = atOnce(4) { _ in try await client.send("GET", lab.server.url("/slow")).status }
            try await Task.sleep(nanoseconds: 100_000_000)
            lab.server.goAway(lastStream: Int(Int32.max))
            try await Task.sleep(nanoseconds: 50_000_000)
            lab.server.goAway(lastStream: 5)
            #expect(try await statuses == [200, 200, 200, 200])
        }

        @Test func cancellationAtEveryMomentCorruptsNoStream() async throws {
            let lab = try await HTTP2Lab(MockHTTP2Settings(streams: 3, window: 1000)) { _ in .bytes(count: 50_000) }
            for round in 0..<150 {
                let transport = lab.transport { $0.limits.connectionsPerHost = 1 + round % 3 }
                if round > 50 { _ = try await transport.fetch(lab.server.url("/")) }
                let tasks = (0..<12).map { number in
                    Task {
                        let body = number % 3 == 0 ? HTTPBody(Data(count: 20_000)) : nil
                        let (url, method) = (lab.server.url("/\(round)-\(number)"), body == nil ? "GET" : "POST")
                        let data = try await transport.fetch(url, method, body: body, streamed: number % 2 == 0).body
                        #expect(data.count == 50_000)
                    }
                }
                try await Task.sleep(nanoseconds: UInt64(round) * 150_000)
                for (number, task) in tasks.enumerated() where (number + round) % 4 != 0 { task.cancel() }
                if round % 3 == 0 { await transport.shutdown() }
                for task in tasks {
                    do { try await task.value } catch is CancellationError {} catch {
                        if round % 3 != 0, round > 50 { Issue.record("\(round): \(error)") }
                    }
                }
                if round % 3 != 0 { await transport.shutdown() }
            }
        }
    }
#endif
