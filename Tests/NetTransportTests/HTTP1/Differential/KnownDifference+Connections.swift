#if os(Linux)
    extension KnownDifference {
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
    }
#endif
