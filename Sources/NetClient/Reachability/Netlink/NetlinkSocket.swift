#if os(Linux)
    import NetCore

    /// A socket to the kernel's routing tables. It stays in the network namespace of the thread that opened it.
    final class NetlinkSocket: Sendable {
        struct Failure: Error, CustomStringConvertible {
            let call: String
            let code: Int32

            var description: String { "\(call): \(String(cString: strerror(code)))" }
        }

        enum Outcome {
            case bytes([UInt8])
            /// Nothing is there (now, or in time).
            case nothing
            /// Something was lost: the socket's buffer was full, or a message did not fit.
            case lost
        }

        /// `RTMGRP_LINK`, and `…_IFADDR` and `…_ROUTE` of IPv4 and IPv6.
        static let allNews: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

        let descriptor: Int32

        /// Opens one.
        ///
        /// - Parameter groups: what to get news of; 0 for answers only.
        init(groups: UInt32 = 0) throws(Failure) {
            let routing: Int32 = 0
            descriptor = socket(AF_NETLINK, SocketConstant.raw, routing)
            guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
            // `sockaddr_nl`, which Swift's Glibc does not have: family (and padding), port (0: the kernel gives one), groups.
            let address: [UInt32] = [UInt32(UInt16(AF_NETLINK).littleEndian), 0, groups]
            let bound = address.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, Self.addressSize) }
            }
            var patience = timeval(tv_sec: 2, tv_usec: 0)
            let limited = setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
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
        /// The kernel fills 32 KiB at most, unless one message is larger.
        private static let bufferSize = 64 * 1024

        func send(_ bytes: [UInt8]) throws(Failure) {
            while Glibc.send(descriptor, bytes, bytes.count, 0) < 0 {
                guard errno == EINTR else { throw Failure(call: "send", code: errno) }
            }
        }

        /// The next datagram of the kernel's.
        ///
        /// - Parameter waits: for two seconds at most.
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
                // Other programs may write to this socket as well; the kernel is port 0.
                guard sender[1] == 0 else { continue }
                guard count <= buffer.count else { return .lost }
                return .bytes(Array(buffer[..<count]))
            }
        }
    }
#endif
