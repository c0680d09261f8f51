#if os(Linux)
    extension ResponseChange {
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
