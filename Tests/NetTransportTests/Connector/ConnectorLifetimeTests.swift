#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

    /// The thread, the descriptors, and the ends of a connector.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct ConnectorLifetimeTests {
        @Test func cancellationEndsAConnectionAttempt() async throws {
            let (silent, proxy) = (try Listener(isFull: true), try Listener())
            let plan = try #require(try ProxyPlan(.http(host: "127.0.0.1", port: proxy.port), environment: [:]))
            let way = plan.server(host: "server.example", port: 443, isSecure: true)
            let connector = try Connector()
            let tunnel = ConnectTarget("server.example", 443, isTLS: true, proxy: way)
            for target in [ConnectTarget("127.0.0.1", silent.port), tunnel] {
                let (steps, ticket) = (Locked<[ConnectStep]>([]), Locked<ConnectAttempt?>(nil))
                async let failure = #expect(throws: CancellationError.self) {
                    _ = try await connector.connect(target, steps: steps) { own in ticket.withLock { $0 = own } }
                }
                _ = try await waitUntil("a socket is opened") { steps.withLock(\.count) == 2 ? true : nil }
                connector.cancel(try await waitUntil("ticket") { ticket.withLock { $0 } })
                // Twice is fine.
                ticket.withLock { $0 }.map(connector.cancel)
                _ = await failure
            }
            // And right after the call.
            await #expect(throws: CancellationError.self) {
                _ = try await connector.connect(ConnectTarget("127.0.0.1", silent.port), ticket: connector.cancel)
            }
        }

        @Test func cancellationAfterConnectingHasNoEffect() async throws {
            let (listener, connector) = (try Listener(), try Connector())
            var ticket: ConnectAttempt?
            let connection = try await connector.connect(ConnectTarget("127.0.0.1", listener.port)) { ticket = $0 }
            ticket.map(connector.cancel)
            #expect(try await carriesText(connection, to: listener))
        }

        @Test func shutdownEndsConnectionAttempts() async throws {
            let (silent, connector) = (try Listener(isFull: true), try Connector())
            let (steps, target) = (Locked<[ConnectStep]>([]), ConnectTarget("127.0.0.1", silent.port))
            async let errors = atOnce(20) { _ in try await connector.failure(target, steps: steps) }
            _ = try await waitUntil("all are being opened") { steps.withLock(\.count) == 40 ? true : nil }
            await connector.shutdown()
            for error in try await errors {
                #expect(error.code == .shutDown && error.url == "http://127.0.0.1:\(silent.port)/")
            }
            #expect(try await connector.failure(target).code == .shutDown)
            await connector.shutdown()
            let unused = try Connector()
            await unused.shutdown()
            #expect(try await unused.failure(target).code == .shutDown)
        }

        @Test(arguments: [true, false]) func cancelledAndStoppedAttemptsCompleteOnce(sharesThread: Bool) async throws {
            let listener = try Listener()
            for round in 0..<40 {
                let connector = Connector(TransportConfiguration(), addressGuard: nil) { sharesThread }
                let ends = Locked(0)
                for index in 0..<20 {
                    let ticket = connector.open(ConnectTarget("localhost", listener.port)) { result in
                        ends.withLock { $0 += 1 }
                        if case .success(let connection) = result { close(connection.descriptor) }
                    }
                    if index % 3 == 0 { connector.cancel(ticket) }
                    if index == round / 2 { connector.stop() }
                }
                await connector.shutdown()
                #expect(ends.withLock { $0 } == 20)
                _ = listener.waiting
            }
        }

        @Test func cancellingManyAttemptsEndsThemAll() async throws {
            let (silent, connector) = (try Listener(isFull: true), try Connector())
            for _ in 0..<20 {
                let (ends, target) = (Locked(0), ConnectTarget("127.0.0.1", silent.port, within: 600_000))
                let attempts = (0..<300).map { _ in connector.open(target) { _ in ends.withLock { $0 += 1 } } }
                for attempt in attempts { connector.cancel(attempt) }
                _ = try await waitUntil("all have ended") { ends.withLock { $0 } == 300 ? true : nil }
            }
            await connector.shutdown()
        }

        /// libcurl may have closed the descriptor before, so that its number belongs to another socket now.
        @Test func cancellationShutsDownNoForeignDescriptor() async throws {
            let (listener, isOver, damaged) = (try Listener(), Locked(false), Locked(0))
            let done = DispatchSemaphore(value: 0)
            for _ in 0..<2 {
                Thread {
                    // Takes each descriptor that is free, for a moment.
                    while !isOver.withLock({ $0 }) {
                        var pairs = [Int32](repeating: -1, count: 16)
                        for index in stride(from: 0, to: pairs.count, by: 2) {
                            pairs.withUnsafeMutableBufferPointer {
                                _ = socketpair(AF_UNIX, SocketConstant.stream, 0, $0.baseAddress.map { $0 + index })
                            }
                        }
                        usleep(200)
                        let lost = pairs.count { send($0, "x", 1, Int32(MSG_NOSIGNAL)) != 1 }
                        damaged.withLock { $0 += lost }
                        for end in pairs { close(end) }
                    }
                    done.signal()
                }.start()
            }
            for _ in 0..<100 {
                let connector = try Connector()
                let tickets = (0..<10).map { index in
                    connector.open(ConnectTarget(index % 2 == 0 ? "localhost" : "127.0.0.1", listener.port)) { result in
                        if case .success(let connection) = result { close(connection.descriptor) }
                    }
                }
                usleep(300)
                for ticket in tickets { connector.cancel(ticket) }
                await connector.shutdown()
                _ = listener.waiting
            }
            isOver.withLock { $0 = true }
            await Task.detached { for _ in 0..<2 { Self.wait(done) } }.value
            #expect(damaged.withLock { $0 } == 0)
        }

        private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

        /// The connectors share the connecting thread.
        @Test func resolveOverridesAreNotSharedAmongConnectors() async throws {
            let (first, second) = (try Listener(), try Listener())
            let one = try Connector { $0.resolveOverrides = [first.override("service.invalid")] }
            let other = try Connector { $0.resolveOverrides = [second.override("service.invalid")] }
            for _ in 0..<3 {
                try await one.connectAndClose(ConnectTarget("service.invalid", first.port))
                try await other.connectAndClose(ConnectTarget("service.invalid", second.port))
                let error = try await one.failure(ConnectTarget("service.invalid", second.port))
                #expect(error.code == .nameNotResolved, "\(error)")
            }
            // Ending one leaves the other's.
            await one.shutdown()
            try await other.connectAndClose(ConnectTarget("service.invalid", second.port))
        }

        // MARK: Processes of their own

        @Test(.ownProcess) func idleConnectorHasNoThread() async {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                let (listener, connector, before) = (try Listener(), try Connector(), ResourceCensus())
                for _ in 0..<2 {
                    let (connection, count) = try await withCheckedThrowingContinuation {
                        (continuation: CheckedContinuation<(OpenedConnection, Int), any Error>) in
                        // Counted on the thread itself, which ends when nothing has been opened for a second.
                        connector.open(ConnectTarget("localhost", listener.port)) { result in
                            continuation.resume(with: result.map { ($0, threads("net.connect")) })
                        }
                    }
                    close(connection.descriptor)
                    #expect(count == 1)
                    _ = listener.waiting
                    _ = try await waitUntil("the thread has ended") { threads("net.connect") == 0 ? true : nil }
                    let after = ResourceCensus()
                    #expect(after.descriptors.count <= before.descriptors.count, "\(after.growth(since: before))")
                }
                try await connector.connectAndClose(ConnectTarget("localhost", listener.port))
                await connector.shutdown()
                _ = try await waitUntil("the thread has ended") { threads("net.connect") == 0 ? true : nil }
                // A connector that is released ends as well.
                try await Connector().connectAndClose(ConnectTarget("localhost", listener.port))
                _ = try await waitUntil("the thread has ended") { threads("net.connect") == 0 ? true : nil }
            }
        }

        @Test(.ownProcess) func connectionsLeaveNoDescriptorAndNoThread() async {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                let (listener, silent, connector) = (try Listener(), try Listener(isFull: true), try Connector())
                // Keeps the thread, which would close everything at its end.
                connector.open(ConnectTarget("127.0.0.1", silent.port, within: 600_000)) { _ in }
                try await LeakChecker(rounds: 5, of: [.descriptors, .threads]).check {
                    _ = try await atOnce(100) { index in
                        let isSlow = index % 10 == 0
                        let target = ConnectTarget(
                            "localhost", isSlow ? silent.port : listener.port, within: isSlow ? 50 : 60_000)
                        let connection = try? await connector.connect(target)
                        #expect((connection == nil) == isSlow)
                        connection.map { _ = close($0.descriptor) }
                    }
                    #expect(listener.waiting == 90)
                }
            }
        }

        /// Looked at on the connecting thread, since libcurl opens a descriptor a moment before its flag is set.
        @Test(.ownProcess) func childProcessInheritsNoDescriptor() async {
            await #expect(processExitsWith: .success) {
                let (listener, before, connector) = (try Listener(), inheritableDescriptors(), try Connector())
                let (found, pairs, ends) = (Locked<Set<String>>([]), Locked(0), Locked(0))
                for index in 0..<50 {
                    let look: @Sendable () -> Void = {
                        found.withLock { $0.formUnion(inheritableDescriptors()) }
                        let sockets = ResourceCensus().descriptors.values.count { $0.hasPrefix("socket:") }
                        pairs.withLock { $0 = max($0, sockets) }
                    }
                    // libcurl knows `localhost` itself. For the others there are threads and socket pairs of its resolver.
                    let host = index < 25 ? "no-such-host\(index).invalid" : "localhost"
                    connector.open(
                        ConnectTarget(host, listener.port), step: { _ in look() },
                        completion: { result in
                            look()
                            if case .success(let connection) = result { close(connection.descriptor) }
                            ends.withLock { $0 += 1 }
                        })
                }
                _ = try await waitUntil("all have ended") { ends.withLock { $0 } == 50 ? true : nil }
                let inherited = found.withLock { $0 }.subtracting(before)
                #expect(inherited.isEmpty, "\(inherited)")
                #expect(pairs.withLock { $0 } > 10)
            }
        }

        @Test(.ownProcess) func forkedProcessGetsAnErrorThatNamesTheFork() async {
            await #expect(processExitsWith: .success) {
                let (listener, connector) = (try Listener(), try Connector())
                try await connector.connectAndClose(ConnectTarget("127.0.0.1", listener.port))
                #expect(Self.exitCodeOfFork(connector, listener.port) == 42)
                try await connector.connectAndClose(ConnectTarget("127.0.0.1", listener.port))
            }
        }

        /// Opens a connection in a process made by `fork`, which Swift does not show. Returns 42 if that fails as it should.
        private static func exitCodeOfFork(_ connector: Connector, _ port: Int) -> Int32? {
            guard let symbol = dlsym(nil, "fork") else { return nil }
            let child = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
            if child == 0 {
                connector.open(ConnectTarget("127.0.0.1", port)) { result in
                    guard case .failure(let error as TransportError) = result, error.code == .other else { _exit(1) }
                    _exit(error.message.contains("forked from one that had sent requests") ? 42 : 2)
                }
                _exit(3)
            }
            var status: Int32 = 0
            return waitpid(child, &status, 0) == child ? (status >> 8) & 0xFF : nil
        }
    }
#endif
