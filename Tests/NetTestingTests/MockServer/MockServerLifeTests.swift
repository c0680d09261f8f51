import NetTesting
import TestLab
import Testing

/// Many connections, many servers, and their ends.
struct MockServerLifeTests {
    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        /// In a process of its own, where nobody else opens or closes anything.
        @Test(.ownProcess) func leavesNoDescriptorAndNoThread() async {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                try await Self.startAndStopServers()
                let before = ResourceCensus()
                try await Self.startAndStopServers()
                // The threads are joined, the client's may need a moment to end.
                try await waitUntil("the client's threads have ended") {
                    ResourceCensus().threads.map { $0 <= before.threads ?? 0 } ?? true ? () : nil
                }
                let after = ResourceCensus()
                #expect(after.descriptors.count == before.descriptors.count, "\(after.growth(since: before))")
            }
        }

        /// Twenty, each with a client that is still there, answered or kept waiting; half of them stopped by their deinitialiser.
        private static func startAndStopServers() async throws {
            for number in 0..<20 {
                let server = try MockServer()
                server.enqueue(number.isMultiple(of: 2) ? .text("x") : .fault(.stall(.inBody)))
                try await server.talk { connection in
                    try connection.request("GET /")
                    _ = try connection.read(10)
                }
                _ = try await server.takeRequest()
                if number < 10 { await server.stop() }
            }
        }

        @Test(.ownProcess) func stoppedServerLeaksNothing() async {
            await #expect(processExitsWith: .success) {
                try await LeakChecker().check { watch in
                    let server = try MockServer()
                    watch.track(server)
                    server.enqueue(.text("x"))
                    _ = try await server.rawAnswer()
                    await server.stop()
                }
            }
        }
    #endif

    @Test func stopsWithItsLastReference() async throws {
        var server: MockServer? = try MockServer { _ in
            try await Task.sleep(nanoseconds: 60_000_000_000)
            return .ok
        }
        let port = try #require(server?.port)
        let waiting = Task {
            try await offPool {
                let connection = try RawConnection(port: port)
                try connection.request("GET /")
                return try connection.readToEnd().ending
            }
        }
        _ = try await server?.takeRequest()
        server = nil
        #expect(try await waiting.value == .closed)
    }

    @Test func isFreedThoughAHandlerHoldsIt() async throws {
        weak var observed: MockServer?
        do {
            let server = try MockServer()
            server.on("/self") { [server] _ in .text("\(server.port)") }
            observed = server
            await server.stop()
        }
        #expect(observed == nil)
    }

    @Test func stopEndsWhatIsWaitedFor() async throws {
        let server = try MockServer()
        let waiting = Task { try await server.takeRequest(timeout: 60) }
        // Either way it ends with the same error: the server stops before or after the task begins to wait.
        await Task.yield()
        for _ in 0..<2 { await server.stop() }
        await #expect(throws: NetTestingError.stopped) { try await waiting.value }
        await #expect(throws: NetTestingError.stopped) { try await server.takeRequest() }
        // Whether the port is closed cannot be tried: another test's server may have it by now.
    }

    @Test func takeRequestEndsByTimeAndByCancellation() async throws {
        let server = try MockServer()
        await #expect(throws: NetTestingError.timedOut(seconds: 0.02)) { try await server.takeRequest(timeout: 0.02) }
        let waiting = Task { try await server.takeRequest(timeout: 60) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        _ = try await server.rawAnswer(to: "/later")
        #expect(try await server.takeRequest().path == "/later")
    }

    @Test func givesEachRequestToOneTaker() async throws {
        let server = try MockServer()
        let paths = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await server.takeRequest().path } }
            try await server.talk { connection in for number in 0..<20 { try connection.exchange("GET /\(number)") } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(paths.count == 20)
    }

    @Test func holdsHundredsOfConnectionsWithOneThread() async throws {
        let server = try MockServer { request in request.path == "/big" ? .bytes(count: 100_000) : .text(request.path) }
        server.on("/fixed", .text("/fixed"))
        let port = server.port
        let wrong = try await offPool {
            let connections = try (0..<256).map { _ in try RawConnection(port: port) }
            var wrong = 0
            // All are asked before any is read: the server has 256 requests at once.
            for round in 0..<8 {
                let path = { (number: Int) in
                    switch (number + round) % 32 {
                    case 0: "/big"
                    case 1...15: "/fixed"
                    default: "/\(number)"
                    }
                }
                for (number, connection) in connections.enumerated() { try connection.request("GET \(path(number))") }
                for (number, connection) in connections.enumerated() {
                    let response = try connection.readResponse()
                    let isRight =
                        path(number) == "/big" ? response.body.count == 100_000 : response.text == path(number)
                    wrong += isRight ? 0 : 1
                }
            }
            return wrong
        }
        #expect((wrong, server.connectionCount, server.requests.count) == (0, 256, 2_048))
        #expect(server.protocolErrors.isEmpty)
    }

    @Test func takesABodyOfAGigabyteAndGivesOne() async throws {
        // A tenth of it here: the way is the same, and it takes no memory at any size.
        let count = 100_000_000
        let server = try MockServer(keepingBodiesUpTo: 1_000)
        server.enqueue(.bytes(count: Int64(count)))
        let received = try await server.talk { connection in
            try connection.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\nConnection: close\r\n\r\n")
            let piece = Data(count: 1_000_000)
            for _ in 0..<100 { try connection.send(piece) }
            return try connection.countToEnd()
        }
        #expect(received > count && received < count + 1_000)
        let request = try #require(server.requests.first)
        #expect((request.bodyLength, request.body.count, request.isBodyComplete) == (Int64(count), 1_000, true))
    }
}
