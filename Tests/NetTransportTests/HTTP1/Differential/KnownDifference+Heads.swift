#if os(Linux)
    @testable import NetTransport

    extension KnownDifference {
        /// The syntax of status lines and fields.
        static let ofHeads = [
            KnownDifference(
                "lines of LF", [.llhttp: [.theyRefuse]],
                "RFC 9112, section 2.2: a recipient may recognise a single LF as the end of a line."
            ) { ($0.lines + $0.trailers).contains { !$0.hasSuffix("\r") } },
            KnownDifference(
                "empty lines first", [.h11: [.theyRefuse], .netHTTP: [.theyRefuse]],
                "RFC 9112, section 2.2, has it for servers: ignore an empty line before the message. Some servers send one after a body. We accept two."
            ) { $0.emptyLines.first > 0 },
            KnownDifference(
                "many empty lines", [.llhttp: [.weRefuse]],
                "RFC 9112, section 2.2, has no number. We accept two before the first response, and none after an interim one."
            ) { $0.emptyLines.first > 2 || $0.emptyLines.later > 0 },
            KnownDifference(
                "CR first", [.llhttp: [.weRefuse]],
                "RFC 9112, section 4: a response begins with its status line. llhttp ignores CR before it."
            ) { $0.text.unicodeScalars.first == "\r" && $0.text.unicodeScalars.dropFirst().first != "\n" },
            KnownDifference(
                "minor version", [.llhttp: [.theyRefuse]],
                "RFC 9110, section 2.5: a higher minor version is read as the highest known one. llhttp refuses 1.2 to 1.9."
            ) { text in
                text.heads.contains { $0[0].hasPrefix("HTTP/1.") && !["0", "1"].contains($0[0].dropFirst(7).first) }
            },
            KnownDifference(
                "major version", [.h11: [.weRefuse], .llhttp: [.weRefuse], .netHTTP: [.weRefuse]],
                "RFC 9110, section 2.5: another major version has another syntax. h11 and Go accept each, and llhttp 0.9 and 2.0."
            ) { text in text.heads.contains { $0[0].hasPrefix("HTTP/") && !$0[0].hasPrefix("HTTP/1.") } },
            KnownDifference(
                "gap before the status", [.netHTTP: [.weRefuse]],
                "RFC 9112, section 4: there is one space before the status. Go accepts more."
            ) { $0.statusLine.split(separator: " ", maxSplits: 1).last?.hasPrefix(" ") == true },
            KnownDifference(
                "status", [.h11: [.weRefuse], .llhttp: [.weRefuse], .netHTTP: [.weRefuse]],
                "RFC 9110, section 15: a status is from 100 to 599. The others accept 600 and more, h11 and Go less, and Go a sign."
            ) { text in
                let digits = Array(text.status.utf8.prefix(3))
                return digits.count == 3 && digits[0] != 0x20 && !(0x31...0x35 ~= digits[0])
            },
            KnownDifference(
                "control character in a reason phrase", [.h11: [.theyRefuse]],
                "RFC 9112, section 4: a client should ignore the phrase. h11 refuses VT and FF."
            ) { $0.statusLine.has(.controls) },
            KnownDifference(
                "CR or NUL in a reason phrase", [.llhttp: [.weRefuse], .netHTTP: [.weRefuse]],
                "RFC 9112, section 2.2: CR alone is invalid. NUL is too (section 4). Go accepts both, and llhttp NUL and two CRs."
            ) { text in text.heads.contains { $0[0].dropFirst().dropLast().has(["\r", "\0"]) } },
            KnownDifference(
                "control character in a value", [.h11: [.theyRefuse], .llhttp: [.theyRefuse]],
                "RFC 9110, section 5.5: such a value is invalid, but a recipient may keep it where it is harmless. h11 refuses VT and FF, and llhttp all."
            ) { $0.fieldLines.contains { $0.has(.controls) } },
            KnownDifference(
                "control character in a trailer", [.h11: [.trailers], .netHTTP: [.trailers]],
                "RFC 9110, section 5.5: a recipient may replace it with a space, as we do."
            ) { $0.trailers.contains { $0.has(.controls) } },
            KnownDifference(
                "NUL in a value", [.netHTTP: [.weRefuse]],
                "RFC 9110, section 5.5: a recipient must refuse NUL, or replace it. Go keeps it."
            ) { $0.fieldLines.contains { $0.has(["\0"]) } },
            KnownDifference(
                "CR in a field", [.netHTTP: [.weRefuse]],
                "RFC 9112, section 2.2: CR alone is invalid, or becomes a space. Go keeps it."
            ) { $0.fieldLines.contains { $0.dropLast().has(["\r"]) } },
            KnownDifference(
                "field name", [.netHTTP: [.weRefuse]],
                "RFC 9112, section 5.1: there is no blank before the colon, and the name is a token. Go accepts other names."
            ) { text in
                text.fieldLines.contains { line in
                    let name = line.utf8.prefix { $0 != 0x3A }
                    return !line.isFold && line.contains(":") && (name.isEmpty || !name.allSatisfy(\.isInToken))
                }
            },
            KnownDifference(
                "folded line", [.llhttp: [.theyRefuse]],
                "RFC 9112, section 5.2: a user agent must replace a fold with spaces. llhttp refuses it."
            ) { $0.fieldLines.contains(where: \.isFold) },
        ]
    }
#endif
