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
#endif
