#if os(Linux)
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// A server that refuses `Expect` with a response whose body comes late (RFC 9110, section 10.1.1).
    @Suite(.timeLimit(.minutes(5))) struct RefusedExpectationTests {
        /// - Parameter continues: whether the server asks for the body before it refuses.
        private func server(continues: Bool, _ body: Locked<[UInt8]>) throws -> HostileListener {
            let listener = try HostileListener()
            // The client may send the request again before it closes the first connection.
            for _ in 0..<2 {
                Thread {
                    while let link = listener.accept() {
                        Self.serve(link, continues, body)
                        link.close()
                    }
                }.start()
            }
            return listener
        }

        private static func serve(_ link: HostileLink, _ continues: Bool, _ body: Locked<[UInt8]>) {
            var reader = HostileRequestReader(link)
            while let head = reader.head() {
                guard head.expectsContinue else {
                    let received = reader.body(of: head) ?? []
                    body.withLock { $0 = received }
                    _ = link.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
                    continue
                }
                if continues {
                    guard link.write("HTTP/1.1 100 Continue\r\n\r\n".utf8), link.read() != nil else { return }
                }
                guard link.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 4\r\n\r\n".utf8) else { return }
                // Longer than a client waits for `100 Continue`. Everything that is sent before the response ends is taken.
                while link.read(within: 1_500) != nil {}
                _ = link.write("late".utf8)
            }
        }

        private static let bytes = [UInt8](pattern(16 << 20))

        @Test(arguments: [false, true]) func fileIsResentWholeAfter417(continues: Bool) async throws {
            let folder = try TemporaryDirectory()
            let file = folder.file("body")
            try Data(Self.bytes).write(to: file)
            let received = Locked<[UInt8]>([])
            let server = try server(continues: continues, received)
            defer { server.stop() }
            #expect(try await CurlTransport().fetch(server.url, "PUT", body: try HTTPBody(file: file)).status == 200)
            #expect(received.withLock { $0 == Self.bytes })
        }

        /// Nothing of the stream is taken before it is sent again.
        @Test func streamIsSentWholeAfter417() async throws {
            let bytes = Data(Self.bytes.prefix(1 << 20))
            // The client always waits a second for the refusal. If that comes later, a part of the stream was taken, and the 417 is the response.
            try await withLimits([1, 1, 1, 1, 1]) { _ in
                let received = Locked<[UInt8]>([])
                let server = try server(continues: false, received)
                defer { server.stop() }
                let response = try await CurlTransport().fetch(
                    server.url, "PUT", headers: ["Expect": "100-continue"],
                    body: HTTPBody(stream: dataStream(bytes.pieces(of: 65_536))))
                guard response.status != 417 else { return false }
                #expect(response.status == 200 && received.withLock { Data($0) } == bytes)
                return true
            }
        }
    }
#endif
