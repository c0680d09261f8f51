#if os(Linux)
    import TestLab
    import Testing

    @testable import NetTransport

    /// A listening socket. Connections to it are complete without being accepted.
    final class Listener: Sendable {
        let descriptor: Int32
        let port: Int

        /// - Parameters:
        ///   - host: `127.0.0.1` or `::1`.
        ///   - isFull: whether it answers no further connection.
        init(_ host: String = "127.0.0.1", port wanted: Int = 0, isFull: Bool = false) throws {
            let (isIPv6, descriptor) = (host.contains(":"), Self.newSocket(host))
            self.descriptor = descriptor
            var one: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
            if isIPv6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, 4) }
            var address = Self.address(host, wanted)
            guard withPointer(&address, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, isFull ? 0 : 1000) == 0
            else { throw LabError("cannot listen on \(host)") }
            port = Self.port(of: descriptor, isIPv6)
            guard isFull else { return }
            for _ in 0..<4 { _ = Self.connected(to: port, host, Int32(SOCK_NONBLOCK.rawValue)) }
            usleep(50_000)
        }

        private static func newSocket(_ host: String, _ flags: Int32 = 0) -> Int32 {
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | flags
            return socket(host.contains(":") ? AF_INET6 : AF_INET, type, 0)
        }

        /// Connects to a port of this machine. A socket that does not block may still be connecting.
        static func connected(to port: Int, _ host: String = "127.0.0.1", _ flags: Int32 = 0) -> Int32 {
            let client = newSocket(host, flags)
            var address = address(host, port)
            _ = withPointer(&address) { connect(client, $0, $1) }
            return client
        }

        deinit { close(descriptor) }

        /// Two that listen on the same port of `::1` and `127.0.0.1`.
        ///
        /// - Parameter isFull: whether the first answers no further connection.
        static func pair(isFull: Bool = false) throws -> (ipv6: Listener, ipv4: Listener) {
            // Another program may have the port of the other family.
            for _ in 0..<20 {
                let ipv6 = try Listener("::1", isFull: isFull)
                if let ipv4 = try? Listener("127.0.0.1", port: ipv6.port) { return (ipv6, ipv4) }
            }
            throw LabError("no port is free in both families")
        }

        private static func address(_ host: String, _ port: Int) -> sockaddr_storage {
            var storage = sockaddr_storage()
            withUnsafeMutableBytes(of: &storage) { bytes in
                if host.contains(":") {
                    var address = sockaddr_in6()
                    address.sin6_family = sa_family_t(AF_INET6)
                    address.sin6_port = UInt16(port).bigEndian
                    inet_pton(AF_INET6, host, &address.sin6_addr)
                    bytes.storeBytes(of: address, as: sockaddr_in6.self)
                } else {
                    var address = sockaddr_in()
                    address.sin_family = sa_family_t(AF_INET)
                    address.sin_port = UInt16(port).bigEndian
                    inet_pton(AF_INET, host, &address.sin_addr)
                    bytes.storeBytes(of: address, as: sockaddr_in.self)
                }
            }
            return storage
        }

        private static func port(of descriptor: Int32, _ isIPv6: Bool) -> Int {
            var storage = sockaddr_storage()
            _ = withPointer(&storage) { pointer, length in
                var length = length
                return getsockname(descriptor, UnsafeMutablePointer(mutating: pointer), &length)
            }
            return withUnsafeBytes(of: storage) { Int(UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))) }
        }

        func accepted() async throws -> Int32 {
            let descriptor = descriptor
            return try await waitUntil("a connection") { () -> Int32? in
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, 0) == 1 else { return nil }
                return accept(descriptor, nil, nil)
            }
        }

        /// Resolves a name to addresses of this machine, for this port.
        func override(_ host: String, to addresses: String...) -> TransportConfiguration.ResolveOverride {
            .init(host: host, port: port, addresses: addresses.isEmpty ? ["127.0.0.1"] : addresses)
        }

        /// The number of connections that wait to be accepted.
        var waiting: Int {
            var count = 0
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while poll(&waiting, 1, 0) == 1 {
                close(accept(descriptor, nil, nil))
                count += 1
            }
            return count
        }
    }

    private func withPointer<Result>(
        _ storage: inout sockaddr_storage, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        let isIPv6 = storage.ss_family == sa_family_t(AF_INET6)
        let length = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }

    /// Reads what has arrived until the text ends with `end`.
    func readText(_ descriptor: Int32, until end: String) async throws -> String {
        let text = Locked("")
        return try await waitUntil("text that ends with \(end.debugDescription)") {
            var bytes = [UInt8](repeating: 0, count: 1000)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return text.withLock { text in
                if count > 0 { text += String(decoding: bytes.prefix(count), as: UTF8.self) }
                return text.hasSuffix(end) ? text : nil
            }
        }
    }

    /// Whether what is written to a connection arrives at the listener, and nothing before it. Closes both ends.
    func carriesText(_ connection: OpenedConnection, to listener: Listener) async throws -> Bool {
        let accepted = try await listener.accepted()
        defer { for end in [accepted, connection.descriptor] { close(end) } }
        writeText("hello", to: connection.descriptor)
        return try await readText(accepted, until: "hello") == "hello"
    }

    func writeText(_ text: String, to descriptor: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    extension Connector {
        /// With settings changed, and without a proxy of the environment.
        convenience init(_ change: (inout TransportConfiguration) throws -> Void = { _ in }) throws {
            let configuration = try TransportConfiguration {
                $0.proxy = .none
                try change(&$0)
            }
            self.init(configuration, addressGuard: try AddressGuard(configuration.addressPolicy))
        }

        func connect(
            _ target: ConnectTarget, steps: Locked<[ConnectStep]>? = nil, ticket: (ConnectAttempt) -> Void = { _ in }
        ) async throws -> OpenedConnection {
            let report = steps.map { steps in { @Sendable (step: ConnectStep) in steps.withLock { $0.append(step) } } }
            return try await withCheckedThrowingContinuation { continuation in
                ticket(open(target, step: report) { continuation.resume(with: $0) })
            }
        }

        @discardableResult func connectAndClose(
            _ target: ConnectTarget, steps: Locked<[ConnectStep]>? = nil
        ) async throws -> OpenedConnection {
            let connection = try await connect(target, steps: steps)
            close(connection.descriptor)
            return connection
        }

        /// The error of a connection that cannot be opened.
        func failure(_ target: ConnectTarget, steps: Locked<[ConnectStep]>? = nil) async throws -> TransportError {
            do { try await connectAndClose(target, steps: steps) } catch {
                return try #require(error as? TransportError, "\(error)")
            }
            throw LabError("\(target.host) can be connected to")
        }
    }

    extension ConnectTarget {
        init(_ host: String, _ port: Int, isTLS: Bool = false, proxy: ProxyPlan.Server? = nil, within ms: Int = 60_000)
        {
            self.init(
                url: URL(string: "\(isTLS ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"),
                host: host, port: port, needsTunnel: isTLS, proxy: proxy, milliseconds: ms)
        }
    }

    /// The sockets and event descriptors that a child process would inherit.
    func inheritableDescriptors() -> Set<String> {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(
            names.compactMap { name in
                guard let number = Int32(name), case let flags = fcntl(number, F_GETFD),
                    flags & (FD_CLOEXEC | .min) == 0
                else { return nil }
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                return target.map { "\(name) \($0)" }
            })
    }
#endif
