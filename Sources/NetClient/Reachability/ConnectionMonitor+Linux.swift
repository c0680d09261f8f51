#if os(Linux)
    import Dispatch

    #if !canImport(Network)
        func platformStatusSource() -> any StatusSource { NetlinkSource() }
    #endif

    /// The status by rtnetlink, on a Dispatch queue. It costs nothing while nothing changes.
    ///
    /// The first status is reported before ``start(_:)`` returns: three requests to the kernel, about 100 µs. Without netlink, the status is
    /// ``ConnectionStatus/unknown``.
    final class NetlinkSource: StatusSource {
        private struct State {
            var isStopped = false
            var events: (any DispatchSourceRead)?
        }

        private let state = Locked(State())
        private let queue = DispatchQueue(label: "networking.connectionMonitor.source")

        deinit {
            stop()
        }

        func start(_ report: @escaping @Sendable (ConnectionStatus) -> Void) {
            let reader: NetlinkReader
            do {
                reader = try NetlinkReader()
            } catch {
                return report(.unknown)
            }
            report(reader.status)
            let events = DispatchSource.makeReadSource(
                fileDescriptor: reader.notifications.descriptor, queue: queue)
            events.setEventHandler { [weak self] in
                do {
                    if try reader.update() { report(reader.status) }
                } catch {
                    // A broken socket would wake the queue again and again.
                    self?.stop()
                    report(.unknown)
                }
            }
            // The descriptor must stay open until Dispatch has let go of it.
            events.setCancelHandler { withExtendedLifetime(reader) {} }
            let isStopped = state.withLock { state in
                state.events = events
                return state.isStopped
            }
            events.activate()
            if isStopped { events.cancel() }
        }

        func stop() {
            let events = state.withLock { state in
                state.isStopped = true
                defer { state.events = nil }
                return state.events
            }
            events?.cancel()
        }
    }

    /// Keeps a table of the kernel's answers up to date. One thread at a time uses it.
    final class NetlinkReader: Sendable {
        /// Opened before the first request, so that no notification is missed.
        let notifications: NetlinkSocket
        private let answers: NetlinkSocket
        /// Nil if the kernel did not answer.
        private let table = Locked<NetlinkTable?>(nil)
        private let sequence = Locked(UInt32(0))

        /// Opens the sockets in the calling thread's network namespace, and reads all tables.
        init() throws(NetlinkSocket.Failure) {
            notifications = try NetlinkSocket(groups: NetlinkSocket.allGroups)
            answers = try NetlinkSocket()
            try readAll()
        }

        var status: ConnectionStatus {
            table.withLock { $0 }?.status(deviceType: Self.deviceType) ?? .unknown
        }

        /// Drains the notifications, and reads all tables again if one is about a link, an address or a default route.
        ///
        /// A notification about another route does not matter: a router's table may change many times a second.
        ///
        /// - Returns: whether the tables were read. If the kernel does not answer, the status is unknown until it does.
        func update() throws(NetlinkSocket.Failure) -> Bool {
            var isOutdated = false
            // Bounded, so that a flood does not block a stop. The rest wakes the queue again.
            draining: for _ in 0..<1000 {
                switch try notifications.receive(waits: false) {
                case .nothing: break draining
                case .lost: isOutdated = true
                case .bytes(let bytes): isOutdated = isOutdated || !NetlinkParser.messages(in: bytes).isEmpty
                }
            }
            if isOutdated {
                do { try readAll() } catch { table.withLock { $0 = nil } }
            }
            return isOutdated
        }

        /// Reads links, addresses and routes, and again if they changed meanwhile.
        private func readAll() throws(NetlinkSocket.Failure) {
            var new = NetlinkTable()
            for _ in 0..<4 {
                new = NetlinkTable()
                var isConsistent = true
                for list in NetlinkList.allCases where try !read(list, into: &new) { isConsistent = false }
                if isConsistent { break }
            }
            table.withLock { $0 = new }
        }

        /// - Returns: whether the answer is consistent.
        private func read(_ list: NetlinkList, into table: inout NetlinkTable) throws(NetlinkSocket.Failure) -> Bool {
            let number = sequence.withLock { sequence in
                sequence &+= 1
                return sequence
            }
            try answers.send(list.request(sequence: number))
            var isConsistent = true
            while true {
                switch try answers.receive(waits: true) {
                case .nothing: throw NetlinkSocket.Failure(call: "recvfrom", code: ETIMEDOUT)
                case .lost: isConsistent = false
                case .bytes(let bytes):
                    // Another number answers a request that was given up.
                    for message in NetlinkParser.messages(in: bytes) where message.sequence == number {
                        if message.isInterrupted { isConsistent = false }
                        switch message.content {
                        case .done: return isConsistent
                        case .error(let code): throw NetlinkSocket.Failure(call: "\(list)", code: code)
                        default: table.add(message.content)
                        }
                    }
                }
            }
        }

        /// `DEVTYPE` in the interface's uevent file: `wlan`, `wwan`, `bridge` …; nil for plain Ethernet, and without `/sys`.
        private static func deviceType(of name: String) -> String? {
            guard !name.isEmpty, !name.contains("/"), name != "..",
                let file = FileHandle(forReadingAtPath: "/sys/class/net/\(name)/uevent")
            else { return nil }
            return String(decoding: file.readData(ofLength: 4096), as: UTF8.self)
                .split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }.map { String($0.dropFirst(8)) }
        }
    }

    /// The kernel's lists.
    private enum NetlinkList: CaseIterable {
        case links
        case addresses
        case routes

        /// The request for the list: `nlmsghdr`, then `ifinfomsg`, `ifaddrmsg` or `rtmsg` for all families.
        func request(sequence: UInt32) -> [UInt8] {
            let (type, body): (UInt16, [UInt8]) =
                switch self {
                case .links: (18, [UInt8](repeating: 0, count: 16) + Self.withoutStatistics)
                case .addresses: (22, [UInt8](repeating: 0, count: 8))
                case .routes: (26, [UInt8](repeating: 0, count: 12))
                }
            // `NLM_F_REQUEST`, `NLM_F_DUMP`.
            let flags: UInt16 = 0x1 | 0x300
            return Self.bytes(UInt32(NetlinkParser.headerSize + body.count)) + Self.bytes(type) + Self.bytes(flags)
                + Self.bytes(sequence) + Self.bytes(UInt32(0)) + body
        }

        /// The attribute `IFLA_EXT_MASK`: length, type, value. Statistics are half of the answer otherwise.
        private static var withoutStatistics: [UInt8] { bytes(UInt16(8)) + bytes(UInt16(29)) + bytes(UInt32(8)) }

        private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number) { Array($0) }
        }
    }

    /// A socket to the kernel's routing tables. It stays in the network namespace of the thread that opened it.
    final class NetlinkSocket: Sendable {
        struct Failure: Error, CustomStringConvertible {
            let call: String
            let code: Int32

            var description: String { "\(call): \(String(cString: strerror(code)))" }
        }

        enum Outcome {
            case bytes([UInt8])
            /// No datagram arrived (yet, or in time).
            case nothing
            /// The socket's buffer was full, or a message did not fit.
            case lost
        }

        /// `RTMGRP_LINK`, and `…_IFADDR` and `…_ROUTE` of IPv4 and IPv6.
        static let allGroups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

        let descriptor: Int32

        /// Opens a socket.
        ///
        /// - Parameter groups: the notifications to receive; 0 for answers only.
        init(groups: UInt32 = 0) throws(Failure) {
            let routing: Int32 = 0
            descriptor = socket(AF_NETLINK, SocketConstant.raw, routing)
            guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
            // `sockaddr_nl`, which Swift's Glibc lacks: family (and padding), port (0: the kernel chooses), groups.
            let address: [UInt32] = [UInt32(UInt16(AF_NETLINK).littleEndian), 0, groups]
            let bound = address.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, Self.addressSize) }
            }
            var timeout = timeval(tv_sec: 2, tv_usec: 0)
            let limited = setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            guard bound == 0, limited == 0 else {
                let code = errno
                close(descriptor)
                throw Failure(call: bound == 0 ? "setsockopt" : "bind", code: code)
            }
        }

        deinit {
            close(descriptor)
        }

        private static let addressSize: socklen_t = 12
        /// In bytes. The kernel fills 32 KiB at most, unless one message is larger.
        private static let bufferSize = 64 * 1024

        func send(_ bytes: [UInt8]) throws(Failure) {
            while Glibc.send(descriptor, bytes, bytes.count, 0) < 0 {
                guard errno == EINTR else { throw Failure(call: "send", code: errno) }
            }
        }

        /// Returns the kernel's next datagram.
        ///
        /// - Parameter waits: whether to wait, for two seconds at most.
        func receive(waits: Bool) throws(Failure) -> Outcome {
            var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
            while true {
                var sender: [UInt32] = [0, 0, 0]
                var size = Self.addressSize
                let flags = Int32(MSG_TRUNC) | (waits ? 0 : Int32(MSG_DONTWAIT))
                let count = sender.withUnsafeMutableBytes { sender in
                    sender.withMemoryRebound(to: sockaddr.self) { sender in
                        recvfrom(descriptor, &buffer, buffer.count, flags, sender.baseAddress, &size)
                    }
                }
                guard count >= 0 else {
                    switch errno {
                    case EINTR: continue
                    case EAGAIN: return .nothing
                    case ENOBUFS: return .lost
                    default: throw Failure(call: "recvfrom", code: errno)
                    }
                }
                // Other programs may write to this socket too. The kernel is port 0.
                guard sender[1] == 0 else { continue }
                guard count <= buffer.count else { return .lost }
                return .bytes(Array(buffer[..<count]))
            }
        }
    }
#endif
