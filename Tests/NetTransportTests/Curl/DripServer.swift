#if os(Linux)
    import NetCore
    import TestLab

    /// A server on loopback that answers each connection with the same pieces, with a pause before each, and then keeps it open.
    final class DripServer: Sendable {
        let port: UInt16
        private let listener: Int32

        init(_ pieces: [String], pause milliseconds: Int32 = 0) throws {
            let listener = socket(AF_INET, SocketConstant.stream, 0)
            guard listener >= 0 else { throw NetworkError.unsupported("socket") }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            guard isBound else { throw NetworkError.unsupported("bind") }
            port = UInt16(bigEndian: address.sin_port)
            self.listener = listener
            let thread = Thread {
                // Closed here: the descriptor's number could be another server's when this thread accepts again.
                defer { close(listener) }
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    Thread { Self.serve(connection, pieces, milliseconds) }.start()
                }
            }
            thread.start()
        }

        deinit {
            Foundation.shutdown(listener, Int32(SHUT_RDWR))
        }

        func url(_ path: String = "/") throws -> URL {
            guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw NetworkError.invalidURL }
            return url
        }

        /// One answer for each request that comes; the pieces are the bytes on the wire.
        private static func serve(_ connection: Int32, _ pieces: [String], _ milliseconds: Int32) {
            defer { close(connection) }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while recv(connection, &buffer, buffer.count, 0) > 0 {
                for piece in pieces {
                    var end = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
                    // Something to read is the client's end.
                    if milliseconds > 0, poll(&end, 1, milliseconds) > 0 { return }
                    let bytes = Array(piece.utf8)
                    guard send(connection, bytes, bytes.count, SocketConstant.sendFlags) == bytes.count else {
                        return
                    }
                }
            }
        }
    }
#endif
