#if os(Linux)
    import NetTesting
    import TestLab

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
                    let carried = Carried(link: link)
                    Thread { [self] in
                        Self.blockPipeSignal()
                        serve(carried.link)
                        state.withLock { $0.open -= 1 }
                    }.start()
                }
            }.start()
        }

        /// A link that moves to its thread.
        private struct Carried: @unchecked Sendable { let link: HostileLink }

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
                guard let number = head.number else { return report("after \(last), the client sent: \(head.text)") }
                let exchange = HostileCase(seed: seed, number: number)
                let isNew = state.withLock { $0.received.insert(number).inserted }
                if !isNew { report("\(exchange.token) arrived twice") }
                let name = "\(exchange.token) (\(exchange.act))"
                guard answer(exchange, head, &reader, link, name) else { return link.close() }
                last = name
            }
            link.close()
        }

        /// Returns whether the connection goes on.
        private func answer(
            _ exchange: HostileCase, _ head: HostileRequestReader.Head, _ reader: inout HostileRequestReader,
            _ link: HostileLink, _ name: String
        ) -> Bool {
            let answer = HostileAnswer(exchange)
            let isRefusal = exchange.act == .refusal || exchange.act == .refusalAndClose
            if !isRefusal {
                if head.expectsContinue, !link.write("HTTP/1.1 100 Continue\r\n\r\n".utf8) { return false }
                guard let body = reader.body(of: head) else { return false }
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
#endif
