#if os(Linux)
    import NetCore
    import TestLab

    struct GeneratedResponse: CustomStringConvertible {
        let bytes: [UInt8]
        let isHead: Bool
        /// The shape, and the faults that were added.
        let steps: [String]

        var description: String {
            "\(latin1(bytes).debugDescription) (\(steps.joined(separator: ", "))\(isHead ? ", to HEAD" : ""))"
        }
    }

    /// Makes the same responses in each run: valid ones of every framing, and such with one to three faults.
    struct ResponseGenerator {
        var random: SeededGenerator

        static func responses(_ count: Int, seed: UInt64) -> [GeneratedResponse] {
            var generator = ResponseGenerator(random: SeededGenerator(state: seed))
            return (0..<count).map { generator.response(at: $0) }
        }

        /// - Parameter index: the position of the response. A quarter of the responses are valid, and the others take turns with their faults,
        ///   so that no fault is left out.
        private mutating func response(at index: Int) -> GeneratedResponse {
            let shape = Self.shapes[number(below: Self.shapes.count)]
            var response = WireResponse()
            var steps = [shape.name]
            shape.apply(&response, &self)
            if !index.isMultiple(of: 4) {
                let first = ResponseChange.faults[(index - index / 4 - 1) % ResponseChange.faults.count]
                let others = (0..<max(0, number(below: 6) - 3)).map { _ in
                    ResponseChange.faults[number(below: ResponseChange.faults.count)]
                }
                for fault in [first] + others {
                    fault.apply(&response, &self)
                    steps.append(fault.name)
                }
            }
            var bytes = latin1(response.text)
            if index % 32 == 5 {
                bytes.removeLast(number(below: bytes.count))
                steps.append("cut")
            } else if index % 32 == 7 {
                bytes = Array(random.mutate(Data(bytes)))
                steps.append("random bytes")
            }
            return GeneratedResponse(bytes: bytes, isHead: response.isHead, steps: steps)
        }

        /// Changes that make an empty response a valid one.
        private static let shapes = [
            ResponseChange("length") { $1.addLength(to: &$0) },
            ResponseChange("chunked") { $1.addChunks(to: &$0) },
            ResponseChange("until close") { ($0.head.fields, $0.body) = ($1.fields(), $1.bytes(upTo: 40)) },
            ResponseChange("HTTP/1.0") {
                $1.addLength(to: &$0)
                $0.head.version = "HTTP/1.0"
                if $1.flip() { $0.head.fields.append("Connection: " + $1.pick("keep-alive", "Keep-Alive", "x")) }
            },
            ResponseChange("HEAD") {
                if $1.flip() { $1.addLength(to: &$0) } else { $1.addChunks(to: &$0) }
                ($0.body, $0.chunks) = ("", [])
                $0.isHead = true
            },
            ResponseChange("no body") {
                $0.head.status = $1.pick("204", "304")
                $0.head.phrase = " Nothing"
                $0.head.fields = $1.fields()
            },
            ResponseChange("interim") {
                if $1.flip() { $1.addLength(to: &$0) } else { $1.addChunks(to: &$0) }
                for _ in 0...$1.number(below: 3) {
                    let status = $1.pick("100", "102", "103", "199")
                    $0.interims.append(.init(status: status, phrase: " Wait", fields: $1.fields()))
                }
            },
            ResponseChange("lines of LF") {
                if $1.flip() { $1.addLength(to: &$0) } else { $1.addChunks(to: &$0) }
                $0.head.lineEnd = "\n"
            },
            ResponseChange("upgrade") {
                $0.head.status = "101"
                $0.head.fields = ["Connection: upgrade", "Upgrade: x"] + $1.fields()
                $0.surplus = $1.bytes(upTo: 10)
            },
        ]
    }

    extension ResponseGenerator {
        mutating func number(below bound: Int) -> Int { random.next(below: bound) }
        mutating func flip() -> Bool { number(below: 2) == 0 }
        mutating func one<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }
        mutating func pick<Element>(_ elements: Element...) -> Element { one(of: elements) }

        /// Up to that many bytes. Line ends are common among them.
        mutating func bytes(upTo count: Int) -> String {
            let common: [Unicode.Scalar] = ["\r", "\n", "0", "a", " ", "\u{E9}", "\0"]
            let scalars = (0..<number(below: count + 1)).map { _ in
                flip() ? one(of: common) : Unicode.Scalar(UInt8(number(below: 256)))
            }
            return String(String.UnicodeScalarView(scalars))
        }

        /// Lines of fields that have no effect on the framing.
        mutating func fields() -> [String] {
            (0..<number(below: 4)).map { _ in
                pick(
                    "Server: a", "Date: Tue, 15 Nov 1994 08:12:31 GMT", "X:", "X-Empty: ",
                    "Content-Type:text/html;charset=utf-8", "Set-Cookie: a=\"b\"; Path=/", "!#$%&'*+-.^_`|~09azAZ: x",
                    "X-Latin: caf\u{E9}", "X-Tab:\ta\tb\t", "Keep-Alive: timeout=5", "Content-Lengths: 9",
                    "Transfer-Encodings: x", "Vary: a, b,,c", "Content-Encoding: identity", "Connection: x",
                    "Connection: close", "Connection: Keep-Alive")
            }
        }

        mutating func addLength(to response: inout WireResponse) {
            let (body, name) = (bytes(upTo: 30), pick("Content-Length", "content-length", "CONTENT-LENGTH"))
            let length = "\(name):\(one(of: [" ", "", "  ", "\t"]))\(body.unicodeScalars.count)"
            response.head.status = pick("200", "206", "301", "404", "499", "500", "599")
            response.head.phrase = pick(" OK", " ", "", " Not  Found\t", " \u{C4}rger", " A: b")
            response.head.fields = (fields() + [length]).shuffled(using: &random)
            response.body = body
        }

        mutating func addChunks(to response: inout WireResponse) {
            let coding = pick("Transfer-Encoding: chunked", "transfer-encoding:CHUNKED", "Transfer-Encoding:\tchunked ")
            response.head.fields = (fields() + [coding]).shuffled(using: &random)
            (response.body, response.chunks) = (nil, [])
            for _ in 0..<number(below: 4) {
                response.chunks.append(
                    .init("x" + bytes(upTo: 20), extensions: pick("", "", ";a=b", ";a", ";a=\"b;c\";d")))
            }
            response.chunks.append(.init("", extensions: pick("", "", "", ";a")))
            response.trailers =
                flip() ? [] : one(of: [["A: b"], ["A: b", "C: d, e"], ["Digest: sha-256=:x:"], ["A:", "A: 2"]])
        }
    }

    /// A response whose parts can be changed before it is written. The text is ISO-8859-1.
    struct WireResponse {
        struct Head {
            var version = "HTTP/1.1"
            /// What separates the version and the status code.
            var gap = " "
            var status = "200"
            /// What follows the status code, with the space before the reason phrase.
            var phrase = " OK"
            /// The field lines, without their ends.
            var fields: [String] = []
            /// What ends each line.
            var lineEnd = "\r\n"

            var text: String { ([version + gap + status + phrase] + fields + [""]).map { $0 + lineEnd }.joined() }
        }

        struct Chunk {
            /// The line with the size and the extensions, without its end.
            var line: String
            var lineEnd = "\r\n"
            var data = ""
            /// What ends the data.
            var end = "\r\n"

            init(_ data: String, extensions: String = "") {
                line = String(data.unicodeScalars.count, radix: 16) + extensions
                self.data = data
            }

            var text: String { line + lineEnd + data + end }
        }

        /// Whether it answers a HEAD request.
        var isHead = false
        /// What precedes the status line.
        var prefix = ""
        var interims: [Head] = []
        var head = Head()
        /// The body; nil if it is chunked.
        var body: String? = ""
        /// The chunks, the last one included, if the body is chunked.
        var chunks: [Chunk] = []
        /// The lines of the trailers, if the body is chunked.
        var trailers: [String] = []
        /// What follows the response.
        var surplus = ""

        var text: String { prefix + interims.map(\.text).joined() + head.text + bodyText + surplus }

        private var bodyText: String {
            guard let last = chunks.last else { return body ?? "" }
            // The trailers take the place of the last chunk's data.
            let lines = (trailers + [""]).map { $0 + head.lineEnd }.joined()
            return chunks.dropLast().map(\.text).joined() + last.line + last.lineEnd + lines
        }
    }
#endif
