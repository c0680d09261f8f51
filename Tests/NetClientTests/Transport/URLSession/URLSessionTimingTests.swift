import Foundation
import NetCore
import NetTesting
import Testing

@testable import NetClient

/// Timeouts, cancellation and the transport's own end.
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
            let response = try await transport.send(request(server, timeout: 0.3), body: nil, context: RequestContext())
            _ = try await response.body.collect(upTo: 1 << 20)
        }
        #expect(error?.code == .idleTimeout)
        #expect(error?.phase == (point == .inBody ? .receivingBody : .waiting))
        #expect(error?.isUnprocessed == false)
        try await server.waitForOpenConnections()
    }
}
