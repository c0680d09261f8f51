#if os(Linux)
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// The time to connect of one call: ``RequestOptions/connectTimeout``.
    @Suite(.timeLimit(.minutes(2))) struct CurlConnectTimeoutTests {
        private func context(_ time: TimeInterval?) -> RequestContext { .init { $0.options.connectTimeout = time } }

        /// The transport's is half a minute, or none.
        @Test(arguments: [30, nil] as [TimeInterval?]) func timeoutEndsTheLookUp(_ other: TimeInterval?) async throws {
            let transport = CurlTransport { ($0.timeouts.connect, $0.proxy, $0.resolver) = (other, .none, .hanging) }
            let error = try await transport.expectFailure(
                .connectTimeout, phase: .resolving, of: url("http://a.invalid/"), context: context(0.05))
            #expect(error?.message == "The resolver did not answer within the time to connect.")
        }

        @Test func connectTimeoutEndsTheTLSHandshake() async throws {
            // Accepts, and says nothing.
            let (server, transport) = (try DripServer([], pause: 1), CurlTransport { $0.timeouts.connect = nil })
            try await withLimits { limit in
                try await transport.expectFailure(.connectTimeout, of: server.url("https"), context: context(limit))?
                    .phase == .securing
            }
        }

        /// A loop may look at its timers, for another exchange, while the name is looked up.
        @Test func endsTLSAfterTheTimersWereLookedAt() async throws {
            // Accepts, and says nothing.
            let (server, clock) = (try DripServer([], pause: 1), SystemClock())
            try await withLimits([2, 8, 32]) { limit in
                let transport = CurlTransport {
                    ($0.timeouts.connect, $0.proxy) = (limit, .none)
                    $0.resolver = .init(name: "timers") { _, _ in
                        for loop in EventLoopGroup.shared.running ?? [] {
                            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                                loop.perform { loop in
                                    loop.noteDue(loop.now)
                                    // It looks at them before it serves this.
                                    loop.perform { _ in continuation.resume() }
                                }
                            }
                        }
                        return ["127.0.0.1"]
                    }
                }
                let start = clock.uptime
                let error = try await transport.expectFailure(.connectTimeout, of: server.url("https", host: "a.test"))
                #expect(clock.uptime - start < 50, "not the idle timeout")
                return error?.phase == .securing
            }
        }

        @Test(arguments: [60, 0, -1, .nan, .infinity] as [TimeInterval])
        func requestConnectTimeoutOverridesAShorterOne(_ seconds: TimeInterval) async throws {
            let server = try MockServer { _ in .ok }
            let transport = CurlTransport {
                ($0.timeouts.connect, $0.proxy) = (0.05, .none)
                $0.resolver = .init(name: "slow") { _, _ in
                    try await Task.sleep(nanoseconds: 300_000_000)
                    return ["127.0.0.1"]
                }
            }
            let url = try url("a.invalid", server)
            try await transport.expectFailure(.connectTimeout, phase: .resolving, of: url, context: context(nil))
            #expect(try await transport.fetch(url, context: context(seconds)).status == 200)
        }

        @Test func connectTimeoutDoesNotLimitTheResponse() async throws {
            let server = try MockServer { request in
                if request.path == "/slow" { try? await Task.sleep(nanoseconds: 300_000_000) }
                return .ok
            }
            let transport = CurlTransport()
            #expect(try await transport.fetch(server.url("/")).status == 200)
            #expect(try await transport.fetch(server.url("/slow"), context: context(0.1)).status == 200)
            #expect(server.connectionCount == 1)
        }

        @Test func urlSessionRefusesConnectTimeout() async throws {
            let server = try MockServer { _ in .ok }
            let error = try await URLSessionTransport().failure(server.url("/"), context: context(5))
            #expect(isUnsupported(error) && server.requests.isEmpty)
        }
    }
#endif
