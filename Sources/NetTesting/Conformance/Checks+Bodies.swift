extension TransportConformance {
    /// Responses that are collected, streamed, or slowed down by their reader.
    static let bodyChecks: [Check] = [
        Check(.bufferedResponse, "gives status, headers, version and body", overHTTP2: false) { test, server in
            server.enqueue(.text("hello", status: 203).header("X-Test", "a").addingHeader("X-Test", "b"))
            let (response, data) = try await test.collect(test.request(server.url("/a?b=c")))
            try test.expect(response.status, equals: 203, "status")
            try test.expect(data, equals: Data("hello".utf8), "body")
            try test.expect(response.headers["x-test"], equals: "a, b", "X-Test")
            try test.expect(response.version, equals: .http1_1, "version")
            try test.expect(response.url, equals: server.url("/a?b=c"), "URL")
            try test.expect(server.requests.map(\.target), equals: ["/a?b=c"], "what the server saw")
        },
        Check(.bufferedResponse, "gives a body of 5 MB, of no bytes, and none for HEAD and 204") { test, server in
            let transport = try test.transport()
            server.enqueue(.bytes(count: 5_000_000), .ok, .text("hello"), .noContent)
            let large = try await test.collect(over: transport).data
            try test.expect(large == MockResponse.generatedBytes(count: 5_000_000), "5 MB differ")
            for method in [HTTPMethod.get, .head, .delete] {
                let data = try await test.collect(test.request(server.url, method), over: transport).data
                try test.expect(data.count, equals: 0, "bytes for \(method)")
            }
        },
        Check(.bufferedResponse, "gives up when the body is over the limit") { test, server in
            for response in [MockResponse.bytes(count: 100_001), .bytes(count: 100_001).framed(.chunked)] {
                server.enqueue(response)
                do {
                    _ = try await test.collect(limit: 100_000)
                    throw ConformanceFailure("100,001 bytes were accepted")
                } catch let error as NetworkError {
                    try test.expect(error, equals: .responseTooLarge(limit: 100_000), "error")
                }
            }
        },
        Check(.streamedResponse, "gives the head before the body") { test, server in
            server.enqueue(.chunked(["one", "two"], delay: 4))
            let response = try await test.send()
            var iterator = response.body.makeAsyncIterator()
            try test.expect(try await iterator.next(), equals: Data("one".utf8), "first chunk")
            var rest = Data()
            while let chunk = try await iterator.next() { rest.append(chunk) }
            try test.expect(rest, equals: Data("two".utf8), "the rest")
        },
        Check(.streamedResponse, "gives 20 MB in order, and can be read only once") { test, server in
            server.enqueue(.bytes(count: 20_000_000))
            let response = try await test.send()
            try test.expect(response.body.length, equals: 20_000_000, "length")
            let data = try await response.body.collect(upTo: 64 << 20)
            try test.expect(data == MockResponse.generatedBytes(count: 20_000_000), "the bytes differ")
            do {
                _ = try await response.body.collect(upTo: 64 << 20)
                throw ConformanceFailure("the body could be read twice")
            } catch NetworkError.bodyNotReplayable {}
        },
        Check(.streamedResponse, "ends the transfer when the body is dropped unread", overHTTP2: false) {
            test, server in
            server.enqueue(.bytes(count: 1 << 40))
            let transport = try test.transport()
            var response: TransportResponse? = try await test.send(over: transport)
            try test.expect(response?.status, equals: 200, "status")
            response = nil
            try await test.eventually("the connection is closed") {
                server.connectionCount == 1 && server.openConnections == 0
            }
        },
        Check(.backPressure, "stops reading when the body is not read") { test, server in
            server.enqueue(.bytes(count: 256 << 20))
            let received = Locked(Int64(0))
            var context = RequestContext()
            context.progress = { progress in received.withLock { $0 = progress.bytesReceived } }
            let transport = try test.transport { $0.limits.streamBufferBytes = 256 * 1024 }
            let response = try await test.send(over: transport, context: context)
            var iterator = response.body.makeAsyncIterator()
            _ = try await iterator.next()
            // In this time, a transport without back-pressure would read hundreds of megabytes.
            try await Task.sleep(nanoseconds: 500_000_000)
            let taken = received.withLock { $0 }
            try test.expect(taken < 8 << 20, "\(taken) bytes were read ahead")
            try test.expect(try await iterator.next() != nil, "reading does not go on")
        },
    ]

    /// Content codings and limits.
    static let codingChecks: [Check] = [
        Check(.decompression, "asks for gzip and decodes it") { test, server in
            server.enqueue(.gzippedZeros(count: 100_000).header("Content-Encoding", "gzip"))
            let (_, data) = try await test.collect()
            try test.expect(data, equals: Data(count: 100_000), "body")
            let asked = server.requests.last?.headers["Accept-Encoding"] ?? ""
            try test.expect(asked.contains("gzip"), "Accept-Encoding is '\(asked)'")
        },
        Check(.decompression, "leaves a body encoded if it is told to") { test, server in
            server.enqueue(.gzippedZeros(count: 100_000).header("Content-Encoding", "gzip"))
            let (_, data) = try await test.collect(over: test.transport { $0.decodesContent = false })
            try test.expect(data.prefix(2), equals: Data([0x1F, 0x8B]), "the first bytes")
        },
        Check(.decompressionLimit, "gives up on a body that decodes to more than the limit") { test, server in
            server.enqueue(.ok.fault(.decompressionBomb))
            let error = try await test.failure(over: test.transport { $0.limits.decodedBodyBytes = 1_000_000 })
            try test.expect(error as? NetworkError == .responseTooLarge(limit: 1_000_000), "the error is \(error)")
        },
        Check(.headerLimit, "gives up on endless headers") { test, server in
            server.enqueue(.ok.fault(.endlessHeaders))
            try await test.expectFailure(.headersTooLarge)
        },
    ]
}
