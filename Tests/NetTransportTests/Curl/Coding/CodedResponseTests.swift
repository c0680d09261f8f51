#if os(Linux)
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// Coded bodies as a transport gives them.
    @Suite(.timeLimit(.minutes(5))) struct CodedResponseTests {
        private static let text = Data((0..<3_000).map { "item \($0)," }.joined().utf8)

        private func server(_ coder: ContentCoder, _ field: String? = nil, status: Int = 200) throws -> MockServer {
            let coded = try coder.encode(Self.text)
            return try MockServer { _ in
                MockResponse.data(coded, contentType: "text/plain", status: status)
                    .header("Content-Encoding", field ?? coder.rawValue)
            }
        }

        private let transport = CurlTransport()

        @Test(arguments: ContentCoder.allCases, [false, true])
        func contentCodingIsDecoded(_ coder: ContentCoder, streamed: Bool) async throws {
            let server = try server(coder)
            let response = try await transport.response(server.url, streamed: streamed)
            #expect(response.headers["Content-Encoding"] == nil && response.headers["Content-Length"] == nil)
            #expect(response.headers["Content-Type"] == "text/plain")
            #expect(response.wire?.contentEncoding == coder.rawValue)
            #expect(try response.wire?.contentLength == Int64(coder.encode(Self.text).count))
            if streamed { #expect(response.body.length == nil) }
            #expect(try await response.body.collect(upTo: 1 << 20) == Self.text)
            #expect(response.wire?.hasSurplus == false)
            #expect(server.requests.last?.headers["Accept-Encoding"] == "gzip, deflate, br, zstd")
        }

        @Test(arguments: [false, true]) func severalContentCodingsAreDecoded(streamed: Bool) async throws {
            let coded = try ContentCoder.zstd.encode(ContentCoder.brotli.encode(ContentCoder.gzip.encode(Self.text)))
            let server = try MockServer { _ in
                MockResponse.data(coded).header("Content-Encoding", "gzip, br").addingHeader("Content-Encoding", "zstd")
            }
            let response = try await transport.response(server.url, streamed: streamed)
            #expect(response.wire?.contentEncoding == "gzip, br, zstd")
            #expect(try await response.body.collect(upTo: 1 << 20) == Self.text)
        }

        @Test(arguments: ["200 aws-chunked", "200 gzip, compress", "206 gzip"], [false, true])
        func unknownCodingAndPartialContentStayEncoded(_ head: String, streamed: Bool) async throws {
            let field = String(head.dropFirst(4))
            let server = try server(.gzip, field, status: #require(Int(head.prefix(3))))
            let received = try await transport.response(server.url, streamed: streamed)
            #expect(received.headers["Content-Encoding"] == field && received.wire == nil)
            #expect(try await received.body.collect(upTo: 1 << 20) == ContentCoder.gzip.encode(Self.text))
        }

        @Test func callersAcceptEncodingLeavesTheBodyEncoded() async throws {
            let server = try server(.gzip)
            let response = try await transport.response(server.url, headers: ["accept-encoding": "gzip"])
            #expect(response.headers["Content-Encoding"] == "gzip" && response.headers["Content-Length"] != nil)
            #expect(try await response.body.collect(upTo: 1 << 20) == ContentCoder.gzip.encode(Self.text))
            #expect(server.requests.last?.headers["Accept-Encoding"] == "gzip")
        }

        @Test(arguments: ["Range", "want-digest", "Want-Content-Digest", "Want-Repr-Digest"])
        func rangeAndDigestRequestsAcceptIdentityOnly(_ field: String) async throws {
            let server = try server(.gzip)
            // A server that sends a coding all the same is understood.
            #expect(try await transport.fetch(server.url, headers: [field: "bytes=0-9"]).body == Self.text)
            #expect(server.requests.last?.headers["Accept-Encoding"] == "identity")
        }

        @Test func headAndEmptyBodyAreNotDecoded() async throws {
            let server = try server(.gzip)
            let head = try await transport.fetch(server.url, "HEAD")
            #expect(head.headers["Content-Encoding"] == "gzip" && head.headers["Content-Length"] != nil)
            let empty = try MockServer { _ in .data(Data()).header("Content-Encoding", "br") }
            for stream in [false, true] { #expect(try await transport.fetch(empty.url, streamed: stream).body.isEmpty) }
        }

        @Test func bytesAfterTheEncodedBodyAreReportedOnce() async throws {
            let coded = try ContentCoder.gzip.encode(Self.text) + Data("surplus".utf8)
            let server = try MockServer { _ in .data(coded).header("Content-Encoding", "gzip") }
            let notices = NoticeObserver()
            for streamed in [false, true, false] {
                let response = try await transport.response(server.url, streamed: streamed, context: notices.context)
                #expect(try await response.body.collect(upTo: 1 << 20) == Self.text)
                #expect(response.wire?.hasSurplus == true)
            }
            #expect(notices.notices.count { $0.contains("after the end of its coded body") } == 1)
        }

        @Test(arguments: [false, true]) func progressCountsEncodedBytes(streamed: Bool) async throws {
            let (server, last) = (try server(.gzip), Locked<RequestContext.Progress?>(nil))
            let context = RequestContext { $0.progress = { progress in last.withLock { $0 = progress } } }
            _ = try await transport.fetch(server.url, streamed: streamed, context: context)
            let (coded, progress) = (Int64(try ContentCoder.gzip.encode(Self.text).count), last.withLock { $0 })
            #expect(progress?.bytesReceived == coded && progress?.bytesToReceive == coded)
        }

        @Test func decodedBodyOverTheLimitIsResponseTooLarge() async throws {
            let bomb = try ContentCoder.gzippedZeros(count: 200 << 20)
            let server = try MockServer { _ in .data(bomb).header("Content-Encoding", "gzip") }
            let error = try await CurlTransport().failure(server.url("/x"))
            #expect(error as? NetworkError == .responseTooLarge(limit: 1 << 26), "\(error)")
            let limited = CurlTransport { $0.limits.decodedBodyBytes = 1 << 20 }
            let other = try await limited.failure(server.url("/x"), streamed: true)
            #expect(other as? NetworkError == .responseTooLarge(limit: 1 << 20), "\(other)")
        }

        /// While the body is not read, the rest is neither received nor decoded.
        @Test func decompressionBombDoesNotBlockOtherRequests() async throws {
            let bomb = try ContentCoder.gzippedZeros(count: 1 << 30)
            let server = try MockServer { request in
                request.path == "/bomb" ? MockResponse.data(bomb).header("Content-Encoding", "gzip") : .text("ok")
            }
            let response = try await transport.stream(server.url("/bomb"))
            var iterator = response.body.makeAsyncIterator()
            for _ in 0..<20 {
                #expect(try #require(await iterator.next()).count <= 256 * 1024)
                #expect(try await transport.fetch(server.url("/small")).body == Data("ok".utf8))
            }
            await transport.shutdown()
        }
    }
#endif
