#if os(Linux)
    import CLibcurl
    import NetClient
    import NetTesting
    import TestLab
    import Testing

    /// The descriptors of a transport: what a child process gets of them, and what happens when there are none left.
    @Suite(.timeLimit(.minutes(1))) struct CurlDescriptorTests {
        @Test(.ownProcess) func childProcessInheritsNoSocket() async throws {
            await #expect(processExitsWith: .success) {
                // What the tests' own parents have left open.
                let (before, server) = (inheritableDescriptors(), try MockServer { _ in .text("ok") })
                let (client, transport) = (NetworkClient(), CurlTransport())
                // A kept connection of each, one by a name, and a response that is being read.
                _ = try await client.send(URLRequest(url: server.url("/a")), body: nil, context: nil)
                _ = try await transport.fetch(server.url("/b"))
                server.enqueue(.bytes(count: 1 << 30))
                let response = try await transport.stream(server.url("/c"))
                let inherited = inheritableDescriptors().subtracting(before)
                #expect(inherited.isEmpty, "\(inherited)")
                _ = response
            }
        }

        /// A child that was just forked has a copy of each descriptor. epoll still reports what happens to it.
        @Test(.ownProcess) func copiedDescriptorsOfClosedConnectionsAreIgnored() async throws {
            await #expect(processExitsWith: .success) {
                let server = try MockServer { _ in .text("ok") }
                for _ in 0..<20 {
                    let transport = CurlTransport()
                    _ = try await transport.fetch(server.url("/"))
                    let copies = (3..<120).map { fcntl($0, F_DUPFD_CLOEXEC, 400) }.filter { $0 >= 0 }
                    await transport.shutdown()
                    server.closeConnections()
                    let other = CurlTransport()
                    for _ in 0..<5 { _ = try? await other.fetch(server.url("/")) }
                    await other.shutdown()
                    copies.forEach { close($0) }
                }
            }
        }

        /// Given one end of the resolver's pair, wherever the other one is.
        @Test(arguments: [0, 1]) func socketPairIsCloseOnExec(_ end: Int) throws {
            var pair: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            let far = fcntl(pair[1], F_DUPFD, 500)
            close(pair[1])
            pair[1] = far
            defer { pair.forEach { close($0) } }
            nc_seal_pair(pair[end])
            #expect(pair.map { fcntl($0, F_GETFD) & FD_CLOEXEC } == [FD_CLOEXEC, FD_CLOEXEC])
            // It still works.
            #expect(write(pair[0], "x", 1) == 1)
            var byte: UInt8 = 0
            #expect(read(pair[1], &byte, 1) == 1)
        }

        @Test(.ownProcess, arguments: [false, true]) func descriptorsExhaustedIsReported(_ isFirst: Bool) async throws {
            if isFirst {
                await #expect(processExitsWith: .success) { try await Self.runOut(isFirst: true) }
            } else {
                await #expect(processExitsWith: .success) { try await Self.runOut(isFirst: false) }
            }
        }

        private static func runOut(isFirst: Bool) async throws {
            let server = try MockServer { _ in .text("ok").closingConnection() }
            let breaker = CircuitBreaker(failureThreshold: 1, resetTimeout: 60)
            let policy = RetryPolicy(maxRetries: 3, delay: .immediate)
            let client = NetworkClient(interceptors: [breaker], retryPolicy: policy, transport: CurlTransport())
            let request = URLRequest(url: server.url("/"))
            if !isFirst {
                _ = try await client.send(request, body: nil, context: nil)
                // What the server still held would be free again below, for a connection that it then could not accept.
                try await server.waitForOpenConnections()
            }
            var taken: [Int32] = []
            while true {
                let descriptor = open("/", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { break }
                taken.append(descriptor)
                // A limit of millions would take long.
                if taken.count == 200 {
                    var limit = rlimit()
                    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    limit.rlim_cur = rlim_t(descriptor + 1)
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                }
            }
            for url in [server.url("/"), try url("localhost", server)] {
                let error = try await failure { try await client.send(URLRequest(url: url), body: nil, context: nil) }
                #expect(error.transportError?.code == .descriptorsExhausted, "\(error)")
                #expect(error.transportError?.url != nil && !error.isRetryable && error.retryAttempt ?? 0 == 0)
                if case .unknown = error.cause {} else { Issue.record("\(error.cause)") }
            }
            #expect(breaker.state(for: server.url("/")) == .closed)
            for descriptor in taken { close(descriptor) }
            // As soon as there are some again, it works.
            _ = try await client.send(request, body: nil, context: nil)
        }
    }
#endif
