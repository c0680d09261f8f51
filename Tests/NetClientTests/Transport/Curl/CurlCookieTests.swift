#if os(Linux)
    import NetClient
    import NetCore
    import NetTesting
    import Testing

    @Suite(.timeLimit(.minutes(1)))
    struct CurlCookieTests {
        private let server: MockServer

        init() throws {
            server = try MockServer { request in
                let response = MockResponse.text(request.headers["Cookie"] ?? "none")
                return request.path == "/set" ? response.addingHeader("Set-Cookie", "a=1; Path=/") : response
            }
        }

        @Test func sendsAnExplicitFieldAloneAndStoresAllTheSame() async throws {
            let transport = CurlTransport()
            #expect(try await body(transport, "/set", cookie: "own=x") == "own=x")
            #expect(try await body(transport, "/") == "a=1")
            #expect(try await body(transport, "/", cookie: "own=y") == "own=y")
            #expect(try await body(transport, "/") == "a=1")
        }

        @Test func keepsNoneForARequestThatWantsNone() async throws {
            let transport = CurlTransport()
            var request = URLRequest(url: server.url("/set"))
            request.httpShouldHandleCookies = false
            _ = try await transport.send(request, body: nil, context: RequestContext()).body.collect(upTo: 100)
            #expect(try await body(transport, "/") == "none")
            #expect(try await body(transport, "/set") == "none")
            _ = try await transport.send(request, body: nil, context: RequestContext()).body.collect(upTo: 100)
            #expect(try await body(transport, "/") == "a=1")
        }

        @Test func keepsThemInAFileOfTheOwnersOnly() async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("jar-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            let transport = CurlTransport { $0.cookies = .file(file) }
            _ = try await body(transport, "/set")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            #expect(try await body(CurlTransport { $0.cookies = .file(file) }, "/") == "a=1")
            #expect(try await body(CurlTransport { $0.cookies = .off }, "/") == "none")
        }

        @Test func refusesAFileThatCannotBeRead() async throws {
            let transport = CurlTransport { $0.cookies = .file(FileManager.default.temporaryDirectory) }
            let error = try await transport.failure(server.url("/"))
            #expect(isUnsupported(error), "\(error)")
            #expect(server.connectionCount == 0)
        }

        private func body(_ transport: CurlTransport, _ path: String, cookie: String? = nil) async throws -> String {
            let headers = cookie.map { ["Cookie": $0] } ?? [:]
            return String(decoding: try await transport.fetch(server.url(path), headers: headers).body, as: UTF8.self)
        }
    }
#endif
