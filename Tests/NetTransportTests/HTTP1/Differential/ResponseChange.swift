#if os(Linux)

    struct ResponseChange: Sendable {
        let name: String
        let apply: @Sendable (inout WireResponse, inout ResponseGenerator) -> Void

        /// Changes that break a rule, or are at the edge of one.
        static let faults = lengthFaults + headFaults + connectionFaults + chunkFaults + endFaults

        init(_ name: String, _ apply: @escaping @Sendable (inout WireResponse, inout ResponseGenerator) -> Void) {
            self.name = name
            self.apply = apply
        }

        /// Replaces a part by one of several texts.
        static func part(
            _ name: String, _ part: any WritableKeyPath<WireResponse, String> & Sendable, _ texts: String...
        ) -> ResponseChange { ResponseChange(name) { $0[keyPath: part] = $1.one(of: texts) } }

        /// Adds one of several field lines.
        static func fields(_ name: String, _ lines: String...) -> ResponseChange {
            ResponseChange(name) { response, generator in
                let line = generator.one(of: lines)
                response.head.fields.insert(line, at: generator.number(below: response.head.fields.count + 1))
            }
        }

        private static func framing(_ name: String, _ all: [String]...) -> ResponseChange { framing(name, anyOf: all) }

        private static func framing(_ name: String, field: String, _ values: String...) -> ResponseChange {
            framing(name, anyOf: values.map { ["\(field): \($0)"] })
        }

        /// Replaces all lengths and codings by one of several groups of lines.
        private static func framing(_ name: String, anyOf lines: [[String]]) -> ResponseChange {
            ResponseChange(name) { response, generator in
                response.head.fields.removeAll {
                    let line = $0.lowercased()
                    return line.hasPrefix("content-length:") || line.hasPrefix("transfer-encoding:")
                }
                response.head.fields += generator.one(of: lines)
            }
        }

        private static let lengthFaults = [
            framing(
                "equal lengths", ["Content-Length: 3", "Content-Length: 3"], ["Content-Length: 3, 3"],
                ["Content-Length: 3,3", "Content-Length: 3"]),
            framing(
                "padded length", ["Content-Length: 003"], ["Content-Length:\t3 \t"],
                ["Content-Length: 00000000000000000000000000000003"]),
            framing(
                "different lengths", ["Content-Length: 3", "Content-Length: 4"], ["Content-Length: 3, 4"],
                ["Content-Length: 4", "Server: a", "content-length: 3"], ["Content-Length: 3", "Content-Length: 03"]),
            framing(
                "malformed length", field: "Content-Length", "", "+3", "-3", "3 3", "0x3", "3.", "3,", ",3", "a",
                "\u{0B}3", "3;", "\"3\"", "1e1", "3\u{E9}", "3\u{0C}"),
            framing(
                "huge length", field: "Content-Length", "9223372036854775807", "9223372036854775808",
                "18446744073709551615", "18446744073709551619", String(repeating: "9", count: 100)),
            framing(
                "both", ["Content-Length: 3", "Transfer-Encoding: chunked"],
                ["Transfer-Encoding: chunked", "Content-Length: 3"],
                ["Transfer-Encoding: identity", "Content-Length: 3"]),
            framing(
                "codings", field: "Transfer-Encoding", "", "gzip", "gzip, chunked", "chunked, gzip",
                "chunked, identity", "identity, chunked", "identity", "chunked, chunked", "chunkedchunked", "xchunked",
                "chunked;q=1", "\"chunked\"", "\u{0B}chunked", "chunked,", ",chunked"),
            framing(
                "padded coding", ["Transfer-Encoding: chunked\t"], ["Transfer-Encoding:\t chunked \t"],
                ["Transfer-Encoding:chunked  "]),
            framing(
                "several codings", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
                ["Transfer-Encoding: identity", "Transfer-Encoding: chunked"],
                ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
                ["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"]),
            framing("no length", []),
            framing(
                "similar names", ["Content_Length: 3"], ["Content-Length\u{E9}: 3"], ["XContent-Length: 3"],
                ["Transfer_Encoding: chunked"], ["Transfer-Encoding2: chunked"]),
        ]

        private static let connectionFaults = [
            fields(
                "connection", "Connection: close, x", "Connection: x,CLOSE", "Connection:", "Connection: ,close",
                "Connection: closed", "Connection: close\r\nConnection: keep-alive", "Connection: keep-alive, close",
                "Connection: keep-alive", "connection: Close", "Connection: \"close\"", "Connection: close;x",
                "Proxy-Connection: close"),
            ResponseChange("HTTP/1.0") { response, _ in response.head.version = "HTTP/1.0" },
            ResponseChange("interim with length") {
                let field = $1.pick(
                    "Content-Length: 3", "Transfer-Encoding: chunked", "Content-Length: 0", "Connection: close",
                    "Content-Length: x", "A : b", "A: b\r\n c")
                $0.interims.append(.init(status: $1.pick("100", "103"), fields: [field]))
            },
            ResponseChange("interim of HTTP/1.0") { response, _ in
                response.interims.append(.init(version: "HTTP/1.0", status: "100"))
            },
            ResponseChange("empty line after interim") {
                $0.interims.append(.init(status: "100", lineEnd: $1.pick("\r\n", "\n")))
                $0.head.version = "\r\n" + $0.head.version
            },
            part("no body", \.head.status, "204", "205", "304"),
            ResponseChange("no body, with length") {
                $0.head.status = $1.pick("204", "205", "304", "101")
                $0.head.fields.append($1.pick("Content-Length: 3", "Content-Length: 0", "Transfer-Encoding: chunked"))
            },
            ResponseChange("upgrade without fields") { response, _ in response.head.status = "101" },
        ]

        private static let endFaults = [
            part(
                "surplus", \.surplus, "\r\n", "\n", "x", "\0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", " ",
                "\r", "HTTP/1.1 "),
            ResponseChange("body cut") { response, generator in
                guard let text = response.body else { return }
                response.body = String(text.unicodeScalars.dropLast(generator.number(below: 3)))
            },
        ]

        /// Faults of status lines and fields.
        static let headFaults = [
            fields("CR", "A: b\rc", "A: b\r\rc", "A\r: b", "\rA: b", "A: \r", "A: b\rContent-Length: 0", "A: b\r c"),
            fields("blank, colon", "A : b", "A\t: b", "Content-Length : 3", "Transfer-Encoding : chunked", "A b: c"),
            fields("no colon", "A", "Content-Length", "HTTP/1.1 200 OK"),
            fields(
                "bad name", ": b", "(A): b", "A\u{E9}: b", "A\u{01}: b", "A\u{7F}: b", "A@: b", "\"A\": b", "A\0: b",
                "{A}: b", "A/B: c"),
            fields("fold", "A: b\r\n c", "A:\r\n b", "A: b\r\n\tc\r\n d", "A: b\r\n ", "A: b\n c", "A: b\r\n \r\n c"),
            fields(
                "folded framing", "Content-Length: 3\r\n 0", "Content-Length:\r\n 3",
                "Transfer-Encoding: chunked\r\n x", "Transfer-Encoding:\r\n chunked", "Content-Length: 3\r\n ",
                "Connection: x\r\n close", "Connection: close\r\n x", "Connection:\r\n close"),
            ResponseChange("first line folded") { response, generator in
                response.head.fields.insert(generator.pick(" A: b", "\tA: b", " ", " Content-Length: 3"), at: 0)
            },
            fields("NUL", "A: \0", "A: b\0c", "Connection: close\0"),
            fields(
                "control", "A: \u{01}", "A: b\u{0B}c", "A: \u{0C}b", "A: b\u{7F}", "A: \u{1F}b", "A: \u{08}",
                "A: b\u{0B}"),
            fields(
                "odd values", "A: \u{80}\u{FF}", "A: \u{85}b", "A: b\u{A0}",
                "A:" + String(repeating: " ", count: 50) + "b", "A: " + String(repeating: "b", count: 300),
                String(repeating: "a", count: 300) + ": b"),
            ResponseChange("lines of LF") { response, _ in response.head.lineEnd = "\n" },
            ResponseChange("one line of LF") { response, generator in
                response.head.fields.insert("A: b\nC: d", at: generator.number(below: response.head.fields.count + 1))
            },
            ResponseChange("empty line of LF") { response, _ in response.head.fields.append("A: b\r\n\nC: d") },
            ResponseChange("lines of CR") { response, _ in response.head.lineEnd = "\r" },
            part(
                "status", \.head.status, "20", "2000", "099", "600", "999", "000", "abc", "-20", "2 0", "+20",
                "\u{B2}00", "", "2\t0", "60a"),
            part(
                "version", \.head.version, "HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/2", "HTTP/0.9", "HTTP/1.10",
                "HTTP/01.1", "http/1.1", "HTP/1.1", "HTTP/1", "ICY", "HTTP/1.x", "", "HTTP/5.6", "HTTPER/1.1",
                "HTTP 1.1", "HTTP/1,1"),
            part("gap", \.head.gap, "  ", "\t", "", " \t"),
            part(
                "phrase", \.head.phrase, " a\u{01}b", " a\rb", " a\r\rA: b", " a\0b", " \u{7F}", "OK", "\tOK", "  OK",
                " \r", " a\u{0B}", " a\u{0C}b", "\u{E9}", " " + String(repeating: "a", count: 200)),
            part("empty lines before", \.prefix, "\r\n", "\n", "\r\n\r\n", "\n\r\n", "\r\n\r\n\r\n", "\n\n\n"),
            part(
                "bytes before", \.prefix, " ", "\t", "\0", "\r", "x", "\u{EF}\u{BB}\u{BF}", "\u{16}\u{03}\u{01}",
                "\u{15}\u{03}\u{03}\0\u{02}", "\r\r\n"),
        ]

        private static func chunk(
            _ name: String, _ change: @escaping @Sendable (inout WireResponse.Chunk, inout ResponseGenerator) -> Void
        ) -> ResponseChange {
            ResponseChange(name) { response, generator in
                if response.chunks.isEmpty {
                    response.head.fields.removeAll { $0.lowercased().hasPrefix("content-length:") }
                    generator.addChunks(to: &response)
                }
                let index = generator.number(below: response.chunks.count)
                change(&response.chunks[index], &generator)
            }
        }

        private static func chunk(
            _ name: String, _ part: any WritableKeyPath<WireResponse.Chunk, String> & Sendable, _ texts: String...
        ) -> ResponseChange { chunk(name) { $0[keyPath: part] = $1.one(of: texts) } }

        /// Faults of the chunked coding.
        static let chunkFaults = [
            chunk("no chunk size", \.line, "", ";a", " "),
            chunk(
                "chunk size", \.line, " 1", "0x1", "+1", "-1", "g", "1 1", "1,", "1_0", "1\u{0B}", "1\0", "\u{B2}",
                "1=", "1 x", "a\u{E9}"),
            chunk("padded chunk size") {
                let zeros = $1.pick(0, 1, 5, 30)
                $0.line = String(repeating: "0", count: zeros) + $0.line + $1.pick("", " ", "\t", "   ")
            },
            chunk(
                "huge chunk size", \.line, "7fffffffffffffff", "8000000000000000", "ffffffffffffffff",
                "10000000000000000", "fffffffffffffffff", "100000001", "7FFFFFFFFFFFFFFE"),
            chunk("chunk extension") {
                $0.line += $1.pick(
                    ";", ";;", ";=", ";a=", ";=b", ";a=\"b\"", ";a=\"b\\\"c\"", ";a=\"b", " ;a", "; a", ";a = b",
                    ";a =b", ";a b", ";a\u{E9}", ";a=\"\u{E9}\"", ";a\tb", ";a=b\"c\"", ";a=b ", ";a,b", ";(a)=b",
                    ";a=\"b\"c", " ; a=b")
            },
            chunk("control in extension") {
                $0.line += $1.pick(
                    ";a\0", ";a\rb", ";a\nb", ";\u{7F}", ";a\u{01}", ";a=\"\u{01}\"", ";a=\"\n\"", ";a\u{0B}")
            },
            chunk("chunk line end", \.lineEnd, "\n", "\r", "", "\r\r\n", "\n\r", " \r\n"),
            chunk("chunk end", \.end, "\n", "\r", "", "\r\r\n", "\n\r", "x\r\n", "\r\n\r\n", " \r\n"),
            chunk("chunk too long") { chunk, _ in chunk.data += "y" },
            chunk("chunk too short") { chunk, _ in chunk.data = String(chunk.data.unicodeScalars.dropLast()) },
            chunk("long") { $0.line += ";a=" + String(repeating: "b", count: $1.pick(3000, 4080, 4090, 4200, 5000)) },
            ResponseChange("no last chunk") { response, _ in response.chunks = Array(response.chunks.dropLast()) },
            ResponseChange("trailers") {
                if $0.chunks.isEmpty { $1.addChunks(to: &$0) }
                let lines = $1.pick(
                    "A : b", "A", ": b", " A: b", "A: b\r\n c", "A: b\0", "A: b\rc", "Content-Length: 3",
                    "Content-Length: x", "Transfer-Encoding: gzip", "A\u{E9}: b", "A: \u{01}", "A: \u{E9}",
                    "A: b\nC: d", "Connection: close", "Trailer: x", "Host: x")
                $0.trailers.insert(lines, at: $1.number(below: $0.trailers.count + 1))
            },
            ResponseChange("trailers announced") {
                if $0.chunks.isEmpty { $1.addChunks(to: &$0) }
                $0.head.fields.append(
                    $1.pick(
                        "Trailer: A", "Trailer: Content-Length", "Trailer: A, B", "Trailer:",
                        "Trailer: Transfer-Encoding"))
            },
        ]
    }
#endif
