#if os(Linux)
    extension ResponseChange {
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
    }
#endif
