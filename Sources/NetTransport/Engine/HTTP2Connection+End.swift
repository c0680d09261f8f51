#if os(Linux)
    import CLibcurl
    import NetCore

    /// The end of the connection, and of its streams.
    extension HTTP2Connection {
        /// Ends the connection with a GOAWAY of our own.
        func terminate(_ code: TransportError.HTTP2Code, _ message: String) {
            if problem.isEmpty { problem = message }
            (ownCode, isDraining, needsPoolUpdate) = (code, true, true)
            _ = nc_h2_lib.session_terminate_session(http2, code.rawValue)
        }

        /// Whether the connection must be closed: it broke, or has no use. Without streams, it is not kept idle before the server's settings,
        /// since other requests would wait for them.
        var isOver: Bool {
            if ownCode != .noError { return true }
            guard streams.isEmpty else { return false }
            guard isSettled else { return isDraining || hasCarried }
            return isDraining || nc_h2_lib.session_want_read(http2) == 0 && nc_h2_lib.session_want_write(http2) == 0
        }

        func lost(_ end: Connection.End) {
            guard connection.isOpen else { return }
            connection.engine.pool.remove(connection)
            endStreams(end)
            connection.close()
        }

        /// Sends a last GOAWAY, before the connection is closed.
        func sendGoAway() {
            endStreams(Connection.End())
            if ownCode == .noError { _ = nc_h2_lib.session_terminate_session(http2, UInt32(NC_H2_NO_ERROR)) }
            _ = send()
        }

        private func endStreams(_ end: Connection.End) {
            isDraining = true
            for stream in streams {
                let isProcessed = stream.isSent && stream.id <= lastStream
                if stream.isWhole {
                    finish(stream, nil)
                } else if isProcessed, ownCode != .noError {
                    let message = stream.problem.isEmpty ? problem : stream.problem
                    finish(stream, HTTP2Failure(kind: .violation, code: ownCode, message: message))
                } else {
                    let kind = isProcessed ? HTTP2Failure.Kind.closed : .unprocessed
                    finish(
                        stream, HTTP2Failure(kind: kind, code: peerCode, errno: end.osError, message: end.message))
                }
            }
        }
    }
#endif
