#if os(Linux)
    import NetCore
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// Names that the app looks up.
    @Suite(.timeLimit(.minutes(2)))
    struct ResolverConnectorTests {
        private struct Refusal: Error {}

        private func connector(
            _ change: (inout TransportConfiguration) -> Void = { _ in },
            _ addresses: @escaping @Sendable (String, Int) async throws -> [String]
        ) throws -> Connector {
            try Connector {
                $0.resolver = TransportConfiguration.Resolver(name: "registry", addresses: addresses)
                change(&$0)
            }
        }

        @Test func isAskedForEachConnection() async throws {
            let listener = try Listener()
            let questions = Locked<[String]>([])
            let connector = try connector { host, port in
                questions.withLock { $0.append("\(host):\(port)") }
                return ["127.0.0.1"]
            }
            for host in ["Shop.invalid", "shop.invalid", "127.0.0.1"] {
                let steps = Locked<[ConnectStep]>([])
                let connection = try await connector.connect(ConnectTarget(host, listener.port), steps: steps)
                close(connection.descriptor)
                #expect(steps.withLock(\.first) == .lookedUp && steps.withLock(\.last) == .connected)
            }
            #expect(questions.withLock { $0 } == ["shop.invalid:\(listener.port)", "shop.invalid:\(listener.port)"])
            #expect(listener.waiting == 3)
        }

        /// Each gets the answer to its own question, also at the same time.
        @Test func answersAreNotShared() async throws {
            let listener = try Listener()
            let count = Locked(1)
            let connector = try connector { _, _ in
                await Task.yield()
                return count.withLock { count in
                    count += 1
                    return ["127.0.0.\(count % 2 == 0 ? 1 : 9)"]
                }
            }
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        do {
                            let connection = try await connector.connect(ConnectTarget("a.invalid", listener.port))
                            close(connection.descriptor)
                            return connection.remote?.address ?? ""
                        } catch let error as TransportError where error.code == .connectionRefused {
                            return "refused"
                        }
                    }
                }
                var ends: [String: Int] = [:]
                for try await end in group { ends[end, default: 0] += 1 }
                // The server listens on 127.0.0.1 only.
                #expect(ends == ["127.0.0.1": 30, "refused": 30])
            }
        }

        @Test func errorsAreKept() async throws {
            let error = try await connector { _, _ in throw Refusal() }.failure(ConnectTarget("a.invalid", 80))
            #expect(error.code == .nameNotResolved && error.phase == .resolving && error.isUnprocessed)
            #expect(error.resolverError is Refusal && error.url == "http://a.invalid:80/")
            #expect(error.message == "The resolver 'registry' failed: Refusal()")
        }

        @Test(arguments: [[], ["localhost"], ["127.0.0.1,10.0.0.1"], ["[::1]"], ["127.0.0.1", "::1\n"], ["127.1"]])
        func whatIsNotAnAddressIsRefused(addresses: [String]) async throws {
            let listener = try Listener()
            let error = try await connector { _, _ in addresses }.failure(ConnectTarget("a.invalid", listener.port))
            #expect(error.code == .nameNotResolved && listener.waiting == 0)
        }

        @Test func overridesWinAndThePolicyJudges() async throws {
            let listener = try Listener()
            let overridden = try connector(
                {
                    $0.resolveOverrides = [
                        TransportConfiguration.ResolveOverride(
                            host: "set.invalid", port: listener.port, addresses: ["127.0.0.1"])
                    ]
                }, { _, _ in throw Refusal() })
            close(try await overridden.connect(ConnectTarget("set.invalid", listener.port)).descriptor)
            let guarded = try connector({ $0.addressPolicy = .publicOnly }, { _, _ in ["127.0.0.1"] })
            #expect(try await guarded.failure(ConnectTarget("a.invalid", listener.port)).code == .addressNotAllowed)
            #expect(listener.waiting == 1)
        }

        private static let hangs: @Sendable (String, Int) async throws -> [String] = { _, _ in
            try await Task.sleep(nanoseconds: 1 << 60)
            return []
        }

        @Test func countsTowardsTheTimeToConnect() async throws {
            let connector = try connector({ _ in }, Self.hangs)
            let error = try await connector.failure(ConnectTarget("a.invalid", 80, within: 50))
            #expect(error.code == .connectTimeout && error.phase == .resolving, "\(error)")
            #expect(error.message == "The resolver did not answer within the time to connect.")
            // The time that it took is gone for the connection.
            let silent = try Listener(isFull: true)
            let slow = try self.connector { _, _ in
                try await Task.sleep(for: .milliseconds(60))
                return ["127.0.0.1"]
            }
            let late = try await slow.failure(ConnectTarget("a.invalid", silent.port, within: 8000))
            #expect(late.code == .connectTimeout && late.phase == .connecting, "\(late)")
        }

        @Test(arguments: [false, true]) func anEndReachesTheResolver(isShutdown: Bool) async throws {
            let (hasBegun, hasEnded) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            let connector = try connector { _, _ in
                hasBegun.continuation.finish()
                defer { hasEnded.continuation.finish() }
                return try await Self.hangs("", 0)
            }
            let ticket = Locked<ConnectAttempt?>(nil)
            async let failure = #expect(throws: (any Error).self) {
                _ = try await connector.connect(ConnectTarget("a.invalid", 80)) { own in ticket.withLock { $0 = own } }
            }
            for await _ in hasBegun.stream {}
            if isShutdown {
                await connector.shutdown()
                #expect((await failure as? TransportError)?.code == .shutDown)
            } else {
                connector.cancel(try await waitUntil("ticket") { ticket.withLock { $0 } })
                #expect(await failure is CancellationError)
            }
            for await _ in hasEnded.stream {}
        }
    }
#endif
