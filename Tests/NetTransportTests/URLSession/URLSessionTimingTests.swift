import Foundation
import NetCore
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
        private func request(_ server: MockServer, timeout: TimeInterval = 20) -> URLRequest {
            URLRequest(url: server.url, timeoutInterval: timeout)
        }

        @Test(arguments: [MockFault.Point.beforeResponse, .inHeaders, .inBody])
        func anIdleTimeoutOfAFractionOfASecondWorks(point: MockFault.Point) async throws {
            let server = try MockServer()
            server.enqueue(MockResponse.bytes(count: 50_000).fault(.stall(point)))
            let transport = URLSessionTransport()
            let error = await #expect(throws: TransportError.self) {
                let response = try await transport.send(
                    request(server, timeout: 0.3), body: nil, context: RequestContext())
                _ = try await response.body.collect(upTo: 1 << 20)
            }
            #expect(error?.code == .idleTimeout)
            #expect(error?.phase == (point == .inBody ? .receivingBody : .waiting))
            #expect(error?.isUnprocessed == false)
            try await server.waitForOpenConnections(timeout: 120)
        }

        @Test func theShorterIdleTimeoutCounts() async throws {
            let server = try MockServer()
            server.enqueue(.ok.fault(.stall(.beforeResponse)))
            var configuration = TransportConfiguration()
            configuration.timeouts.idle = 0.1
            let transport = URLSessionTransport(configuration: configuration)
            let error = await #expect(throws: TransportError.self) {
                _ = try await transport.send(request(server), body: nil, context: RequestContext())
            }
            #expect(error?.code == .idleTimeout)
        }

        @Test func theDeadlineOfTheCallEndsTheExchange() async throws {
            let server = try MockServer()
            server.enqueue(.ok.fault(.stall(.beforeResponse)))
            let transport = URLSessionTransport()
            for seconds in [-1, 0.2] {
                var context = RequestContext()
                context.deadline = context.clock.uptime + seconds
                let error = await #expect(throws: TransportError.self) {
                    _ = try await transport.send(request(server), body: nil, context: context)
                }
                #expect(error?.code == .totalTimeout)
            }
        }

        @Test func nothingIsSentForATaskThatWasCancelledBefore() async throws {
            let server = try MockServer()
            let transport = URLSessionTransport()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.send(request(server), body: nil, context: RequestContext())
            }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(server.connectionCount == 0)
        }

        /// At any moment, redirects and challenges among them: what comes too late for Foundation on Linux is a fatal error.
        @Test func cancellingAtAnyMomentEndsAll() async throws {
            let server = try MockServer { request in
                switch request.path {
                case "/redirect": .redirect(to: "/elsewhere")
                case "/challenge": .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
                default: .bytes(count: 200_000)
                }
            }
            let transport = URLSessionTransport()
            let paths = ["/", "/redirect", "/challenge"]
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
                    let request = URLRequest(url: server.url(paths[number % 3]), timeoutInterval: 20)
                    group.addTask {
                        let task = Task {
                            let response = try await transport.send(request, body: nil, context: RequestContext())
                            return try await response.body.collect(upTo: 1 << 20).count
                        }
                        try? await Task.sleep(nanoseconds: UInt64(number % 30) * 200_000)
                        task.cancel()
                        do {
                            _ = try await task.value
                        } catch {
                            #expect(error is CancellationError)
                        }
                    }
                }
            }
            let last = try await transport.send(request(server), body: nil, context: RequestContext())
            #expect(try await last.body.collect(upTo: 1 << 20).count == 200_000)
        }

        @Test func shuttingDownEndsWhatIsInFlightAndWhatComesAfter() async throws {
            let server = try MockServer()
            server.enqueue(.ok.fault(.stall(.beforeResponse)))
            let transport = URLSessionTransport()
            let task = Task { try await transport.send(request(server), body: nil, context: RequestContext()) }
            while server.openConnections == 0 { await Task.yield() }
            await transport.shutdown()
            await transport.shutdown()
            let during = await #expect(throws: TransportError.self) { _ = try await task.value }
            #expect(during?.code == .shutDown)
            let after = await #expect(throws: TransportError.self) {
                _ = try await transport.send(request(server), body: nil, context: RequestContext())
            }
            #expect(after?.code == .shutDown)
            try await server.waitForOpenConnections(timeout: 120)
        }

        @Test func shuttingDownEndsAnUploadWhoseStreamGivesNothing() async throws {
            let server = try MockServer()
            server.enqueue(.ok.fault(.stall(.beforeResponse)))
            let transport = URLSessionTransport()
            let asked = AsyncStream<Void>.makeStream()
            let body = HTTPBody(pulling: {
                asked.continuation.finish()
                try await SystemClock().sleep(for: .infinity)
                return nil
            })
            let task = Task {
                var request = request(server)
                request.httpMethod = "POST"
                return try await transport.send(request, body: body, context: RequestContext())
            }
            for await _ in asked.stream {}
            await transport.shutdown()
            let error = await #expect(throws: TransportError.self) { _ = try await task.value }
            #expect(error?.code == .shutDown)
        }

        @Test func aBodyIsReadOnWhenItsTransportIsGone() async throws {
            let server = try MockServer()
            server.enqueue(.chunked(["a", "b", "c"], delay: 0.05))
            var transport: URLSessionTransport? = URLSessionTransport()
            let response = try await transport?.send(request(server), body: nil, context: RequestContext())
            transport = nil
            let body = try #require(response?.body)
            #expect(try await body.collect(upTo: 100) == Data("abc".utf8))
            // The session went too, or its idle connection would stay.
            try await server.waitForOpenConnections(timeout: 120)
        }

    }
}
