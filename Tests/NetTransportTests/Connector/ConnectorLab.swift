#if os(Linux)
    import Testing

    @testable import NetTransport
    @testable import TestLab

    /// A listening socket. Connections to it are complete without being accepted.
    final class Listener: Sendable {
        let descriptor: Int32
        let port: Int

        /// - Parameters:
        ///   - host: `127.0.0.1` or `::1`.
        ///   - isFull: whether it answers no further connection.
        init(_ host: String = "127.0.0.1", port wanted: Int = 0, isFull: Bool = false) throws {
            let bound = try LoopbackSocket.bind(port: UInt16(wanted), family: host.contains(":") ? .v6 : .v4)
            (descriptor, port) = (bound.descriptor, Int(bound.port))
            guard listen(descriptor, isFull ? 0 : 1000) == 0 else { throw LabError("cannot listen on \(host)") }
            guard isFull else { return }
            for _ in 0..<4 { beginConnection() }
            usleep(50_000)
        }

        /// Begins a connection that is never closed. The system accepts no more of them than a full listener has room for.
        private func beginConnection() {
            var (address, length) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &length)
                    let type = SocketConstant.stream | Int32(SOCK_NONBLOCK.rawValue)
                    _ = connect(socket(Int32($0.pointee.sa_family), type, 0), $0, length)
                }
            }
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

    /// Reads what has arrived until the text ends with `end`.
    func readText(_ descriptor: Int32, until end: String) async throws -> String {
        var text = ""
        return try await waitUntil("text that ends with \(end.debugDescription)") {
            var bytes = [UInt8](repeating: 0, count: 1000)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0 { text += String(decoding: bytes.prefix(count), as: UTF8.self) }
            return text.hasSuffix(end) ? text : nil
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
