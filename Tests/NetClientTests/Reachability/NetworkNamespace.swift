#if os(Linux)
    import Dispatch
    import Glibc
    import NetCore
    import TestLab

    /// A network namespace. Needs root and iproute2.
    struct NetworkNamespace: Sendable {
        let name: String

        static var isRoot: Bool { geteuid() == 0 }

        /// Creates a namespace, with `lo` (down) only, and removes it after the test.
        static func with(_ body: (NetworkNamespace) async throws -> Void) async throws {
            let namespace = NetworkNamespace(name: "netsdk-\(getpid())-\(UInt32.random(in: 0...(.max)))")
            try await run("ip", ["netns", "add", namespace.name])
            let result: Swift.Result<Void, any Error>
            do { result = .success(try await body(namespace)) } catch { result = .failure(error) }
            try await run("ip", ["netns", "delete", namespace.name])
            try result.get()
        }

        /// Runs commands of `ip`: `"link set eth0 up"`.
        func ip(_ commands: String...) async throws {
            for command in commands {
                try await Self.run("ip", ["-n", name] + command.split(separator: " ").map(String.init))
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

        private static func run(_ command: String, _ arguments: [String]) async throws {
            try await ProcessRunner.run(command, arguments).checked()
        }
    }
#endif
