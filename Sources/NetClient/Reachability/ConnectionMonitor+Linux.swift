#if os(Linux)
    import Dispatch

    #if !canImport(Network)
        func platformStatus(_ report: @escaping @Sendable (ConnectionStatus) -> Void) -> @Sendable () -> Void {
            interfaceStatus(reading: { .ofThisMachine }, report)
        }
    #endif

    /// The status by the machine's interfaces and addresses, read again whenever the kernel announces a change of them. It costs nothing while
    /// nothing changes. A test reads the status of another network namespace.
    ///
    /// The first status is reported before this returns, in about 100 µs. Without netlink, which announces the changes, the status is
    /// ``ConnectionStatus/unknown``.
    func interfaceStatus(
        reading read: @escaping @Sendable () -> ConnectionStatus,
        _ report: @escaping @Sendable (ConnectionStatus) -> Void
    ) -> @Sendable () -> Void {
        // Opened before the first reading, so that no change is missed.
        guard let changes = ChangeSocket() else {
            report(.unknown)
            return {}
        }
        report(read())
        let events = DispatchSource.makeReadSource(
            fileDescriptor: changes.descriptor, queue: DispatchQueue(label: "networking.connectionMonitor.source"))
        let cancel = UncheckedSendable(events.cancel)
        events.setEventHandler {
            if changes.drain() { return report(read()) }
            // A broken socket would wake the queue again and again.
            cancel.value()
            report(.unknown)
        }
        // The descriptor must stay open until Dispatch has let go of it.
        events.setCancelHandler { withExtendedLifetime(changes) {} }
        events.activate()
        return { cancel.value() }
    }

    /// A netlink socket that becomes readable when a link or an address changes. What it says is not parsed.
    ///
    /// It stays in the network namespace of the thread that opened it.
    private final class ChangeSocket: Sendable {
        let descriptor: Int32

        /// Returns nil if the system has no netlink, or no descriptor left.
        init?() {
            let routing: Int32 = 0
            descriptor = socket(AF_NETLINK, SocketConstant.raw, routing)
            guard descriptor >= 0 else { return nil }
            // `sockaddr_nl`, which Swift's Glibc lacks: family (and padding), port (0: the kernel chooses), groups.
            let address: [UInt32] = [UInt32(UInt16(AF_NETLINK).littleEndian), 0, Self.groups]
            let bound = address.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
            }
            guard bound == 0 else {
                close(descriptor)
                return nil
            }
        }

        deinit { close(descriptor) }

        /// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR` and `RTMGRP_IPV6_IFADDR`.
        private static let groups: UInt32 = 0x1 | 0x10 | 0x100

        /// Discards the announcements that have arrived. Returns false if the socket is broken.
        func drain() -> Bool {
            var byte: UInt8 = 0
            // Bounded, so that a flood does not block a stop. The rest wakes the queue again.
            for _ in 0..<1000 {
                if recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) >= 0 { continue }
                switch errno {
                // ENOBUFS: there were more announcements than the socket's buffer takes.
                case EINTR, ENOBUFS: continue
                case EAGAIN: return true
                default: return false
                }
            }
            return true
        }
    }

    extension ConnectionStatus {
        /// The status by the interfaces in the calling thread's network namespace; unknown if they cannot be read.
        static var ofThisMachine: ConnectionStatus {
            var first: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&first) == 0 else { return .unknown }
            defer { freeifaddrs(first) }
            // In the kernel's order: the interfaces themselves come first.
            var interfaces: [NetworkInterface] = []
            for entry in sequence(first: first, next: { $0?.pointee.ifa_next }).lazy.compactMap({ $0?.pointee }) {
                // An address may have a label of its own: `eth0:1`.
                let name = String(String(cString: entry.ifa_name).prefix { $0 != ":" })
                let index =
                    interfaces.firstIndex { $0.name == name }
                    ?? {
                        interfaces.append(NetworkInterface(name: name, flags: entry.ifa_flags))
                        return interfaces.count - 1
                    }()
                guard let address = entry.ifa_addr else { continue }
                interfaces[index].add(UnsafeRawPointer(address), family: Int32(address.pointee.sa_family))
            }
            return ConnectionStatus(interfaces: interfaces) { NetworkInterface.deviceType(of: $0) }
        }
    }

    extension NetworkInterface {
        /// Adds what one entry of `getifaddrs` says.
        fileprivate mutating func add(_ address: UnsafeRawPointer, family: Int32) {
            switch family {
            case AF_INET:
                let inner = address.loadUnaligned(as: sockaddr_in.self).sin_addr
                addresses.append(withUnsafeBytes(of: inner) { Array($0) })
            case AF_INET6:
                let inner = address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
                addresses.append(withUnsafeBytes(of: inner) { Array($0) })
            // `sockaddr_ll`, which Swift's Glibc lacks: family, protocol, index, then the hardware's type.
            case AF_PACKET: hardwareType = address.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
            default: break
            }
        }

        /// `DEVTYPE` in the interface's uevent file: `wlan`, `wwan`, `bridge` …; nil for plain Ethernet, and without `/sys`.
        fileprivate static func deviceType(of name: String) -> String? {
            guard !name.isEmpty, !name.contains("/"), name != "..",
                let file = FileHandle(forReadingAtPath: "/sys/class/net/\(name)/uevent")
            else { return nil }
            return String(decoding: file.readData(ofLength: 4096), as: UTF8.self)
                .split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }.map { String($0.dropFirst(8)) }
        }
    }
#endif
