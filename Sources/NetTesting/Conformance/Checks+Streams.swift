extension TransportConformance {
    /// What HTTP/2 has and HTTP/1.1 has not: streams that share a connection, and end one by one.
    static let streamChecks: [Check] = [
        Check(.http2, "sends a hundred requests at once over one connection") { bench in
            try await bench.withServer { server in
                server.on("/", .text("ok").delayed(by: 0.05))
                let transport = try bench.transport()
                try await withThrowingTaskGroup(of: HTTPVersion?.self) { group in
                    for _ in 0..<100 {
                        group.addTask {
                            try await bench.collect(bench.request(server.url), over: transport).response.version
                        }
                    }
                    for try await version in group { try bench.expect(version, equals: .http2, "version") }
                }
                try bench.expect(server.connectionCount, equals: 1, "connections")
                try bench.expect(server.requestCount, equals: 100, "requests")
            }
        },
        Check(.http2, "takes a stream that is broken off for cut, whatever the reason") { bench in
            for fault in [MockHTTP2Fault.reset(.noError), .reset(.cancel), .goAway(.internalError), .close, .garbage] {
                for point in [MockHTTP2Fault.Point.afterHead, .afterBody(40)] {
                    try await bench.withServer { server in
                        server.on("/", .bytes(count: 1000).fault(http2: fault, at: point))
                        try await bench.expectFailure(
                            .truncatedBody, of: bench.request(server.url), over: bench.transport())
                    }
                }
            }
        },
        Check(.http2, "says what the server certainly did not process") { bench in
            for fault in [MockHTTP2Fault.reset(.refusedStream), .goAway(.noError, last: .previous)] {
                try await bench.withServer { server in
                    server.on("/", .ok.fault(http2: fault, at: .beforeHead))
                    let error = try await bench.failure(
                        of: bench.request(server.url, .post), body: HTTPBody(Data("x".utf8)), over: bench.transport())
                    let found = error as? TransportError
                    try bench.expect(found?.code, equals: .refusedStream, "code of \(fault)")
                    try bench.expect(found?.isUnprocessed, equals: true, "isUnprocessed after \(fault)")
                }
            }
        },
        Check(.http2, "tells breaches of the protocol from a network that is not there") { bench in
            let expected: [(MockHTTP2Fault, TransportError.Code)] = [
                (.badSetting, .flowControlError), (.badIndex, .compressionError), (.pushPromise, .protocolError),
                (.http1Response, .protocolError), (.largeHeaders(bytes: 600_000), .headersTooLarge),
            ]
            for (fault, code) in expected {
                try await bench.withServer { server in
                    server.on("/", .ok.fault(http2: fault, at: .beforeHead))
                    try await bench.expectFailure(code, of: bench.request(server.url), over: bench.transport())
                }
            }
        },
        Check(.backPressure, "holds back the server of a stream that is not read, and of no other") { bench in
            try await bench.withServer { server in
                server.on("/large", .bytes(count: 50_000_000))
                server.on("/small", .text("ok"))
                let transport = try bench.transport()
                var context = RequestContext()
                context.delivery = .streamed
                let response = try await transport.send(
                    bench.request(server.url("/large")), body: nil, context: context)
                for _ in 0..<20 { _ = try await bench.collect(bench.request(server.url("/small")), over: transport) }
                try bench.expect(server.connectionCount, equals: 1, "connections")
                var count = 0
                for try await chunk in response.body { count += chunk.count }
                try bench.expect(count, equals: 50_000_000, "bytes")
            }
        },
        Check(.cancellation, "ends one stream and spares the connection") { bench in
            try await bench.withServer { server in
                server.on("/large", .bytes(count: 50_000_000))
                server.on("/small", .text("ok"))
                let transport = try bench.transport()
                var context = RequestContext()
                context.delivery = .streamed
                var response: TransportResponse? = try await transport.send(
                    bench.request(server.url("/large")), body: nil, context: context)
                try bench.expect(response?.version, equals: .http2, "version")
                response = nil
                try await server.waitForHTTP2 { $0.first?.resets.map(\.code) == [.cancel] }
                _ = try await bench.collect(bench.request(server.url("/small")), over: transport)
                try bench.expect(server.connectionCount, equals: 1, "connections")
            }
        },
    ]
}
