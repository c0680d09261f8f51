extension TransportConformance {
    /// Responses: whole, as a stream, and slowed down by their reader.
    static let bodyChecks: [Check] = [
        Check(.bufferedResponse, "gives status, headers, version and body", overHTTP2: false) { bench in
            try await bench.withServer { server in
                server.enqueue(.text("hello", status: 203).header("X-Test", "a").addingHeader("X-Test", "b"))
                let (response, data) = try await bench.collect(
                    bench.request(server.url("/a?b=c")), over: bench.transport())
                try bench.expect(response.status, equals: 203, "status")
                try bench.expect(data, equals: Data("hello".utf8), "body")
                try bench.expect(
                    response.headers["x-test"] == "a, b", "X-Test is \(response.headers["x-test"] ?? "missing")")
                try bench.expect(response.version, equals: .http1_1, "version")
                try bench.expect(response.url, equals: server.url("/a?b=c"), "URL")
                try bench.expect(server.requests.map(\.target), equals: ["/a?b=c"], "what the server saw")
            }
        },
        Check(.bufferedResponse, "gives a body of 5 MB, of no bytes, and none for HEAD and 204") { bench in
            try await bench.withServer { server in
                let transport = try bench.transport()
                server.enqueue(.bytes(count: 5_000_000), .ok, .text("hello"), .noContent)
                let large = try await bench.collect(bench.request(server.url), over: transport).data
                try bench.expect(large == MockResponse.generatedBytes(count: 5_000_000), "5 MB differ")
                for method in [HTTPMethod.get, .head, .delete] {
                    let data = try await bench.collect(bench.request(server.url, method), over: transport).data
                    try bench.expect(data.count, equals: 0, "bytes for \(method)")
                }
            }
        },
        Check(.bufferedResponse, "gives up when the body is over the limit") { bench in
            try await bench.withServer { server in
                for response in [MockResponse.bytes(count: 100_001), .bytes(count: 100_001).framed(.chunked)] {
                    server.enqueue(response)
                    var context = RequestContext()
                    context.delivery = .collected(limit: 100_000)
                    do {
                        let response = try await bench.transport()
                            .send(bench.request(server.url), body: nil, context: context)
                        _ = try await response.body.collect(upTo: 100_000)
                        throw ConformanceFailure("100,001 bytes were accepted")
                    } catch let error as NetworkError {
                        try bench.expect(error, equals: .responseTooLarge(limit: 100_000), "error")
                    }
                }
            }
        },
        Check(.streamedResponse, "gives the head before the body") { bench in
            try await bench.withServer { server in
                server.enqueue(.chunked(["one", "two"], delay: 0.3))
                let response = try await bench.transport()
                    .send(bench.request(server.url), body: nil, context: RequestContext())
                var iterator = response.body.makeAsyncIterator()
                let first = try await iterator.next()
                try bench.expect(first, equals: Data("one".utf8), "first chunk")
                var rest = Data()
                while let chunk = try await iterator.next() { rest.append(chunk) }
                try bench.expect(rest, equals: Data("two".utf8), "the rest")
            }
        },
        Check(.streamedResponse, "gives 20 MB in order, and can be read only once") { bench in
            try await bench.withServer { server in
                server.enqueue(.bytes(count: 20_000_000))
                let response = try await bench.transport()
                    .send(bench.request(server.url), body: nil, context: RequestContext())
                try bench.expect(response.body.length, equals: 20_000_000, "length")
                let data = try await response.body.collect(upTo: 64 << 20)
                try bench.expect(data == MockResponse.generatedBytes(count: 20_000_000), "the bytes differ")
                do {
                    _ = try await response.body.collect(upTo: 64 << 20)
                    throw ConformanceFailure("the body could be read twice")
                } catch NetworkError.bodyNotReplayable {}
            }
        },
        Check(.streamedResponse, "ends the transfer when the body is dropped unread", overHTTP2: false) { bench in
            try await bench.withServer { server in
                server.enqueue(.bytes(count: 1 << 40))
                let transport = try bench.transport()
                var response: TransportResponse? =
                    try await transport
                    .send(bench.request(server.url), body: nil, context: RequestContext())
                try bench.expect(response?.status, equals: 200, "status")
                response = nil
                try await bench.eventually("the connection is closed") {
                    server.connectionCount == 1 && server.openConnections == 0
                }
            }
        },
        Check(.backPressure, "stops reading when nobody reads") { bench in
            try await bench.withServer { server in
                server.enqueue(.bytes(count: 256 << 20))
                let received = Locked(Int64(0))
                var context = RequestContext()
                context.progress = { progress in received.withLock { $0 = progress.bytesReceived } }
                let response = try await bench.transport { $0.limits.streamBufferBytes = 256 * 1024 }
                    .send(bench.request(server.url), body: nil, context: context)
                var iterator = response.body.makeAsyncIterator()
                _ = try await iterator.next()
                // Long enough for a transport without back-pressure to take in hundreds of megabytes.
                try await Task.sleep(nanoseconds: 500_000_000)
                let taken = received.withLock { $0 }
                try bench.expect(taken < 8 << 20, "\(taken) bytes were read ahead")
                try bench.expect(try await iterator.next() != nil, "reading does not go on")
            }
        },
    ]
}
