import NetCore
import NetTesting
import Testing

@testable import NetClient

/// What a transport's settings do to a request.
@Suite struct URLRequestTransportTests {
    @Test(
        arguments: [
            (60, nil, 60), (60, 300, 300), (60, 5, 5), (60, 0, 60), (60, -1, 60), (30, 300, 30), (90, 300, 90),
            (90, 5, 5),
            (90, nil, 90), (0, 5, 5), (60, .infinity, .infinity),
        ] as [(TimeInterval, TimeInterval?, TimeInterval)])
    func idleTimeout(_ own: TimeInterval, _ general: TimeInterval?, _ expected: TimeInterval) throws {
        var request = try request()
        request.timeoutInterval = own
        #expect(request.idleTimeout(or: general) == expected)
    }

    @Test func headersOfTheRequestWin() throws {
        let own = try request(headers: ["x-a": "own", "X-B": "b"])
        let fields = try own.adding(["X-A": "general", "X-C": "c"]).allHTTPHeaderFields
        #expect(fields == ["x-a": "own", "X-B": "b", "X-C": "c"])
        #expect(try own.adding([:]) == own)
    }

    @Test func headersThatWouldSmuggle() throws {
        let own = try request()
        #expect(throws: RequestBuildingError.self) { try own.adding(["X-A": "1\r\nX-B: 2"]) }
    }

    @Test func everyTransportAddsThem() async throws {
        let server = try MockServer { _ in .text("ok") }
        var configuration = TransportConfiguration()
        configuration.additionalHeaders = ["X-App": "1", "X-Other": "general"]
        var transports: [any ClosableTransport] = [URLSessionTransport(configuration: configuration)]
        #if os(Linux)
            transports.append(CurlTransport(configuration: configuration))
        #endif
        for transport in transports {
            var request = URLRequest(url: server.url("/"))
            request.setValue("own", forHTTPHeaderField: "X-Other")
            let response = try await transport.send(request, body: nil, context: RequestContext())
            _ = try await response.body.collect(upTo: 100)
            let sent = try await server.takeRequest().headers
            #expect(sent["X-App"] == "1" && sent.values(for: "X-Other") == ["own"])
            await transport.shutdown()
        }
        await server.stop()
    }
}
