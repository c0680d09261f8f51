import NetTesting
import TestLab
import Testing

@testable import NetTransport

extension URLSessionSuites {
    /// Timeouts, cancellation and the transport's own end.
    ///
    /// Some wait long for a connection to close: a process that another test starts meanwhile has a copy of it, since
    /// FoundationNetworking does not mark its sockets to be closed.
    struct URLSessionTimingTests {
        let transport = URLSessionTransport()
        let server: MockServer

        init() throws { server = try MockServer() }

        @Test(arguments: [MockFault.Point.beforeResponse, .inHeaders, .inBody])
        func fractionalIdleTimeoutIsKept(point: MockFault.Point) async throws {
            try await withLimits { limit in
                server.enqueue(MockResponse.bytes(count: 50_000).fault(.stall(point)))
                let transport = URLSessionTransport(configuration: TransportConfiguration { $0.timeouts.idle = limit })
                let error = try await transport.expectFailure(.idleTimeout, of: server.url, streamed: true)
                #expect(error?.isUnprocessed == false)
                try await server.waitForOpenConnections(timeout: 120)
                return error?.phase == (point == .inBody ? .receivingBody : .waiting)
            }
        }

        /// At any moment, redirects and challenges among them: what comes too late for Foundation on Linux is a fatal error.
        @Test func cancellationAtAnyMomentLeavesTheTransportUsable() async throws {
            server.on("/", .bytes(count: 200_000))
            server.on("/redirect", .redirect(to: "/elsewhere"))
            server.on("/challenge", .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""]))
            let paths = ["/", "/redirect", "/challenge"]
            _ = try await atOnce(300) { [server, transport] number in
                let task = Task { try await transport.fetch(server.url(paths[number % 3]), streamed: true) }
                try await Task.sleep(nanoseconds: UInt64(number % 30) * 200_000)
                task.cancel()
                do { _ = try await task.value } catch { #expect(error is CancellationError) }
            }
            #expect(try await transport.fetch(server.url, streamed: true).body.count == 200_000)
        }

        @Test func shutdownEndsRequestsInFlight() async throws {
            server.enqueue(.ok.fault(.stall(.beforeResponse)))
            let task = Task { try await transport.expectFailure(.shutDown, of: server.url) }
            while server.openConnections == 0 { await Task.yield() }
            await transport.shutdown()
            await transport.shutdown()
            _ = try await task.value
            try await transport.expectFailure(.shutDown, of: server.url)
            try await server.waitForOpenConnections(timeout: 120)
        }

        @Test func streamedBodyOutlivesItsTransport() async throws {
            server.enqueue(.chunked(["a", "b", "c"], delay: 0.05))
            var transport: URLSessionTransport? = URLSessionTransport()
            let response = try await transport?.stream(server.url)
            transport = nil
            let body = try #require(response?.body)
            #expect(try await body.collect(upTo: 100) == Data("abc".utf8))
            // The session went too, or its idle connection would stay.
            try await server.waitForOpenConnections(timeout: 120)
        }

        @Test(
            arguments: [
                (60, nil, 60), (60, 300, 300), (60, 5, 5), (60, 0, 60), (60, -1, 60), (30, 300, 30), (90, 300, 90),
                (90, 5, 5), (90, nil, 90), (0, 5, 5), (60, .infinity, .infinity),
            ] as [(TimeInterval, TimeInterval?, TimeInterval)])
        func idleTimeoutIsOwnOrGeneral(_ own: TimeInterval, _ general: TimeInterval?, _ expected: TimeInterval) throws {
            var request = URLRequest(url: try url("https://a.example/"))
            request.timeoutInterval = own
            #expect(request.idleTimeout(or: general) == expected)
        }
    }

    /// Nothing is left behind: no session, no descriptor.
    struct URLSessionLeakTests {
        @Test(arguments: [false, true]) func releasedTransportReleasesItsSession(isShutDown: Bool) async throws {
            let server = try MockServer { _ in .text("x") }
            weak var session: URLSession?
            do {
                let transport = URLSessionTransport()
                session = transport.sessions.session.withLock { $0 }
                #expect(session != nil)
                _ = try await transport.fetch(server.url, streamed: true)
                if isShutDown { await transport.shutdown() }
            }
            try await waitUntil("the session is released") { [weak session] in session == nil ? () : nil }
            try await server.waitForOpenConnections(timeout: 120)
        }

        #if os(Linux)
            /// Not in it: a body that is cancelled half-way. FoundationNetworking leaks some of those tasks, and with them the two
            /// descriptors of their session.
            @Test(.ownProcess) func requestsLeakNoDescriptor() async throws {
                await #expect(processExitsWith: .success) {
                    // This process has the sockets of the tests beside it, since FoundationNetworking does not mark its own to be
                    // closed, and they stay open as long as it has them.
                    for (end, name) in ResourceCensus().descriptors where name.hasPrefix("socket:") { close(end) }
                    try await ResourceCensus.settle()
                    try await URLSessionSuites.URLSessionLeakTests.exercise(rounds: 5)
                    let before = ResourceCensus()
                    try await URLSessionSuites.URLSessionLeakTests.exercise(rounds: 125)
                    // Foundation closes the last sockets on its own threads.
                    for _ in 0..<1000 where ResourceCensus().descriptors.count > before.descriptors.count {
                        try await SystemClock().sleep(for: 0.01)
                    }
                    let after = ResourceCensus()
                    #expect(after.descriptors.count <= before.descriptors.count, "\(after.growth(since: before))")
                }
            }
        #endif

        /// Four requests a round: plain, a challenge, a streamed upload, and one that is cancelled.
        private static func exercise(rounds: Int) async throws {
            let server = try MockServer { request in
                request.path == "/" ? .text("x") : .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
            }
            let transport = URLSessionTransport()
            for _ in 0..<rounds {
                for path in ["/", "/challenge"] { _ = try await transport.fetch(server.url(path), streamed: true) }
                let body = HTTPBody(stream: AsyncStream(unfolding: { nil as Data? }))
                _ = try await transport.fetch(server.url, "POST", body: body, streamed: true)
                let task = Task { try await transport.fetch(server.url, streamed: true) }
                task.cancel()
                _ = await task.result
            }
            await transport.shutdown()
            await server.stop()
        }
    }
}
