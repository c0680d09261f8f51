#if os(Linux)
    import NetCore
    import TestLab

    /// One exchange of the desynchronisation test: what the client sends and how it reads, and what the server answers. Client and server
    /// make it from the seed and the number.
    struct HostileCase: Sendable {
        enum Upload: Sendable {
            case none
            case data(Int)
            /// - Parameter isDeclared: whether the client knows the length, so that it does not send chunks.
            case stream(Int, isDeclared: Bool)

            var count: Int {
                switch self {
                case .none: 0
                case .data(let count), .stream(let count, _): count
                }
            }
        }

        enum Reading: Sendable {
            case collected, streamed
            /// The client drops the body after its first block.
            case abandoned
            /// The client cancels the call after that many microseconds.
            case cancelled(after: UInt64)
        }

        /// How the server answers.
        enum Act: String, CaseIterable, Sendable {
            case length, chunked, untilClose, http10, http10KeepAlive, noContent, notModified
            case secondResponse, garbage, lineEnd, bodyOfHEAD, bodyOfNoContent, bodyOfNotModified
            case interim, interimFlood, foldedField
            case bothLengths, differingLengths, bareReturn
            case truncated, resetInBody, closeBefore, resetBefore
            case closeAnnounced, closeUnannounced, keepAliveHint
            /// The answer comes before the request's body is read. The server then reads on, or closes the connection at once.
            case refusal, refusalAndClose
        }

        let number: Int
        let token: String
        let method: String
        let upload: Upload
        let expectsContinue: Bool
        let reading: Reading
        let act: Act
        /// The bytes of the response's body, if it has one.
        let bodySize: Int
        /// Whether the answer is sent in pieces, with pauses.
        let isSplit: Bool
        /// For choices that only one side makes.
        let generator: SeededGenerator

        init(seed: UInt64, number: Int) {
            var generator = SeededGenerator(state: seed ^ UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15)
            for _ in 0..<4 { _ = generator.next() }
            self.number = number
            token = "t\(number)x"
            let method = ["GET", "GET", "GET", "GET", "HEAD", "POST", "POST"][generator.next(below: 7)]
            self.method = method
            upload = method == "POST" ? Self.upload(&generator) : .none
            expectsContinue = upload.count > 0 && generator.next(below: 5) == 0
            reading = Self.reading(&generator)
            act = Self.act(for: method, hasBody: upload.count > 0, &generator)
            let sizes = [0, 100, 900, 3000, 9000, 70_000, 200_000]
            bodySize = token.utf8.count + generator.next(below: 1 + sizes[generator.next(below: sizes.count)])
            isSplit = generator.next(below: 3) == 0
            self.generator = generator
        }

        private static func upload(_ generator: inout SeededGenerator) -> Upload {
            let count = [10, 2000, 150_000][generator.next(below: 3)] + generator.next(below: 1000)
            switch generator.next(below: 4) {
            case 0: return .stream(count, isDeclared: false)
            case 1: return .stream(count, isDeclared: true)
            case 2: return .data(count)
            default: return .none
            }
        }

        private static func reading(_ generator: inout SeededGenerator) -> Reading {
            switch generator.next(below: 12) {
            case 0: .abandoned
            case 1: .cancelled(after: UInt64(generator.next(below: 3000)))
            case 2..<7: .streamed
            default: .collected
            }
        }

        private static func act(for method: String, hasBody: Bool, _ generator: inout SeededGenerator) -> Act {
            // Well-behaved answers in between, or no connection would be kept.
            let isPlain = generator.next(below: 3) == 0
            let act = isPlain ? Act.length : Act.allCases[generator.next(below: Act.allCases.count)]
            switch act {
            case .bodyOfHEAD: return method == "HEAD" ? act : .chunked
            case .refusal, .refusalAndClose: return hasBody ? act : .length
            case .chunked, .truncated, .resetInBody, .untilClose: return method == "HEAD" ? .length : act
            default: return act
            }
        }

        /// A body that names its exchange in all of its bytes.
        static func body(_ token: String, _ count: Int) -> [UInt8] {
            Array(String(repeating: token, count: count / token.utf8.count + 1).utf8.prefix(count))
        }
    }

    /// The bytes that a ``HostileServer`` answers with, and what a client has to make of them.
    struct HostileAnswer: Sendable {
        enum Ending: Sendable { case keep, close, reset }

        enum Verdict: Sendable {
            /// The response is complete: the client must return it.
            case response
            /// The client must fail.
            case failure
            /// The response may be lost with its connection.
            case either
        }

        let status: Int
        /// The body that the client must return.
        let body: [UInt8]
        private(set) var bytes: [UInt8] = []
        /// The number of the bytes that belong to the response. The others are surplus.
        private(set) var count = 0
        private(set) var ending = Ending.keep
        private(set) var verdict = Verdict.response
        /// Whether the client must close the connection.
        private(set) var endsConnection = false

        init(_ exchange: HostileCase) {
            let isHead = exchange.method == "HEAD"
            switch exchange.act {
            case .noContent, .bodyOfNoContent: status = 204
            case .notModified, .bodyOfNotModified: status = 304
            case .refusal: status = 413
            case .refusalAndClose: status = 401
            default: status = 200
            }
            let full = HostileCase.body(exchange.token, exchange.bodySize)
            body = isHead || status == 204 || status == 304 ? [] : full
            write(exchange, full)
        }

        private mutating func write(_ exchange: HostileCase, _ full: [UInt8]) {
            let length = "Content-Length: \(full.count)"
            switch exchange.act {
            case .length, .foldedField, .interim, .interimFlood, .bareReturn, .keepAliveHint:
                if exchange.act == .interim { interim(exchange.number % 5 + 1) }
                if exchange.act == .interimFlood { interim(70) }
                let more: [HostileCase.Act: String] = [
                    .foldedField: "X-Folded: a\r\n b", .bareReturn: "X-Bad: a\rb",
                    .keepAliveHint: "Keep-Alive: timeout=1",
                ]
                head(exchange, [length] + [more[exchange.act]].compactMap { $0 })
                bytes += body
                if exchange.act == .interimFlood || exchange.act == .bareReturn { fails() }
            case .chunked:
                head(exchange, ["Transfer-Encoding: chunked"])
                chunks(exchange)
            case .untilClose, .http10:
                let version = exchange.act == .http10 ? "1.0" : "1.1"
                head(exchange, version == "1.1" ? ["Connection: close"] : [], version: version)
                bytes += body
                ending = .close
            case .http10KeepAlive:
                head(exchange, [length, "Connection: keep-alive"], version: "1.0")
                bytes += body
            case .noContent: head(exchange, [])
            case .notModified: head(exchange, [length])
            case .secondResponse, .garbage, .lineEnd, .bodyOfHEAD, .bodyOfNoContent, .bodyOfNotModified:
                head(exchange, exchange.act == .bodyOfNoContent ? [] : [length])
                bytes += body
                count = bytes.count
                surplus(exchange.act, full)
                endsConnection = true
            case .bothLengths, .differingLengths:
                let second = exchange.act == .bothLengths ? "Transfer-Encoding: chunked" : "Content-Length: 7"
                head(exchange, [length, second])
                bytes += body
                fails()
            case .truncated, .resetInBody:
                head(exchange, [length])
                bytes += body.prefix(body.count / 2)
                fails()
                ending = exchange.act == .truncated ? .close : .reset
            case .closeBefore, .resetBefore:
                fails()
                ending = exchange.act == .closeBefore ? .close : .reset
            case .closeAnnounced, .closeUnannounced, .refusal, .refusalAndClose:
                head(exchange, exchange.act == .closeAnnounced ? [length, "Connection: close"] : [length])
                bytes += body
                ending = .close
                if exchange.act == .refusalAndClose { verdict = .either }
            }
            if count == 0 { count = bytes.count }
        }

        private mutating func fails() { (verdict, endsConnection) = (.failure, true) }

        private mutating func head(_ exchange: HostileCase, _ fields: [String], version: String = "1.1") {
            let lines = ["HTTP/\(version) \(status) X", "X-Token: \(exchange.token)"] + fields
            bytes += Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        }

        private mutating func interim(_ number: Int) {
            for index in 0..<number {
                let text = ["100 Continue", "103 Early Hints\r\nLink: </a>", "102 Processing"][index % 3]
                bytes += Array("HTTP/1.1 \(text)\r\n\r\n".utf8)
            }
        }

        private mutating func chunks(_ exchange: HostileCase) {
            var generator = exchange.generator
            var rest = body[...]
            while !rest.isEmpty {
                let chunk = rest.prefix(1 + generator.next(below: rest.count > 5000 ? 40_000 : 500))
                rest = rest.dropFirst(chunk.count)
                let text = ["", ";a=b", ";name=\"quoted; \\\" text\""][generator.next(below: 3)]
                bytes += Array("\(String(chunk.count, radix: 16))\(text)\r\n".utf8) + chunk + Array("\r\n".utf8)
            }
            let trailers = exchange.number % 2 == 0 ? "X-Checksum: 1\r\nX-Token: trailer\r\n" : ""
            bytes += Array("0\r\n\(trailers)\r\n".utf8)
        }

        private mutating func surplus(_ act: HostileCase.Act, _ full: [UInt8]) {
            switch act {
            case .secondResponse:
                bytes += Array("HTTP/1.1 200 OK\r\nX-Token: surplus\r\nContent-Length: 7\r\n\r\nsurplus".utf8)
            case .garbage: bytes += [0, 0xFF, 0x0D, 0x0A, 0x7B]
            case .lineEnd: bytes += [0x0D, 0x0A]
            default: bytes += full
            }
        }

        /// Where the pieces begin. Surplus comes together with the last bytes of the response: if it came later, the client might have sent
        /// the next request, and no client could tell.
        func cuts(_ generator: inout SeededGenerator) -> [Int] {
            guard count > 2 else { return [0] }
            let number = 1 + generator.next(below: 5)
            return [0] + Set((0..<number).map { _ in 1 + generator.next(below: count - 1) }).sorted()
        }
    }
#endif
