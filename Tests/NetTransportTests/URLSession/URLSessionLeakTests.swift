import NetTesting
import TestLab
import Testing

@testable import NetTransport

extension URLSessionSuites {
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
