#if os(Linux)
    import FaultLab
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// What each fault of a server becomes.
    @Suite(.timeLimit(.minutes(3))) struct HTTP2FaultTests {
        private func failure(_ fault: MockHTTP2Fault, _ point: MockHTTP2Fault.Point) async throws -> TransportError? {
            let lab = try await HTTP2Lab()
            lab.server.on("/", .bytes(count: 1000).fault(http2: fault, at: point))
            let transport = lab.transport { $0.timeouts.idle = 10 }
            do { _ = try await transport.fetch(lab.server.url) } catch { return try #require(error as? TransportError) }
            return nil
        }

        private static let codes: [(MockHTTP2Fault, TransportError.Code, TransportError.HTTP2Code?)] = [
            (.reset(.noError), .streamReset, .noError), (.reset(.protocolError), .protocolError, .protocolError),
            (.reset(.internalError), .streamReset, .internalError),
            (.reset(.flowControlError), .flowControlError, .flowControlError),
            (.reset(.streamClosed), .protocolError, .streamClosed),
            (.reset(.frameSizeError), .protocolError, .frameSizeError),
            (.reset(.refusedStream), .refusedStream, .refusedStream), (.reset(.cancel), .streamReset, .cancel),
            (.reset(.compressionError), .compressionError, .compressionError),
            (.reset(.enhanceYourCalm), .enhanceYourCalm, .enhanceYourCalm),
            (.reset(.http11Required), .http11Required, .http11Required),
            (.goAway(.noError, last: .previous), .refusedStream, .noError),
            (.goAway(.internalError), .connectionLost, .internalError),
            (.goAway(.enhanceYourCalm), .enhanceYourCalm, .enhanceYourCalm), (.close, .connectionLost, nil),
            (.resetConnection, .connectionReset, nil), (.oversizedFrame, .protocolError, .frameSizeError),
            (.badFrameLength, .protocolError, .frameSizeError), (.dataOnIdleStream, .protocolError, .protocolError),
            (.badSetting, .flowControlError, .flowControlError), (.garbage, .protocolError, .frameSizeError),
            (.pushPromise, .protocolError, .protocolError), (.http1Response, .protocolError, .frameSizeError),
            (.badHuffman, .compressionError, .compressionError), (.badIndex, .compressionError, .compressionError),
            (.zeroWindowUpdate(.stream), .protocolError, .protocolError),
            (.zeroWindowUpdate(.connection), .protocolError, .protocolError),
            (.windowOverflow(.stream), .flowControlError, .flowControlError),
            (.windowOverflow(.connection), .flowControlError, .flowControlError),
            (.missingStatus, .protocolError, .protocolError), (.upperCaseField, .protocolError, .protocolError),
            (.connectionField, .protocolError, .protocolError),
            (.flood(.ping), .protocolError, .enhanceYourCalm), (.flood(.settings), .protocolError, .enhanceYourCalm),
            (.flood(.windowUpdate), .protocolError, .enhanceYourCalm),
        ]

        @Test(arguments: codes) func faultBeforeTheHeadHasItsErrorCode(
            _ fault: MockHTTP2Fault, _ code: TransportError.Code, _ http2: TransportError.HTTP2Code?
        ) async throws {
            let error = try #require(try await failure(fault, .beforeHead))
            #expect(error.code == code && error.http2ErrorCode == http2, "\(error)")
            // Nothing of it means that there is no network.
            if ![.connectionLost, .connectionReset].contains(code) { #expect(error.networkError == .unknown(nil)) }
            #expect(error.isTransient == ![.protocolError, .flowControlError, .compressionError].contains(code))
        }

        @Test(arguments: codes.map(\.0), [MockHTTP2Fault.Point.afterHead, .afterBody(40)])
        func faultAfterTheHeadIsTruncatedBody(_ fault: MockHTTP2Fault, _ point: MockHTTP2Fault.Point) async throws {
            // Faults of heads strike the trailers here, of which none is read.
            let error = try await failure(fault, point)
            if fault == .goAway(.noError, last: .previous), error == nil { return }
            #expect(error?.code == .truncatedBody, "\(String(describing: error))")
            #expect(error?.phase == .receivingBody && error?.isUnprocessed == false)
        }

        @Test(arguments: MockHTTP2Fault.harmless) func harmlessFramesAreIgnored(_ fault: MockHTTP2Fault) async throws {
            let point: MockHTTP2Fault.Point = fault == .interim ? .beforeHead : .afterBody(40)
            #expect(try await failure(fault, point) == nil)
        }

        @Test(arguments: [MockHTTP2Fault.bodyLongerThanLength, .bodyShorterThanLength])
        func contentLengthMismatchIsTruncatedBody(_ fault: MockHTTP2Fault) async throws {
            let error = try await failure(fault, .afterBody(40))
            #expect(error?.code == .truncatedBody && error?.http2ErrorCode == .protocolError)
        }

        /// The other stream shows that the server is there. Otherwise, the next request does not wait for its PING.
        @Test func idleTimeoutResetsOneStreamOnly() async throws {
            let lab = try await HTTP2Lab()
            lab.server.on("/slow", .chunked(Array(repeating: "x", count: 200), delay: 0.2))
            lab.server.on("/silent", .bytes(count: 1000).fault(http2: .missingEnd, at: .afterBody(40)))
            let transport = lab.transport { $0.timeouts.idle = 5 }
            var slow = try await transport.stream(lab.server.url("/slow")).body.makeAsyncIterator()
            try await transport.expectFailure(.idleTimeout, of: lab.server.url("/silent"))
            #expect(try await slow.next() != nil)
            #expect(try await transport.fetch(lab.server.url("/")).status == 200 && lab.server.connectionCount == 1)
            try await lab.server.waitForHTTP2 { $0.first?.resets.map(\.code) == [.cancel] }
        }

        @Test func circuitBreakerOpensAfterManyProtocolErrors() async throws {
            let lab = try await HTTP2Lab()
            lab.server.on("/bad", .ok.fault(http2: .badIndex, at: .beforeHead))
            let breaker = CircuitBreaker(failureThreshold: 3, resetTimeout: 60)
            let client = NetworkClient(interceptors: [breaker], retryPolicy: .none, transport: lab.transport)
            func fail() async { _ = try? await client.send("GET", lab.server.url("/bad")) }
            for _ in 0..<4 {
                for _ in 0..<5 { await fail() }
                #expect(breaker.state(for: lab.server.url) == .closed)
                try await client.send("GET", lab.server.url("/"))
            }
            for _ in 0..<20 { await fail() }
            #expect(breaker.state(for: lab.server.url) != .closed)
            // Without a policy each was sent once.
            #expect(lab.server.requests.filter { $0.path == "/bad" }.count <= 40)
        }

        // MARK: Bounds

        // What is not read waits at the server, and what is given up leaves nothing behind. Client and server are one process here, so the
        // bounds hold for both.

        private static let size: Int64 = 30_000_000

        /// A lab whose streams, other than `/small`, have to wait for their readers.
        private static func makeLab(_ size: Int64 = size) async throws -> HTTP2Lab {
            try await HTTP2Lab { $0.path == "/small" ? .text("ok") : .bytes(count: size) }
        }

        /// Opens 30 streams, reads so many bytes of each, and expects that the rest waits at the server.
        private static func openStreams(of lab: HTTP2Lab, reading bytes: Int) async throws -> [HTTPBody.AsyncIterator] {
            for _ in 0..<100 { _ = try await lab.transport.fetch(lab.server.url("/small")) }
            let before = try heldKiB()
            var iterators: [HTTPBody.AsyncIterator] = []
            for number in 0..<30 {
                let response = try await lab.transport.stream(lab.server.url("/\(number)"))
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
                let streams = try await Self.openStreams(of: lab, reading: 0)
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
                #expect(try await Self.openStreams(of: lab, reading: 20_000_000).count == 30)
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
