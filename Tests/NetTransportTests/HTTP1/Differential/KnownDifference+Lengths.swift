#if os(Linux)
    @testable import NetTransport

    extension KnownDifference {
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
    }
#endif
