import Foundation
import NetCore
import NetTesting
import TestLab
import Testing

@testable import NetClient

extension URLSessionSuites {
    /// Nothing is left behind: no session, no descriptor.
    struct URLSessionLifeTests {
        @Test(arguments: [false, true]) func aReleasedTransportLeavesNoSession(isShutDown: Bool) async throws {
            let server = try MockServer { _ in .text("x") }
            weak var session: URLSession?
            do {
                let transport = URLSessionTransport()
                session = transport.sessions.main.session.withLock { $0 }
                #expect(session != nil)
                let response = try await transport.send(
                    URLRequest(url: server.url), body: nil, context: RequestContext())
                _ = try await response.body.collect(upTo: 10)
                if isShutDown { await transport.shutdown() }
            }
            let check = { [weak session] in session == nil ? () : nil }
            try await waitUntil("the session is released", check)
            try await server.waitForOpenConnections()
        }

        #if os(Linux)
            @Test func fiveHundredRequestsOfAllKindsLeaveNoDescriptor() async throws {
                await #expect(processExitsWith: .success) {
                    try await ResourceCensus.settle()
                    try await URLSessionSuites.URLSessionLifeTests.exercise(rounds: 5)
                    let before = ResourceCensus()
                    try await URLSessionSuites.URLSessionLifeTests.exercise(rounds: 100)
                    // Foundation lets go of a session when it likes: one that it still holds has the two sockets with which
                    // libcurl wakes itself. Five hundred requests must not leave more than that.
                    let limit = before.descriptors.count + 2
                    for _ in 0..<1000 where ResourceCensus().descriptors.count > limit {
                        try await SystemClock().sleep(for: 0.01)
                    }
                    let after = ResourceCensus()
                    #expect(after.descriptors.count <= limit, "\(after.growth(since: before))")
                }
            }
        #endif

        /// Five requests a round: plain, a challenge, a streamed upload, one that is dropped and one that is cancelled.
        private static func exercise(rounds: Int) async throws {
            let server = try MockServer { request in
                switch request.path {
                case "/challenge": .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
                case "/large": .bytes(count: 1 << 40)
                default: .text("x")
                }
            }
            let transport = URLSessionTransport()
            for _ in 0..<rounds {
                for path in ["/", "/challenge"] {
                    let request = URLRequest(url: server.url(path))
                    let response = try await transport.send(request, body: nil, context: RequestContext())
                    _ = try await response.body.collect(upTo: 10)
                }
                var upload = URLRequest(url: server.url)
                upload.httpMethod = "POST"
                let body = HTTPBody(stream: AsyncStream(unfolding: { nil as Data? }))
                _ = try await transport.send(upload, body: body, context: RequestContext()).body.collect(upTo: 10)
                let large = URLRequest(url: server.url("/large"))
                _ = try await transport.send(large, body: nil, context: RequestContext())
                let task = Task {
                    let response = try await transport.send(large, body: nil, context: RequestContext())
                    for try await _ in response.body {}
                }
                task.cancel()
                _ = await task.result
            }
            await transport.shutdown()
            await server.stop()
        }
    }
}
