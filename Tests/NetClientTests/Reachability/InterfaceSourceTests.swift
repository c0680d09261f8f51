#if os(Linux)
    import Dispatch
    import Glibc

    @testable import NetClient

    /// The monitor with interfaces of a network namespace. As root, a failure to create the namespace fails the test.
    @Suite(
        .timeLimit(.minutes(5)), .enabled(if: NetworkNamespace.isRoot, "making a network namespace needs root"),
        .requires(.ip))
    struct InterfaceSourceTests {
        /// A virtual cable from `eth0` to `peer0` without addresses, which the kernel would otherwise add.
        private func plugIn(_ namespace: NetworkNamespace, isUp: Bool = true) async throws {
            try await namespace.ip("link set lo up", "link add eth0 type veth peer name peer0")
            try await namespace.ip("link set eth0 addrgenmode none", "link set peer0 addrgenmode none")
            if isUp { try await namespace.ip("link set peer0 up", "link set eth0 up") }
        }

        @Test func cableAndRoute() async throws {
            try await NetworkNamespace.with { namespace in
                let monitor = try await namespace.monitor()
                #expect(monitor.status == .offline)
                try await plugIn(namespace, isUp: false)
                try await namespace.ip("addr add 192.0.2.2/24 dev eth0", "link set eth0 up")
                #expect(!monitor.isReachable, "the other end is down")
                try await namespace.ip("link set peer0 up")
                let status = try await monitor.waitFor { $0.isReachable }
                #expect(status == ConnectionStatus(isReachable: true, interfaceType: .wired))
                for (commands, isReachable) in [
                    (["link set peer0 down"], false), (["link set peer0 up"], true), (["link set eth0 down"], false),
                    (["link set eth0 up", "route add default via 192.0.2.1"], true), (["addr flush dev eth0"], false),
                    (["addr add 192.0.2.3/24 dev eth0"], true), (["link delete eth0"], false),
                ] {
                    for command in commands { try await namespace.ip(command) }
                    try await monitor.waitUntilReachable(isReachable)
                }
                #expect(monitor.status == .offline)
            }
        }

        @Test func addressOnLoopbackNeedsAnotherInterface() async throws {
            try await NetworkNamespace.with { namespace in
                try await plugIn(namespace, isUp: false)
                try await namespace.ip("addr add 192.0.2.7/32 dev lo")
                let monitor = try await namespace.monitor()
                #expect(!monitor.isReachable)
                try await namespace.ip("link set peer0 up", "link set eth0 up")
                try await monitor.waitUntilReachable(true)
                try await namespace.ip("addr del 192.0.2.7/32 dev lo")
                try await monitor.waitUntilReachable(false)
            }
        }

        @Test(arguments: ["addr add 192.0.2.2/24 dev eth0 label eth0:1", "-6 addr add 2001:db8::2/64 dev eth0 nodad"])
        func addressWithALabelAndIPv6Only(_ command: String) async throws {
            try await NetworkNamespace.with { namespace in
                try await plugIn(namespace)
                let monitor = try await namespace.monitor()
                #expect(!monitor.isReachable)
                try await namespace.ip(command)
                let status = try await monitor.waitFor { $0.isReachable }
                #expect(status == ConnectionStatus(isReachable: true, interfaceType: .wired))
                try await namespace.ip("link set eth0 down")
                try await monitor.waitUntilReachable(false)
            }
        }

        @Test func restartReadsTheStatus() async throws {
            try await NetworkNamespace.with { namespace in
                let monitor = try await namespace.monitor()
                monitor.stopMonitoring()
                #expect(monitor.isReachable)
                try await namespace.enter { monitor.startMonitoring() }
                #expect(!monitor.isReachable)
                try await plugIn(namespace)
                try await namespace.ip("addr add 10.1.2.3/8 dev eth0")
                try await monitor.waitUntilReachable(true)
            }
        }

        @Test func overflowOfTheSocketBuffer() async throws {
            try await NetworkNamespace.with { namespace in
                try await plugIn(namespace)
                try await namespace.ip("addr add 192.0.2.2/24 dev eth0")
                let gate = DispatchSemaphore(value: 0)
                let isHeld = Locked(false)
                let monitor = try await namespace.monitor { if isHeld.withLock({ $0 }) { gate.wait() } }
                #expect(monitor.isReachable)
                // The source is blocked while more changes arrive than fit in the socket's buffer.
                isHeld.withLock { $0 = true }
                let flood = (0..<3_000).map { "addr \($0.isMultiple(of: 2) ? "add" : "del") 10.9.8.7/32 dev lo" }
                try await namespace.batch(flood)
                try await namespace.ip("link set eth0 down")
                isHeld.withLock { $0 = false }
                gate.signal()
                try await monitor.waitUntilReachable(false)
                try await namespace.ip("link set eth0 up")
                let status = try await monitor.waitFor { $0.isReachable }
                #expect(status.interfaceType == .wired)
            }
        }

        @Test func offlineCallFailsAndWaitingCallIsSent() async throws {
            try await NetworkNamespace.with { namespace in
                let monitor = try await namespace.monitor()
                let transport = StubTransport { _, _, _ in answer() }
                let client = NetworkClient(transport: transport, connectionMonitor: monitor)
                let failure = try await failure { try await client.response(for: request()) }
                #expect(failure.cause == .noInternetConnection && transport.exchanges.isEmpty)
                let guarded = OfflineGuard(monitor: monitor, policy: .wait())
                let next = Next { request, _, _ in TransportResponse(status: 204, url: request.url) }
                let waiting = Task { try await guarded.intercept(request(), next: next) }
                try await plugIn(namespace)
                try await namespace.ip("addr add 10.1.2.3/8 dev eth0")
                #expect(try await waiting.value.status == 204)
            }
        }
    }

    @Suite struct InterfaceSourceLimitTests {
        @Test(.ownProcess) func stoppedMonitorsCloseTheirSockets() async {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                func round() {
                    for _ in 0..<20 {
                        let monitor = ConnectionMonitor(debounce: 1)
                        monitor.stopMonitoring()
                        monitor.startMonitoring()
                    }
                }
                func sockets() -> Int { ResourceCensus().descriptors.values.filter { $0.hasPrefix("socket:") }.count }
                let before = sockets()
                round()
                // Dispatch closes them later.
                try await waitUntil("all sockets are closed") { sockets() <= before ? () : nil }
                let kept = ConnectionMonitor()
                #expect(sockets() == before + 1, "the count sees the sockets")
                withExtendedLifetime(kept) {}
            }
        }

        @Test(.ownProcess) func statusIsUnknownWithoutNetlink() async {
            await #expect(processExitsWith: .success) {
                var limit = rlimit(rlim_cur: 0, rlim_max: 0)
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let usual = limit
                limit.rlim_cur = 3
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let monitor = ConnectionMonitor()
                let status = monitor.status
                monitor.stopMonitoring()
                limit = usual
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                #expect(status == .unknown && status.isReachable)
            }
        }
    }

    /// A network namespace. Needs root and iproute2.
    private struct NetworkNamespace: Sendable {
        let name: String

        static var isRoot: Bool { geteuid() == 0 }

        /// Creates a namespace, with `lo` (down) only, and removes it after the test.
        static func with(_ body: (NetworkNamespace) async throws -> Void) async throws {
            let namespace = NetworkNamespace(name: "netsdk-\(getpid())-\(UInt32.random(in: 0...(.max)))")
            try await ProcessRunner.run("ip", ["netns", "add", namespace.name]).checked()
            let result: Swift.Result<Void, any Error>
            do { result = .success(try await body(namespace)) } catch { result = .failure(error) }
            try await ProcessRunner.run("ip", ["netns", "delete", namespace.name]).checked()
            try result.get()
        }

        /// Runs commands of `ip`: `"link set eth0 up"`.
        func ip(_ commands: String...) async throws {
            for command in commands {
                try await ProcessRunner.run("ip", ["-n", name] + command.split(separator: " ").map(String.init))
                    .checked()
            }
        }

        func batch(_ commands: [String]) async throws {
            let text = commands.joined(separator: "\n") + "\n"
            try await ProcessRunner.run(Tool.ip.path(), ["-n", name, "-batch", "-"], input: Data(text.utf8)).checked()
        }

        /// Calls the body on a thread in the namespace. Its sockets stay in the namespace.
        func enter<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
            try await withCheckedThrowingContinuation { continuation in start(body) { continuation.resume(with: $0) } }
        }

        /// Blocks until the body has returned.
        func entered<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
            let found = Locked<Swift.Result<Result, any Error>?>(nil)
            let done = DispatchSemaphore(value: 0)
            start(body) { result in
                found.withLock { $0 = result }
                done.signal()
            }
            done.wait()
            guard let result = found.withLock({ $0 }) else { throw LabError("The thread gave no result.") }
            return try result.get()
        }

        /// A monitor of this namespace, which calls `beforeReading` before each reading.
        func monitor(beforeReading: @escaping @Sendable () -> Void = {}) async throws -> ConnectionMonitor {
            try await enter {
                ConnectionMonitor(debounce: 0, clock: .system) { report in
                    let read: @Sendable () -> ConnectionStatus = {
                        beforeReading()
                        return (try? self.entered { ConnectionStatus.ofThisMachine }) ?? .unknown
                    }
                    return interfaceStatus(reading: read, report)
                }
            }
        }

        /// On a new thread, so the namespace need not be restored.
        private func start<Result: Sendable>(
            _ body: @escaping @Sendable () throws -> Result,
            then: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
        ) {
            let path = "/run/netns/\(name)"
            let thread = Thread {
                then(
                    Swift.Result {
                        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
                        guard descriptor >= 0 else { throw LabError("\(path) cannot be opened.") }
                        defer { close(descriptor) }
                        try Self.enter(descriptor)
                        return try body()
                    })
            }
            thread.start()
        }

        /// Swift's Glibc does not have `setns`.
        private static func enter(_ descriptor: Int32) throws {
            typealias SetNS = @convention(c) (Int32, Int32) -> Int32
            let networkOnly: Int32 = 0x4000_0000
            guard let symbol = dlsym(nil, "setns"), unsafeBitCast(symbol, to: SetNS.self)(descriptor, networkOnly) == 0
            else { throw LabError("setns: \(String(cString: strerror(errno)))") }
        }
    }
#endif
