#if os(Linux)
    @testable import NetTransport

    extension KnownDifference {
        /// The syntax of status lines and fields.
        static let ofHeads: [KnownDifference] = [
            // RFC 9112, section 2.2: a recipient may recognise a single LF as the end of a line.
            .init("lines of LF", .theyRefuse, .llhttp) { ($0.lines + $0.trailers).contains { !$0.hasSuffix("\r") } },
            // RFC 9112, section 2.2, has it for servers: ignore an empty line before the message. Some servers send one after a body. We accept two.
            .init("empty lines first", .theyRefuse, .h11, .netHTTP) { $0.emptyLines.first > 0 },
            // RFC 9112, section 2.2, has no number. We accept two before the first response, and none after an interim one.
            .init("many empty lines", .weRefuse, .llhttp) { $0.emptyLines.first > 2 || $0.emptyLines.later > 0 },
            // RFC 9112, section 4: a response begins with its status line. llhttp ignores CR before it.
            .init("CR first", .weRefuse, .llhttp) {
                $0.text.unicodeScalars.first == "\r" && $0.text.unicodeScalars.dropFirst().first != "\n"
            },
            // RFC 9110, section 2.5: a higher minor version is read as the highest known one. llhttp refuses 1.2 to 1.9.
            .init("minor version", .theyRefuse, .llhttp) { text in
                text.heads.contains { $0[0].hasPrefix("HTTP/1.") && !["0", "1"].contains($0[0].dropFirst(7).first) }
            },
            // RFC 9110, section 2.5: another major version has another syntax. h11 and Go accept each, and llhttp 0.9 and 2.0.
            .init("major version", .weRefuse, .h11, .llhttp, .netHTTP) { text in
                text.heads.contains { $0[0].hasPrefix("HTTP/") && !$0[0].hasPrefix("HTTP/1.") }
            },
            // RFC 9112, section 4: there is one space before the status. Go accepts more.
            .init("gap before the status", .weRefuse, .netHTTP) {
                $0.statusLine.split(separator: " ", maxSplits: 1).last?.hasPrefix(" ") == true
            },
            // RFC 9110, section 15: a status is from 100 to 599. The others accept 600 and more, h11 and Go less, and Go a sign.
            .init("status", .weRefuse, .h11, .llhttp, .netHTTP) { text in
                let digits = Array(text.status.utf8.prefix(3))
                return digits.count == 3 && digits[0] != 0x20 && !(0x31...0x35 ~= digits[0])
            },
            // RFC 9112, section 4: a client should ignore the phrase. h11 refuses VT and FF.
            .init("control in a reason phrase", .theyRefuse, .h11) { $0.statusLine.has(.controls) },
            // RFC 9112, section 2.2: CR alone is invalid. NUL is too (section 4). Go accepts both, and llhttp NUL and two CRs.
            .init("CR or NUL in a reason phrase", .weRefuse, .llhttp, .netHTTP) { text in
                text.heads.contains { $0[0].dropFirst().dropLast().has(["\r", "\0"]) }
            },
            // RFC 9110, section 5.5: such a value is invalid, but a recipient may keep it where it is harmless. h11
            // refuses VT and FF, and llhttp all.
            .init("control in a value", .theyRefuse, .h11, .llhttp) { $0.fieldLines.contains { $0.has(.controls) } },
            // RFC 9110, section 5.5: a recipient may replace it with a space, as we do.
            .init("control in a trailer", .trailers, .h11, .netHTTP) { $0.trailers.contains { $0.has(.controls) } },
            // RFC 9110, section 5.5: a recipient must refuse NUL, or replace it. Go keeps it.
            .init("NUL in a value", .weRefuse, .netHTTP) { $0.fieldLines.contains { $0.has(["\0"]) } },
            // RFC 9112, section 2.2: CR alone is invalid, or becomes a space. Go keeps it.
            .init("CR in a field", .weRefuse, .netHTTP) { $0.fieldLines.contains { $0.dropLast().has(["\r"]) } },
            // RFC 9112, section 5.1: there is no blank before the colon, and the name is a token. Go accepts other names.
            .init("field name", .weRefuse, .netHTTP) { text in
                text.fieldLines.contains { line in
                    let name = line.utf8.prefix { $0 != 0x3A }
                    return !line.isFold && line.contains(":") && (name.isEmpty || !name.allSatisfy(\.isInToken))
                }
            },
            // RFC 9112, section 5.2: a user agent must replace a fold with spaces. llhttp refuses it.
            .init("folded line", .theyRefuse, .llhttp) { $0.fieldLines.contains(where: \.isFold) },
        ]
    }
#endif
