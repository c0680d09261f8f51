#if os(Linux)
    import TestLab

    @testable import NetTesting

    /// A server that answers each request as its ``HostileCase`` says, and notes what a client must not do.
    final class HostileServer: Sendable {
        private struct State {
            var received: Set<Int> = []
            var answered: Set<Int> = []
            var violations: [String] = []
            var connections = 0
            var open = 0
        }

        private let seed: UInt64
        private let listener: HostileListener
        private let state = Locked(State())

        init(seed: UInt64, certificate: MockCertificate?) throws {
            self.seed = seed
            listener = try HostileListener(certificate)
            Thread { [self] in
                while let link = listener.accept() {
                    state.withLock { ($0.connections, $0.open) = ($0.connections + 1, $0.open + 1) }
                    Thread { [self] in
                        Self.blockPipeSignal()
                        serve(link)
                        state.withLock { $0.open -= 1 }
                    }.start()
                }
            }.start()
        }

        var url: URL { listener.url }
        var violations: [String] { state.withLock(\.violations) }
        var connectionCount: Int { state.withLock(\.connections) }
        var openConnections: Int { state.withLock(\.open) }
        /// Whether the server has sent the whole answer.
        func hasAnswered(_ exchange: HostileCase) -> Bool { state.withLock { $0.answered.contains(exchange.number) } }
        func stop() { listener.stop() }
        private func report(_ violation: String) { state.withLock { $0.violations.append(violation) } }

        /// OpenSSL writes without `MSG_NOSIGNAL`.
        private static func blockPipeSignal() {
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &set, nil)
        }

        private func serve(_ link: HostileLink) {
            var reader = HostileRequestReader(link)
            var last = "nothing"
            while let head = reader.head() {
                guard let number = head.number else { return report("after \(last), the client sent: \(head)") }
                let exchange = HostileCase(seed: seed, number: number)
                let isNew = state.withLock { $0.received.insert(number).inserted }
                if !isNew { report("\(exchange.token) arrived twice") }
                let name = "\(exchange.token) (\(exchange.act))"
                guard answer(exchange, head, &reader, link, name) else { break }
                last = name
            }
            if let violation = reader.violation { report("after \(last), the client sent: \(violation)") }
            link.close()
        }

        /// Returns whether the connection goes on.
        private func answer(
            _ exchange: HostileCase, _ head: RequestHead, _ reader: inout HostileRequestReader,
            _ link: HostileLink, _ name: String
        ) -> Bool {
            let answer = HostileAnswer(exchange)
            let isRefusal = exchange.act == .refusal || exchange.act == .refusalAndClose
            if !isRefusal {
                if head.expectsContinue, !link.write("HTTP/1.1 100 Continue\r\n\r\n".utf8) { return false }
                guard let body = reader.body() else { return false }
                if body != HostileCase.body(exchange.token, exchange.upload.count) {
                    report("\(name) has the body of another request, or not all of its own")
                }
            }
            guard send(answer, exchange, link) else { return false }
            state.withLock { _ = $0.answered.insert(exchange.number) }
            switch answer.ending {
            case .keep: break
            case .close where exchange.act == .refusal: link.closeAfterReading()
            case .close: if exchange.act != .truncated { link.closeWriting() }
            case .reset: link.reset()
            }
            guard answer.ending == .keep else { return false }
            guard answer.endsConnection else { return true }
            switch link.clientCloses() {
            case true?: break
            case false?: report("after \(name), the client used the connection again")
            case nil: report("after \(name), the client left the connection open")
            }
            return false
        }

        private func send(_ answer: HostileAnswer, _ exchange: HostileCase, _ link: HostileLink) -> Bool {
            guard exchange.isSplit else { return link.write(answer.bytes) }
            var generator = exchange.generator
            let cuts = answer.cuts(&generator)
            for (index, start) in cuts.enumerated() {
                if index > 0 { usleep(UInt32(generator.next(below: 300))) }
                let end = index + 1 < cuts.count ? cuts[index + 1] : answer.bytes.count
                guard link.write(answer.bytes[start..<end]) else { return false }
            }
            return true
        }
    }

    /// A server that answers each request with its path, and sends more bytes when the test says so.
    final class LateServer: Sendable {
        static let response = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate"

        private let listener: HostileListener
        /// The bytes to send, and who waits for that.
        private let late = Locked<(bytes: String, waiter: CheckedContinuation<Void, Never>)?>(nil)
        private let after = Locked(0)
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
        var requestsAfterLateBytes: Int { after.withLock { $0 } }

        /// Returns when the client's system has the bytes.
        func sendLate(_ bytes: String) async {
            await withCheckedContinuation { continuation in
                late.withLock { $0 = (bytes, continuation) }
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
            guard let (bytes, waiter) = late.withLock({ $0 }) else { return }
            _ = link.write(bytes.utf8)
            link.waitUntilDelivered()
            waiter.resume()
            if link.clientCloses() != true { after.withLock { $0 += 1 } }
        }
    }
#endif
