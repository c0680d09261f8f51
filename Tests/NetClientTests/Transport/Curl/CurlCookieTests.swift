#if os(Linux)
    import NetClient
    import NetCore
    import NetTesting
    import TestLab
    import Testing

    @Suite(.timeLimit(.minutes(5)))
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

        /// What a cache may store for everybody.
        @Test func aResponseIsMarkedIfTheJarMayHaveHadCookiesForIt() async throws {
            let other = try #require(
                URL(string: "http://localhost:\(server.port)/"), "another host, where no cookie was set")
            let transport = CurlTransport()
            func isMarked(_ url: URL) async throws -> Bool {
                let response = try await transport.send(
                    URLRequest(url: url), body: nil, context: RequestContext())
                _ = try await response.body.collect(upTo: 100)
                return response.hasJarCookies
            }
            #expect(try await !isMarked(server.url("/")))
            _ = try await isMarked(server.url("/set"))
            #expect(try await isMarked(server.url("/")))
            #expect(try await !isMarked(other))
        }

        @Test func whatTheFileHoldsMarksItsHostsAlone() async throws {
            let folder = try TemporaryDirectory()
            let file = folder.url.appendingPathComponent("jar")
            try Data("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n".utf8).write(to: file)
            let transport = CurlTransport { $0.cookies = .file(file) }
            for (host, isMarked) in [("127.0.0.1", true), ("localhost", false)] {
                let url = try #require(URL(string: "http://\(host):\(server.port)/"))
                let response = try await transport.send(URLRequest(url: url), body: nil, context: RequestContext())
                #expect(response.hasJarCookies == isMarked)
                #expect(try await response.body.collect(upTo: 100) == Data((isMarked ? "a=1" : "none").utf8))
            }
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
