extension TransportConformance {
    /// HTTP/2 alone: streams that share a connection and end one by one.
    static let streamChecks: [Check] = [
        Check(.http2, "sends a hundred requests at once over one connection") { test, server in
            server.on("/", .text("ok").delayed(by: 0.05))
            let transport = try test.transport()
            try await withThrowingTaskGroup(of: HTTPVersion?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await test.collect(test.request(server.url), over: transport).response.version
                    }
                }
                for try await version in group { try test.expect(version, equals: .http2, "version") }
            }
            try test.expect(server.connectionCount, equals: 1, "connections")
            try test.expect(server.requestCount, equals: 100, "requests")
        },
        Check(.http2, "reports a stream that is broken off as cut, whatever the reason") { test in
            for fault in [MockHTTP2Fault.reset(.noError), .reset(.cancel), .goAway(.internalError), .close, .garbage] {
                for point in [MockHTTP2Fault.Point.afterHead, .afterBody(40)] {
                    try await test.withServer { server in
                        server.on("/", .bytes(count: 1000).fault(http2: fault, at: point))
                        try await test.expectFailure(
                            .truncatedBody, of: test.request(server.url), over: test.transport())
                    }
                }
            }
        },
        Check(.http2, "says which requests the server certainly did not process") { test in
            for fault in [MockHTTP2Fault.reset(.refusedStream), .goAway(.noError, last: .previous)] {
                try await test.withServer { server in
                    server.on("/", .ok.fault(http2: fault, at: .beforeHead))
                    let error = try await test.failure(
                        of: test.request(server.url, .post), body: HTTPBody(Data("x".utf8)), over: test.transport())
                    let found = error as? TransportError
                    try test.expect(found?.code, equals: .refusedStream, "code of \(fault)")
                    try test.expect(found?.isUnprocessed, equals: true, "isUnprocessed after \(fault)")
                }
            }
        },
        Check(.http2, "tells protocol errors from an unreachable network") { test in
            let expected: [(MockHTTP2Fault, TransportError.Code)] = [
                (.badSetting, .flowControlError), (.badIndex, .compressionError), (.pushPromise, .protocolError),
                (.http1Response, .protocolError), (.largeHeaders(bytes: 600_000), .headersTooLarge),
            ]
            for (fault, code) in expected {
                try await test.withServer { server in
                    server.on("/", .ok.fault(http2: fault, at: .beforeHead))
                    try await test.expectFailure(code, of: test.request(server.url), over: test.transport())
                }
            }
        },
        Check(.backPressure, "holds back the server of a stream that is not read, and of no other") { test, server in
            let (transport, response) = try await openLargeStream(test, server)
            for _ in 0..<20 { _ = try await test.collect(test.request(server.url("/small")), over: transport) }
            try test.expect(server.connectionCount, equals: 1, "connections")
            var count = 0
            for try await chunk in response.body { count += chunk.count }
            try test.expect(count, equals: 50_000_000, "bytes")
        },
        Check(.cancellation, "ends one stream and spares the connection") { test, server in
            let transport = try await openLargeStream(test, server).transport
            // The response is gone.
            try await server.waitForHTTP2 { $0.first?.resets.map(\.code) == [.cancel] }
            _ = try await test.collect(test.request(server.url("/small")), over: transport)
            try test.expect(server.connectionCount, equals: 1, "connections")
        },
    ]

    /// Opens a stream of 50 MB, and serves a small response at `/small`.
    private static func openLargeStream(
        _ test: TransportFixture, _ server: MockServer
    ) async throws -> (transport: any HTTPTransport, response: TransportResponse) {
        server.on("/large", .bytes(count: 50_000_000))
        server.on("/small", .text("ok"))
        let transport = try test.transport()
        var context = RequestContext()
        context.delivery = .streamed
        let response = try await test.send(test.request(server.url("/large")), over: transport, context: context)
        try test.expect(response.version, equals: .http2, "version")
        return (transport, response)
    }
}
