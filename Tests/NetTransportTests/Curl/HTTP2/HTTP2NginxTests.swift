#if os(Linux)
    import NetClient
    import TestLab
    import Testing

    @Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct HTTP2NginxTests {
        private let nginx: NginxServer
        private let transport: CurlTransport

        init() async throws {
            nginx = try await NginxServer()
            let authority = try await TestCertificates.shared.ca.pem
            transport = CurlTransport { $0.certificateAuthorities = .only(pem: authority) }
        }

        @Test(arguments: [100, 100_000, 3_000_000], [Int64?.none, 0])
        func uploads(count: Int, declared: Int64?) async throws {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let chunks = AsyncStream<Data> { continuation in
                for start in stride(from: 0, to: count, by: 70_000) {
                    continuation.yield(data[start..<min(count, start + 70_000)])
                }
                continuation.finish()
            }
            let bodies = [
                "data": HTTPBody(data), "stream": HTTPBody(stream: chunks, length: declared.map { _ in Int64(count) }),
            ]
            for (name, body) in bodies {
                let path = "upload/\(name)-\(count)-\(declared != nil)"
                let url = nginx.http2URL.appendingPathComponent(path)
                #expect([201, 204].contains(try await transport.fetch(url, "PUT", body: body).status))
                #expect(try nginx.read(path) == data)
            }
        }

        @Test func manyShareAConnection() async throws {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<200 {
                    group.addTask { try await transport.fetch(nginx.http2URL.appendingPathComponent("64k")).body.count }
                }
                for try await count in group { #expect(count == 65_536) }
            }
        }

        @Test func waitsForASlowReader() async throws {
            try nginx.writeSparse("large", 20_000_000)
            let response = try await transport.send(
                URLRequest(url: nginx.http2URL.appendingPathComponent("large")), body: nil, context: RequestContext())
            #expect(response.version == .http2)
            #expect(response.body.length == 20_000_000)
            var count = 0
            for try await chunk in response.body {
                count += chunk.count
                try await Task.sleep(nanoseconds: 1_000_000)
            }
            #expect(count == 20_000_000)
        }

        @Test func cancellingOneStreamLeavesTheOthers() async throws {
            try nginx.writeSparse("huge", 500_000_000)
            let url = nginx.http2URL.appendingPathComponent("huge")
            for _ in 0..<10 {
                let response = try await transport.send(URLRequest(url: url), body: nil, context: RequestContext())
                var chunks = response.body.makeAsyncIterator()
                _ = try await chunks.next()
                // Dropped here, in the middle.
            }
            #expect(try await transport.fetch(nginx.http2URL.appendingPathComponent("small")).body.count == 200)
        }
    }
#endif
