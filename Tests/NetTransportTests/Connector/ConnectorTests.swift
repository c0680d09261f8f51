#if os(Linux)
    import NetTesting
    import TestLab
    import Testing

    @testable import NetTransport

    /// Direct connections.
    @Suite(.timeLimit(.minutes(2))) struct ConnectorTests {
        @Test(arguments: ["127.0.0.1", "::1"], [false, true])
        func connectionCarriesBytesAndReportsItsSteps(host: String, isTLS: Bool) async throws {
            let (listener, connector, steps) = (try Listener(host), try Connector(), Locked<[ConnectStep]>([]))
            let connection = try await connector.connect(ConnectTarget(host, listener.port, isTLS: isTLS), steps: steps)
            defer { close(connection.descriptor) }
            let address = TransportResponse.Connection.address(host, listener.port)
            #expect(steps.withLock { $0 } == [.lookedUp, .connecting(to: address), .connected])
            #expect(connection.peer == .server && connection.remote == address)
            #expect(connection.local?.contains(host) == true)
            #expect(connection.nameLookup > 0 && connection.connect >= connection.nameLookup)
            #expect(fcntl(connection.descriptor, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(connection.descriptor, F_GETFD) & FD_CLOEXEC != 0)
            var (value, length) = (Int32(0), socklen_t(4))
            getsockopt(connection.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length)
            #expect(value != 0)
            // It carries bytes, and nothing was sent before them.
            let server = try await listener.accepted()
            defer { close(server) }
            writeText("hello", to: connection.descriptor)
            #expect(try await readText(server, until: "hello") == "hello")
            await connector.shutdown()
            writeText("after", to: server)
            #expect(try await readText(connection.descriptor, until: "after") == "after")
        }

        @Test func refusedConnectionIsConnectionRefused() async throws {
            let steps = Locked<[ConnectStep]>([])
            let error = try await Connector().failure(ConnectTarget("127.0.0.1", 1), steps: steps)
            #expect(error.code == .connectionRefused && error.phase == .connecting && error.isUnprocessed, "\(error)")
            #expect(error.url == "http://127.0.0.1:1/" && error.message.contains("[curl 7]"))
            #expect(steps.withLock { $0 } == [.lookedUp, .connecting(to: "127.0.0.1:1")])
        }

        /// libcurl would connect to another host, or read options out of it.
        @Test(arguments: ["a/b", "a@127.0.0.1", "a?b", "a#b", "a b", "", "a\r\nb", "a]b", "x:1", "[a]", "a\\b"])
        func malformedHostIsRefused(host: String) async throws {
            let connector = try Connector()
            await #expect(throws: NetworkError.self) {
                try await connector.connect(ConnectTarget(host, 80))
            }
        }

        @Test func unixSocketIsConnectedWithoutLookUp() async throws {
            let folder = try TemporaryDirectory()
            let path = folder.file("socket").path
            let server = try MockServer(unixSocketPath: path)
            defer { withExtendedLifetime(server) {} }
            let steps = Locked<[ConnectStep]>([])
            let connection = try await Connector { $0.unixSocketPath = path }
                .connect(ConnectTarget("any.invalid", 443, isTLS: true), steps: steps)
            defer { close(connection.descriptor) }
            #expect(connection.local == nil && connection.remote == nil && connection.peer == .server)
            #expect(steps.withLock { $0 } == [.connected])
            let missing = try Connector { $0.unixSocketPath = path + "2" }
            #expect(try await missing.failure(ConnectTarget("any.invalid", 80)).code == .connectionRefused)
        }

        /// The IPv6 address does not answer.
        @Test func happyEyeballsFallsBackToIPv4() async throws {
            let (silent, listener) = try Listener.pair(isFull: true)
            let steps = Locked<[ConnectStep]>([])
            let connector = try Connector { $0.resolveOverrides = [listener.override("a.dev", to: "::1", "127.0.0.1")] }
            let opened = try await connector.connectAndClose(ConnectTarget("a.dev", listener.port), steps: steps)
            #expect(opened.remote == "127.0.0.1:\(listener.port)")
            let addresses = ["[::1]:\(listener.port)", "127.0.0.1:\(listener.port)"]
            #expect(steps.withLock { $0 } == [.lookedUp] + addresses.map { .connecting(to: $0) } + [.connected])
            #expect(silent.waiting > 0)
        }

        @Test(arguments: [TransportConfiguration.AddressFamily.ipv4Only, .ipv6Only])
        func addressFamilyLimitsTheAddresses(family: TransportConfiguration.AddressFamily) async throws {
            let (six, four) = try Listener.pair()
            let connector = try Connector {
                $0.addressFamily = family
                $0.resolveOverrides = [.init(host: "both.invalid", port: four.port, addresses: ["127.0.0.1", "::1"])]
            }
            let connection = try await connector.connectAndClose(ConnectTarget("both.invalid", four.port))
            #expect((connection.remote == "127.0.0.1:\(four.port)") == (family == .ipv4Only))
            let wrong = family == .ipv4Only ? "::1" : "127.0.0.1"
            let error = try await connector.failure(ConnectTarget(wrong, four.port))
            #expect(error.code == .nameNotResolved && error.phase == .resolving, "\(error)")
            #expect(error.message.hasPrefix("\(wrong) has no address of the family"))
            #expect(four.waiting + six.waiting == 1)
        }

        @Test func connectTimeoutIncludesTheResolver() async throws {
            let silent = try Listener(isFull: true)
            let connector = try Connector {
                $0.resolver = .init(name: "slow") { _, _ in
                    try await Task.sleep(for: .milliseconds(60))
                    return ["127.0.0.1"]
                }
            }
            // On a busy machine, the resolver itself may take longer than the first times.
            try await withLimits([1, 8, 60]) { limit in
                let target = ConnectTarget("a.invalid", silent.port, within: Int(limit * 1000))
                let late = try await connector.failure(target)
                #expect(late.code == .connectTimeout && late.isUnprocessed, "\(late)")
                return late.phase == .connecting
            }
        }

        @Test func resolverAnswersAreNotSharedAmongConnections() async throws {
            let (listener, count) = (try Listener(), Locked(UInt64(0)))
            let connector = try Connector {
                $0.resolver = .init(name: "registry") { _, _ in
                    await Task.yield()
                    return ["127.0.0.\(count.next().isMultiple(of: 2) ? 9 : 1)"]
                }
            }
            let ends = try await atOnce(60) { _ in
                do {
                    return try await connector.connectAndClose(ConnectTarget("a.invalid", listener.port)).remote ?? ""
                } catch let error as TransportError where error.code == .connectionRefused { return "refused" }
            }
            // The server listens on 127.0.0.1 only.
            let counts = Dictionary(grouping: ends) { $0 }.mapValues(\.count)
            #expect(counts == ["127.0.0.1:\(listener.port)": 30, "refused": 30])
        }

        @Test func slowConnectionDoesNotDelayOthers() async throws {
            let (silent, listener, connector) = (try Listener(isFull: true), try Listener(), try Connector())
            let (slow, target) = (Locked<ConnectAttempt?>(nil), ConnectTarget("127.0.0.1", silent.port))
            async let hangs = #expect(throws: CancellationError.self) {
                _ = try await connector.connect(target) { ticket in slow.withLock { $0 = ticket } }
            }
            let ends = try await atOnce(100) { _ in
                try await connector.connectAndClose(ConnectTarget("localhost", listener.port)).local
            }
            #expect(Set(ends).count == 100 && listener.waiting == 100)
            let ticket = try await waitUntil("the slow one is being opened") { slow.withLock { $0 } }
            connector.cancel(ticket)
            _ = await hangs
        }
    }
#endif
