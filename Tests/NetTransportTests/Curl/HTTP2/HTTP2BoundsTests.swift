#if os(Linux)
    import FaultLab
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// What is not read waits at the server, and what is given up leaves nothing behind. Client and server are one process here, so the
    /// bounds hold for both.
    @Suite(.timeLimit(.minutes(3))) struct HTTP2BoundsTests {
        private static let size: Int64 = 30_000_000

        /// A lab whose streams, other than `/small`, have to wait for their readers.
        private static func makeLab(_ size: Int64 = size) async throws -> HTTP2Lab {
            try await HTTP2Lab { $0.path == "/small" ? .text("ok") : .bytes(count: size) }
        }

        /// Opens 30 streams, reads so many bytes of each, and expects that the rest waits at the server.
        private static func openStreams(
            of lab: HTTP2Lab, over transport: CurlTransport, reading bytes: Int
        ) async throws -> [HTTPBody.AsyncIterator] {
            for _ in 0..<100 { _ = try await transport.fetch(lab.server.url("/small")) }
            let before = try heldKiB()
            var iterators: [HTTPBody.AsyncIterator] = []
            for number in 0..<30 {
                let response = try await transport.stream(lab.server.url("/\(number)"))
                #expect(response.version == .http2)
                var (iterator, count) = (response.body.makeAsyncIterator(), 0)
                while count < bytes, let chunk = try await iterator.next() { count += chunk.count }
                iterators.append(iterator)
            }
            try await rest(lab.server)
            let held = try heldKiB() - before
            #expect(held < 40_000, "\(held) KiB")
            return iterators
        }

        /// The server has come to rest: no stream has a byte more to send for its window.
        private static func rest(_ server: MockServer) async throws {
            try await waitUntilSteady("the server has to wait", samples: 11) {
                let bytes = server.http2Connections.reduce(0) { $0 + $1.unreturnedBytes }
                return server.requestCount == 0 ? nil : Int(bytes) + server.requestCount
            }
        }

        @Test(.ownProcess, .unsanitized, .requires(.openssl)) func unreadStreamsAreBoundedByFlowControl() async throws {
            await #expect(processExitsWith: .success) {
                let lab = try await Self.makeLab()
                let streams = try await Self.openStreams(of: lab, over: lab.transport, reading: 0)
                #expect(lab.server.connectionCount == 1)
                // They delay no other request, and are whole when they are read at last.
                for _ in 0..<20 { #expect(try await lab.transport.fetch(lab.server.url("/small")).status == 200) }
                for var stream in streams.prefix(3) {
                    var count: Int64 = 0
                    while let chunk = try await stream.next() { count += Int64(chunk.count) }
                    #expect(count == Self.size)
                }
            }
        }

        /// The readers are quick at first.
        @Test(.ownProcess, .unsanitized, .requires(.openssl)) func readersThatStopAreBounded() async throws {
            await #expect(processExitsWith: .success) {
                let lab = try await Self.makeLab(100_000_000)
                #expect(try await Self.openStreams(of: lab, over: lab.transport, reading: 20_000_000).count == 30)
            }
        }

        @Test(.ownProcess, .unsanitized, .requires(.openssl)) func cancelledStreamsReleaseTheirMemory() async throws {
            await #expect(processExitsWith: .success) {
                let lab = try await Self.makeLab()
                var sizes: [Int] = []
                for round in 0..<8 {
                    var responses: [TransportResponse] = []
                    for number in 0..<20 {
                        responses.append(try await lab.transport.stream(lab.server.url("/\(round)-\(number)")))
                    }
                    try await Self.rest(lab.server)
                    responses = []
                    try await lab.server.waitForHTTP2 { $0.first?.openStreams == 0 }
                    #expect(try await lab.transport.fetch(lab.server.url("/small")).status == 200)
                    sizes.append(try heldKiB())
                }
                // A stream held about 500 KiB. The first round makes what is made only once.
                #expect(sizes[7] - sizes[1] < 2_500, "\(sizes)")
                // One connection for all of them: a stream that is given up spares it.
                #expect(lab.server.connectionCount == 1)
                #expect(lab.server.http2Connections[0].resets.map(\.code) == Array(repeating: .cancel, count: 160))
            }
        }

        @Test(arguments: MockHTTP2Fault.floods) func floodOfFramesIsBounded(_ flood: MockHTTP2Fault) async throws {
            let (lab, other) = (try await HTTP2Lab(), try await HTTP2Lab())
            let (transport, neighbour) = (lab.transport { $0.timeouts.idle = 2 }, other.transport())
            lab.server.on("/flood", .text("x").fault(http2: flood, at: .afterHead))
            for _ in 0..<3 {
                await #expect(throws: TransportError.self) { _ = try await transport.fetch(lab.server.url("/flood")) }
                #expect(try await neighbour.fetch(other.server.url("/")).status == 200)
            }
            #expect(lab.server.requestCount == 3)
            await transport.shutdown()
        }

        @Test(arguments: [16_000, 140_000, 250_000]) func largeHeadBelowTheLimitIsRead(_ bytes: Int) async throws {
            let lab = try await HTTP2Lab()
            lab.server.on("/", .text("ok").fault(http2: .largeHeaders(bytes: bytes), at: .beforeHead))
            let response = try await lab.transport.stream(lab.server.url("/"))
            #expect(response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } > bytes * 3 / 4)
        }

        @Test(arguments: [MockHTTP2Fault.largeHeaders(bytes: 300_000), .hpackBomb()])
        func headAboveTheLimitIsHeadersTooLarge(_ fault: MockHTTP2Fault) async throws {
            let lab = try await HTTP2Lab()
            lab.server.on("/", .text("ok").fault(http2: fault, at: .beforeHead))
            lab.server.on("/small", .text("ok"))
            for _ in 0..<3 {
                try await lab.transport.expectFailure(.headersTooLarge, of: lab.server.url("/"))
                // Of one stream only.
                #expect(try await lab.transport.fetch(lab.server.url("/small")).status == 200)
            }
            #expect(lab.server.connectionCount == 1)
        }
    }
#endif
