#if os(Linux)
    import FaultLab
    import NetClient
    import NetTesting
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
    }
#endif
