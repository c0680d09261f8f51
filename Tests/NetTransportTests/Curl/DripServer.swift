#if os(Linux)
    import NetCore

    /// A server on loopback that answers each connection with the same pieces, with a pause before each, and then keeps it open.
    final class DripServer: Sendable {
        private let listener: Listener

        init(_ pieces: [String], pause milliseconds: Int32 = 0) throws {
            listener = try Listener()
            // The thread keeps the listener, which closes itself: the descriptor's number could be another server's when this accepts again.
            Thread { [listener] in
                while true {
                    let connection = accept(listener.descriptor, nil, nil)
                    guard connection >= 0 else { return }
                    Thread { Self.serve(connection, pieces, milliseconds) }.start()
                }
            }.start()
        }

        deinit { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

        func url(_ scheme: String = "http", host: String = "127.0.0.1") throws -> URL {
            try NetTransportTests.url("\(scheme)://\(host):\(listener.port)/")
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
                    guard send(connection, bytes, bytes.count, SocketConstant.sendFlags) == bytes.count else { return }
                }
            }
        }
    }
#endif
