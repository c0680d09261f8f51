#if os(Linux)
    import Foundation

    @testable import NetTransport

    /// A row of the table of differences: responses that our parser and others read differently. A comment gives the reason.
    struct KnownDifference: Sendable {
        let name: String
        /// The peers that differ, and how.
        let peers: [PeerParser: Set<DifferenceKind>]
        /// Whether a response is of this kind.
        let applies: @Sendable (ResponseText) -> Bool

        init(
            _ name: String, each peers: [PeerParser: Set<DifferenceKind>],
            applies: @escaping @Sendable (ResponseText) -> Bool
        ) { (self.name, self.peers, self.applies) = (name, peers, applies) }

        /// - Parameter peers: the peers that differ, all in the same way.
        init(
            _ name: String, _ kind: DifferenceKind, _ peers: PeerParser...,
            applies: @escaping @Sendable (ResponseText) -> Bool
        ) {
            let kinds: Set<DifferenceKind> = [kind]
            self.init(name, each: Dictionary(uniqueKeysWithValues: peers.map { ($0, kinds) }), applies: applies)
        }

        static let all = ofLengths + ofHeads + ofConnections + ofChunks

        /// The length of the body: Content-Length and Transfer-Encoding.
        static let ofLengths: [KnownDifference] = [
            // RFC 9110, section 8.6: a recipient may accept equal lengths. llhttp refuses a second one, Go a list, and h11 and Go 3 beside 03.
            .init("equal lengths", .theyRefuse, .h11, .llhttp, .netHTTP) {
                $0.values("content-length").count > 1 || $0.values("content-length").contains { $0.contains(",") }
            },
            // RFC 9110, section 8.6: a length has any number of digits. h11 accepts 20.
            .init("long length", .theyRefuse, .h11) { $0.values("content-length").contains { $0.utf8.count > 20 } },
            // RFC 9110, section 5.5: a tab after a value is not part of it. llhttp refuses it.
            .init("tab after a length", .theyRefuse, .llhttp) { endsWithTab($0, "content-length") },
            // RFC 9110, section 8.6: a recipient must prevent overflows. Our count has 63 bits. The others have more, or ignore the length.
            .init("length over 2^63", .weRefuse, .h11, .llhttp, .netHTTP) { text in
                text.values("content-length").contains {
                    $0.utf8.allSatisfy { $0.decimalDigit != nil } && !$0.isEmpty && Int64($0) == nil
                }
            },
            // RFC 9112, section 5.2: a recipient may refuse a folded line. Ours does where the length depends on it.
            .init("folded length", .weRefuse, .h11, .netHTTP) { $0.isFolded("content-length", "transfer-encoding") },
            // RFC 9112, section 6.3: both together ought to be an error. h11 and Go ignore Content-Length.
            .init("length and coding", .weRefuse, .h11, .netHTTP) { text in
                text.heads.contains {
                    !ResponseText.values("content-length", in: $0).isEmpty
                        && !ResponseText.values("transfer-encoding", in: $0).isEmpty
                }
            },
            // RFC 9112, section 6.3: an invalid length is an unrecoverable error. Go ignores an empty one, and any one of a response without a body.
            .init("malformed length without effect", .weRefuse, .netHTTP) { text in
                text.heads.contains { head in
                    ResponseText.values("content-length", in: head).contains {
                        $0.isEmpty
                            || !$0.utf8.allSatisfy { 0x30...0x39 ~= $0 }
                                && (text.isHead || ["1", "204", "304"].contains { status(head).hasPrefix($0) })
                    }
                }
            },
            // RFC 9110, section 5.5: a tab after a value is not part of it. llhttp takes it for another coding, and
            // reads until the connection closes.
            .init("tab after chunked", each: [.llhttp: [.weRefuse, .body, .trailers, .weReuse]]) {
                endsWithTab($0, "transfer-encoding")
            },
            // RFC 2616, section 3.6: identity stands for no coding. RFC 7230 removed it. h11 and Go refuse it, and llhttp reuses the connection.
            .init("identity", each: [.h11: [.theyRefuse], .llhttp: [.theyReuse], .netHTTP: [.theyRefuse]]) {
                $0.codings.contains("identity")
            },
            // RFC 9112, section 6.1: the coding applies, and the connection must be closed. Go ignores the coding. Both reuse the connection.
            .init("coding in 1.0", each: [.netHTTP: [.weRefuse, .body, .trailers, .theyReuse], .llhttp: [.theyReuse]]) {
                $0.statusLine.hasPrefix("HTTP/1.0") && !$0.values("transfer-encoding").isEmpty
            },
            // RFC 9112, section 6.3: the body ends with the connection. h11 and Go refuse codings that they do not know.
            .init("other", .theyRefuse, .h11, .netHTTP) { $0.codings.contains { $0 != "chunked" && $0 != "identity" } },
            // RFC 9112, section 6.1: the request asks for no coding but chunked. llhttp reads until the connection closes.
            .init("unknown coding", .weRefuse, .llhttp) { text in
                text.heads.contains {
                    let values = ResponseText.values("transfer-encoding", in: $0)
                    return !values.isEmpty && values.map { $0.lowercased() } != ["chunked"]
                }
            },
        ]

        private static func endsWithTab(_ text: ResponseText, _ key: String) -> Bool {
            text.head.contains { $0.lowercased().hasPrefix(key + ":") && $0.unicodeScalars.last { $0 != "\r" } == "\t" }
        }

        private static func status(_ head: [String]) -> Substring {
            head.first?.split(separator: " ").dropFirst().first ?? ""
        }

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
            // RFC 9112, section 2.3: the name is HTTP. llhttp reads RTSP and ICE too.
            .init("another protocol", .weRefuse, .llhttp) { text in
                text.heads.contains { $0[0].hasPrefix("RTSP/") || $0[0].hasPrefix("ICE/") }
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

        /// Interim responses, responses without a body, and the end of the connection.
        static let ofConnections: [KnownDifference] = [
            // RFC 9112, section 5.2: we do not read folds, and do not reuse a connection if one may say close.
            .init("folded Connection", .theyReuse, .h11, .netHTTP) { $0.isFolded("connection") },
            // RFC 9112, section 9.6: the last response has close. We read on, and close. h11 and Go ignore it, and llhttp refuses what follows.
            .init("interim with close", each: [.h11: [.theyReuse], .llhttp: [.theyRefuse], .netHTTP: [.theyReuse]]) {
                $0.interims.contains { ResponseText.has("close", in: "connection", of: $0) }
            },
            // RFC 9110, section 8.6: a server must not send it. We close, since the server may send a body. The others do not.
            .init("interim length", .theyReuse, .h11, .llhttp, .netHTTP) { $0.interims.contains { hasLength($0) } },
            // RFC 9110, section 15.2: a server must not send it to a client of HTTP/1.0. llhttp takes the connection for closed.
            .init("interim of HTTP/1.0", .theyRefuse, .llhttp) { $0.interims.contains { $0[0].hasPrefix("HTTP/1.0") } },
            // RFC 9110, section 8.6: a server must not send it. We close, since the server may send a body. The others do not.
            .init("204", .theyReuse, .h11, .llhttp, .netHTTP) { $0.status.hasPrefix("204") && hasLength($0.head) },
            // RFC 9110, section 15.3.6: a 205 has no content. We do not wait for any, and close if it may come. The others read it.
            .init("205", each: [.h11: withBody, .llhttp: withBody, .netHTTP: withBody]) { $0.status.hasPrefix("205") },
            // RFC 9112, section 9.3: the connection persists. h11 does not support it.
            .init("HTTP/1.0 with keep-alive", .weReuse, .h11) {
                $0.statusLine.hasPrefix("HTTP/1.0") && ResponseText.has("keep-alive", in: "connection", of: $0.head)
            },
            // RFC 9112, section 9.3: close comes first. llhttp takes keep-alive.
            .init("HTTP/1.0 with keep-alive and close", .theyReuse, .llhttp) { text in
                text.statusLine.hasPrefix("HTTP/1.0")
                    && ["close", "keep-alive"].allSatisfy { ResponseText.has($0, in: "connection", of: text.head) }
            },
            // RFC 9112, section 6.3: the response ends with its head. llhttp expects the connection to be closed, as if there was a body.
            .init("HEAD without a length", .weReuse, .llhttp) {
                $0.isHead && $0.values("content-length").isEmpty && $0.codings != ["chunked"]
            },
            // RFC 9112, appendix C.2.2: the field is not a standard. llhttp reads it as Connection.
            .init("Proxy-Connection", .weReuse, .llhttp) { !$0.values("proxy-connection").isEmpty },
        ]

        /// The ways to differ for a peer that reads a body.
        private static let withBody: Set<DifferenceKind> = [.body, .trailers, .theyRefuse, .theyReuse]

        private static func hasLength(_ head: [String]) -> Bool {
            !ResponseText.values("transfer-encoding", in: head).isEmpty
                || ResponseText.values("content-length", in: head).contains { $0 != "0" }
        }

        /// The chunked coding.
        static let ofChunks: [KnownDifference] = [
            // RFC 9112, section 7.1.1: a recipient ought to limit extensions. Ours is 4096 bytes, without CRLF.
            .init("long chunk line", .weRefuse, .h11, .llhttp) { $0.chunkLines.contains { $0.utf8.count > 4096 } },
            // RFC 9112, section 7.1.1: a recipient ought to limit extensions. Go's limit is 4096 bytes with CRLF.
            .init("chunk line near the limit", .theyRefuse, .netHTTP) {
                $0.chunkLines.contains { 4094...4097 ~= $0.unicodeScalars.count }
            },
            // RFC 9112, section 7.1: a size has any number of digits. h11 accepts 20, and Go 16.
            .init("zeros before a chunk's size", .theyRefuse, .h11, .netHTTP) {
                $0.chunkLines.contains { $0.prefix(while: \.isHexDigit).utf8.count > 16 }
            },
            // RFC 9112, section 7.1.1: a recipient must ignore unknown extensions. We do not parse them. llhttp refuses blanks and other syntax.
            .init("chunk extension", .theyRefuse, .llhttp) { $0.chunkLines.contains { !isWellFormed($0) } },
            // RFC 9112, section 7.1.1: a recipient must accept blanks before the semicolon. h11 and Go do not.
            .init("blank before an extension", .theyRefuse, .h11, .netHTTP) {
                $0.chunkLines.contains { $0.contains(" ;") || $0.contains("\t;") }
            },
            // RFC 9112, section 7.1: a size has a digit. Go takes none for 0.
            .init("no chunk size", .weRefuse, .netHTTP) { $0.chunkLines.contains { $0.first?.isHexDigit != true } },
            // RFC 9112, section 7.1.1: it is not part of any extension.
            .init("control in an extension", .weRefuse, .h11, .netHTTP) {
                $0.chunkLines.contains { $0.has(.controls) || $0.has(["\0"]) }
            },
            // RFC 9112, section 7.1: the line ends with CRLF. Go accepts LF. h11 and Go accept CR in an extension.
            .init("CR or LF in a chunk line", .weRefuse, .h11, .netHTTP) {
                $0.chunkLines.contains { !$0.hasSuffix("\r") || $0.dropLast().has(["\r"]) }
            },
            // RFC 9112, section 2.2: a recipient may recognise a single LF. Go searches for CRLF CRLF at the end of the trailers.
            .init("trailers with lines of LF", .theyRefuse, .netHTTP) { $0.trailers.contains { !$0.hasSuffix("\r") } },
            // RFC 9110, section 6.6.2: Trailer is a hint. Go refuses names that must not be in trailers.
            .init("announced trailers", .theyRefuse, .netHTTP) { text in
                ["content-length", "transfer-encoding", "trailer"].contains {
                    ResponseText.has($0, in: "trailer", of: text.head)
                }
            },
            // RFC 9110, section 6.5.1: a recipient ignores such fields. h11 refuses those that are malformed, and llhttp Content-Length.
            .init("length in trailers", .theyRefuse, .h11, .llhttp) { text in
                ["content-length", "transfer-encoding"].contains { !ResponseText.values($0, in: text.trailers).isEmpty }
            },
        ]

        /// Whether a line is the size of a chunk with extensions by the letter of the RFC.
        private static func isWellFormed(_ line: String) -> Bool {
            let token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
            let value = "(\(token)|\"([^\"\\\\]|\\\\.)*\")"
            let pattern = "^[0-9A-Fa-f]+(;\(token)(=\(value))?)*\r?$"
            return line.range(of: pattern, options: .regularExpression) != nil
        }
    }
#endif
