#if os(Linux)
    import NetCore

    /// Keeps a table of the kernel's answers up to date. Used by one thread at a time.
    final class NetlinkReader: Sendable {
        /// Gets news, of which none is missed: it is opened before the first question.
        let news: NetlinkSocket
        private let answers: NetlinkSocket
        /// Nil while the kernel's answer is missing.
        private let table = Locked<NetlinkTable?>(nil)
        private let sequence = Locked(UInt32(0))

        /// Opens the sockets in the calling thread's network namespace, and asks for everything.
        init() throws(NetlinkSocket.Failure) {
            news = try NetlinkSocket(groups: NetlinkSocket.allNews)
            answers = try NetlinkSocket()
            try readAll()
        }

        var status: ConnectionStatus {
            table.withLock { $0 }?.status(deviceType: Self.deviceType) ?? .unknown
        }

        /// Takes all news, and asks again if that is called for.
        ///
        /// - Returns: whether it did. Without an answer the status is unknown until there is one.
        func takeNews() throws(NetlinkSocket.Failure) -> Bool {
            let known = table.withLock { $0 }
            var isOutdated = false
            // Bounded, so that a flood of news holds up no end; what is left wakes us again.
            reading: for _ in 0..<1000 {
                switch try news.receive(waits: false) {
                case .nothing: break reading
                case .lost: isOutdated = true
                case .bytes(let bytes):
                    isOutdated =
                        isOutdated
                        || NetlinkParser.messages(in: bytes).contains {
                            known?.isOutdated(by: $0.content) ?? true
                        }
                }
            }
            if isOutdated {
                do { try readAll() } catch { table.withLock { $0 = nil } }
            }
            return isOutdated
        }

        /// Asks for links, addresses and routes; once more if they changed meanwhile.
        private func readAll() throws(NetlinkSocket.Failure) {
            var new = NetlinkTable()
            for _ in 0..<4 {
                new = NetlinkTable()
                var isConsistent = true
                for question in NetlinkQuestion.allCases where try !ask(question, into: &new) { isConsistent = false }
                if isConsistent { break }
            }
            table.withLock { $0 = new }
        }

        /// - Returns: whether the answer is of one moment.
        private func ask(
            _ question: NetlinkQuestion, into table: inout NetlinkTable
        ) throws(NetlinkSocket.Failure) -> Bool {
            let number = sequence.withLock { sequence in
                sequence &+= 1
                return sequence
            }
            try answers.send(question.message(sequence: number))
            var isConsistent = true
            while true {
                switch try answers.receive(waits: true) {
                case .nothing: throw NetlinkSocket.Failure(call: "recvfrom", code: ETIMEDOUT)
                case .lost: isConsistent = false
                case .bytes(let bytes):
                    // Answers with another number are to a question that was given up.
                    for message in NetlinkParser.messages(in: bytes) where message.sequence == number {
                        if message.isInterrupted { isConsistent = false }
                        switch message.content {
                        case .done: return isConsistent
                        case .error(let code): throw NetlinkSocket.Failure(call: "\(question)", code: code)
                        default: table.add(message.content)
                        }
                    }
                }
            }
        }

        /// `DEVTYPE` in the interface's own file: `wlan`, `wwan`, `bridge` …; nil for plain Ethernet, and where there is no
        /// `/sys`.
        private static func deviceType(of name: String) -> String? {
            guard !name.isEmpty, !name.contains("/"), name != "..",
                let file = FileHandle(forReadingAtPath: "/sys/class/net/\(name)/uevent")
            else { return nil }
            return String(decoding: file.readData(ofLength: 4096), as: UTF8.self)
                .split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }.map { String($0.dropFirst(8)) }
        }
    }

    /// What we ask the kernel for.
    enum NetlinkQuestion: CaseIterable {
        case links
        case addresses
        case routes

        /// The request: `nlmsghdr`, and `ifinfomsg`, `ifaddrmsg` or `rtmsg` for all families.
        func message(sequence: UInt32) -> [UInt8] {
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

        /// An attribute (`IFLA_EXT_MASK`): length, type, value. They are half of the answer otherwise.
        private static var withoutStatistics: [UInt8] { bytes(UInt16(8)) + bytes(UInt16(29)) + bytes(UInt32(8)) }

        private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number) { Array($0) }
        }
    }
#endif
