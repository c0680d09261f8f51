#if os(Linux)
    import NetTesting

    /// A server that answers each request with its path, and sends more bytes when the test says so.
    final class LateServer: Sendable {
        static let response = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate"

        private struct State {
            var bytes = ""
            var waiter: CheckedContinuation<Void, Never>?
            var after = 0
        }

        private let listener: HostileListener
        private let state = Locked(State())
        private let order = DispatchSemaphore(value: 0)

        init(_ certificate: MockCertificate?) throws {
            listener = try HostileListener(certificate)
            Thread { [self] in
                while let link = listener.accept() {
                    serve(link)
                    link.close()
                }
            }.start()
        }

        var url: URL { listener.url }
        /// The requests that came over a connection on which the server had sent late bytes.
        var requestsAfterLateBytes: Int { state.withLock(\.after) }

        /// Returns when the client's system has the bytes.
        func sendLate(_ bytes: String) async {
            await withCheckedContinuation { continuation in
                state.withLock { ($0.bytes, $0.waiter) = (bytes, continuation) }
                order.signal()
            }
        }

        func stop() { listener.stop() }

        private func serve(_ link: HostileLink) {
            var reader = HostileRequestReader(link)
            guard let head = reader.head(), let number = head.number else { return }
            let path = "/t\(number)x"
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)"
            guard link.write(answer.utf8) else { return }
            order.wait()
            let (bytes, waiter) = state.withLock { state in
                defer { state.waiter = nil }
                return (state.bytes, state.waiter)
            }
            _ = link.write(bytes.utf8)
            link.waitUntilDelivered()
            waiter?.resume()
            if link.clientCloses() != true { state.withLock { $0.after += 1 } }
        }
    }
#endif
