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
    }
}
