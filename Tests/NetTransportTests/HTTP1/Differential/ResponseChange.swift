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
                guard case .plain(let text) = response.body else { return }
                response.body = .plain(String(text.unicodeScalars.dropLast(generator.number(below: 3))))
            },
        ]
    }
#endif
