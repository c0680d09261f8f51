import NetTesting
import Testing

@testable import NetTransport

/// Everything about `URLSessionTransport`, one test after the other: on Linux all sessions of a process share the threads and
/// the queue of FoundationNetworking, and tests that wait for one another's sessions run into their time limits.
@Suite(.serialized) enum URLSessionSuites {}

extension URLSessionSuites {
    /// One exchange: what the conformance suite does not ask, and what FoundationNetworking does wrong by itself.
    struct URLSessionTransportTests {
        let transport = URLSessionTransport()
        let server: MockServer

        init() throws { server = try MockServer() }

        @Test(arguments: RequestContext.Priority.allCases)
        func taskHasThePriorityOfTheRequest(_ priority: RequestContext.Priority) async throws {
            server.enqueue(MockResponse.ok.fault(.stall(.beforeResponse)))
            let session = try #require(transport.sessions.session.withLock { $0 })
            let context = RequestContext { $0.priority = priority }
            let call = Task { try await transport.response(server.url, context: context) }
            while server.requests.isEmpty { await Task.yield() }
            let expected: [RequestContext.Priority: Float] = [.low: 0.25, .normal: 0.5, .high: 0.75]
            let priorities = await withCheckedContinuation { continuation in
                session.getAllTasks { continuation.resume(returning: $0.map(\.priority)) }
            }
            #expect(priorities == [expected[priority]])
            call.cancel()
            _ = await call.result
        }

        @Test func joinedSetCookieHeadersAreSplit() async throws {
            let first = "a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=/"
            server.enqueue(MockResponse.ok.header("Set-Cookie", first).addingHeader("Set-Cookie", "b=2,3"))
            #expect(try await transport.fetch(server.url).headers.values(for: "Set-Cookie") == [first, "b=2,3"])
        }

        @Test(
            arguments: ["Basic realm=\"x\"", "Basic", "Digest realm=\"x\", nonce=\"y\"", "Negotiate", "Bearer"],
            [false, true])
        func challengeIsAResponseWithItsBody(challenge: String, streamed: Bool) async throws {
            server.enqueue(MockResponse.text("who?", status: 401).header("WWW-Authenticate", challenge))
            let response = try await transport.fetch(server.url, streamed: streamed)
            #expect(response.headers["WWW-Authenticate"] == challenge)
            #expect(response.status == 401 && response.body == Data("who?".utf8))
        }

        @Test func responseHasNoTrailersAndReportsTwoSteps() async throws {
            #if os(Linux) && !canImport(Darwin)
                // Foundation aborts the process for trailers there.
                server.enqueue(.text("ok"))
            #else
                server.enqueue(MockResponse.text("ok").trailers(["X-Sum": "1"]))
            #endif
            let steps = StepRecorder()
            let response = try await transport.response(server.url, "POST", body: HTTPBody("x"), context: steps.context)
            #expect(response.body.data == Data("ok".utf8) && response.trailers == nil)
            #if os(Linux) && !canImport(Darwin)
                #expect(response.connection == nil)
            #endif
            #expect(steps.kinds == ["requestSent", "firstByteReceived"])
        }

        @Test func userInfoOfTheURLAnswersNoChallenge() async throws {
            server.enqueue(MockResponse.status(401).header("WWW-Authenticate", "Basic realm=\"x\""), .ok)
            #expect(try await transport.fetch(url("user:secret@127.0.0.1", server)).status == 401)
            #expect(server.requests.count == 1)
        }

        @Test(arguments: [false, true]) func redirectIsNotFollowedAndHasItsBody(streamed: Bool) async throws {
            server.enqueue(MockResponse.text("moved", status: 307).header("Location", "/to"))
            let response = try await transport.fetch(server.url, "POST", body: HTTPBody("payload"), streamed: streamed)
            #expect(response.status == 307 && response.body == Data("moved".utf8))
            #expect(server.requests.map(\.path) == ["/"])
        }

        @Test(arguments: [false, true]) func redirectWithoutLocationIsAResponse(streamed: Bool) async throws {
            server.enqueue(MockResponse.text("its body is lost on Linux", status: 302))
            #expect(try await transport.fetch(server.url, streamed: streamed).status == 302)
        }

        @Test func interimResponsesAreSkipped() async throws {
            server.enqueue(MockResponse.text("real").preceded(by: 100).preceded(by: 103, headers: ["Link": "x"]))
            let response = try await transport.fetch(server.url, streamed: true)
            #expect(response.status == 200 && response.headers["Link"] == nil && response.body == Data("real".utf8))
        }

        @Test func headersOverTheLimitAreHeadersTooLarge() async throws {
            server.enqueue(MockResponse.ok.header("X-Long", String(repeating: "x", count: 2000)))
            let transport = URLSessionTransport(configuration: TransportConfiguration { $0.limits.headerBytes = 1000 })
            try await transport.expectFailure(.headersTooLarge, phase: .receivingHead, of: server.url)
        }

