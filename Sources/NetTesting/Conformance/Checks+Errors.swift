extension TransportConformance {
    /// Replies and connections that are broken: each has its own code, and none hangs.
    static let errorChecks: [Check] = [
        Check(.bufferedResponse, "tells a refused connection") { bench in
            let server = try MockServer()
            let url = server.url
            await server.stop()
            try await bench.expectFailure(.connectionRefused, of: bench.request(url), over: bench.transport())
        },
        Check(.bufferedResponse, "tells a name that has no address") { bench in
            guard let url = URL(string: "http://no-such-host.invalid/") else { throw NetworkError.invalidURL }
            try await bench.expectFailure(.nameNotResolved, of: bench.request(url), over: bench.transport())
        },
        Check(.malformedReplies, "tells each malformed reply by its code", overHTTP2: false) { bench in
            let table: [(MockFault, [TransportError.Code])] = [
                (.garbageStatusLine, [.malformedStatusLine]),
                (.badChunkSize, [.malformedChunk]),
                (.truncatedBody, [.truncatedBody]),
                (.truncatedChunkedBody, [.truncatedBody]),
                (.conflictingContentLengths, [.conflictingLengths]),
                (.corruptGzip, [.contentDecodingFailed]),
                (.endlessHeaders, [.headersTooLarge]),
            ]
            try await bench.withServer { server in
                let transport = try bench.transport()
                for (fault, codes) in table {
                    server.enqueue(MockResponse.bytes(count: 10_000).fault(fault))
                    let error: any Error
                    do {
                        error = try await bench.failure(of: bench.request(server.url), over: transport)
                    } catch {
                        throw ConformanceFailure("\(fault): \(error)")
                    }
                    guard let found = error as? TransportError, codes.contains(found.code) else {
                        throw ConformanceFailure("\(fault): expected \(codes.map(\.rawValue)), got \(error)")
                    }
                    try bench.expect(found.url != nil, "\(fault): the error names no URL")
                }
            }
        },
        Check(.malformedReplies, "tells a connection that is closed or reset at each point") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport()
                for point in [MockFault.Point.beforeResponse, .inHeaders, .inBody] {
                    for fault in [MockFault.close(point), .reset(point)] {
                        server.enqueue(MockResponse.bytes(count: 100_000).fault(fault))
                        let error = try await bench.failure(of: bench.request(server.url, .post), over: transport)
                        let codes: Set<TransportError.Code> = [
                            .connectionLost, .connectionReset, .truncatedBody, .malformedHeader,
                        ]
                        guard let found = error as? TransportError, codes.contains(found.code) else {
                            throw ConformanceFailure("\(fault): expected one of \(codes), got \(error)")
                        }
                    }
                }
            }
        },
    ]
}