        @Test func differentContentLengthsAreRefused() async throws {
            server.enqueue(.fault(.conflictingContentLengths))
            try await transport.expectFailure(.conflictingLengths, of: server.url)
            server.enqueue(.raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"))
            #expect(try await transport.fetch(server.url).body == Data("ok".utf8))
        }

        #if os(Linux)
            #if canImport(Security)
                /// Apple's loader has one code for all that is wrong with a head.
                private static let malformedHeader = TransportError.Code.malformedStatusLine
            #else
                private static let malformedHeader = TransportError.Code.malformedHeader
            #endif

            /// By the words of libcurl, since Foundation on Linux keeps its codes to itself.
            @Test(arguments: [
                (MockFault.garbageStatusLine, TransportError.Code.malformedStatusLine),
                (.malformedHeader, malformedHeader), (.badChunkSize, .malformedChunk), (.truncatedBody, .truncatedBody),
                (.truncatedChunkedBody, .truncatedBody), (.corruptGzip, .contentDecodingFailed),
                (.endlessHeaders, .headersTooLarge), (.close(.beforeResponse), .connectionLost),
                (.reset(.beforeResponse), .connectionReset), (.reset(.inBody), .connectionReset),
            ]) func malformedReplyHasItsErrorCode(fault: MockFault, code: TransportError.Code) async throws {
                server.enqueue(MockResponse.bytes(count: 100_000).fault(fault))
                #expect(try await transport.expectFailure(code, of: server.url)?.url != nil)
            }
        #endif

        @Test func bytesBeforeTruncationAreDelivered() async throws {
            server.enqueue(MockResponse.bytes(count: 10_000).fault(.truncatedBody))
            let response = try await transport.stream(server.url)
            var received = Data()
            let error = await #expect(throws: TransportError.self) {
                for try await chunk in response.body { received.append(chunk) }
            }
            #expect(error?.code == .truncatedBody && !received.isEmpty)
            #expect(received == MockResponse.generatedBytes(count: 10_000).prefix(received.count))
        }

        @Test func metricsAreCompleteAtTheEndOfTheBody() async throws {
            server.enqueue(.chunked(["a", "b"]))
            let response = try await transport.response(server.url, "POST", body: HTTPBody("12345"), streamed: true)
            _ = try await response.body.collect(upTo: 100)
            let metrics = response.metrics
            #expect(try #require(metrics.firstByte) <= #require(metrics.total))
            #expect(metrics.bytesSent == 5 && metrics.bytesReceived == 2)
        }

        @Test(arguments: ["ftp://127.0.0.1/", "http:///path", "file:///etc/passwd", "data:,x"])
        func unsupportedURLIsInvalidURL(text: String) async throws {
            await #expect(throws: NetworkError.invalidURL) { try await transport.fetch(url(text)) }
        }
    }
}

/// The system's errors as crash reporters see them.
@Suite struct SystemErrorTests {
    private let url = URL(string: "https://user:word@api.example.com/a?token=secret")

    private func systemError(_ code: URLError.Code) throws -> URLError {
        let url = try #require(url)
        let info: [String: Any] = [
            NSURLErrorFailingURLErrorKey: url, "NSErrorFailingURLStringKey": url.absoluteString,
            NSLocalizedDescriptionKey: "lost", "_kCFStreamErrorCodeKey": 54, "_object": NSObject(),
            NSUnderlyingErrorKey: NSError(
                domain: "kCFErrorDomainCFNetwork", code: code.rawValue,
                userInfo: [NSURLErrorFailingURLErrorKey: url, "_text": "secret"]),
        ]
        return URLError(code, userInfo: info)
    }

    private func failure(_ code: URLError.Code) throws -> NetworkFailure {
        var error = TransportError(.connectionReset, phase: .waiting, message: "reset", url: url)
        error.setSystemError(try systemError(code))
        return NetworkFailure(cause: error.networkError, underlyingError: error)
    }

    @Test func systemErrorIsTheRedactedUnderlyingError() throws {
        let bridged = try failure(.networkConnectionLost) as NSError
        #expect(bridged.domain == "NetCore.NetworkError" && bridged.code == 1004)
        let transport = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(transport.domain == "NetCore.TransportError" && transport.code == 4)
        let system = try #require(transport.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(system.domain == NSURLErrorDomain && system.code == URLError.networkConnectionLost.rawValue)
        #expect(system.userInfo["_kCFStreamErrorCodeKey"] as? Int == 54)
        let beneath = try #require(system.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == "kCFErrorDomainCFNetwork")
        for error in [bridged, transport, system, beneath] {
            let text = "\(error.userInfo)"
            #expect(!text.contains("secret") && !text.contains("word@") && !text.contains("NSObject"))
            #expect(try #require(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL).host == "api.example.com")
        }
        #expect(try failure(.timedOut).systemError is URLError)
    }

    @Test func prohibitedLocalNetworkIsNotOffline() throws {
        let path = ["_NSURLErrorNWPathKey": "unsatisfied (Local network prohibited), interface: en0"]
        let beneath = NSError(domain: "kCFErrorDomainCFNetwork", code: -1009, userInfo: path)
        var error = TransportError(.hostUnreachable, phase: .connecting, message: "offline")
        error.setSystemError(URLError(.notConnectedToInternet, userInfo: [NSUnderlyingErrorKey: beneath]))
        #expect(error.networkUnavailableReason == .localNetworkProhibited)
        #expect(error.description.contains("Local Network"))
        #expect(error.adding(url: url).networkUnavailableReason == .localNetworkProhibited)
        error.setSystemError(URLError(.notConnectedToInternet))
        #expect(error.networkUnavailableReason == nil)
        error.setSystemError(URLError(.dataNotAllowed))
        #expect(error.networkUnavailableReason == .cellular)
    }
}
