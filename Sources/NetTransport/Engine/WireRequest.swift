#if os(Linux)
    import NetCore

    /// A request as it is sent, prepared on the caller's thread to spare the loop's.
    struct WireRequest {
        let method: String
        let target: RequestTarget
        /// The value of `Host`, which may be empty.
        let host: String
        /// Without `Host` and `Transfer-Encoding`.
        let fields: [(name: String, value: String)]
        /// The head as HTTP/1.1 has it.
        let http1Head: [UInt8]
        let upload: WireUpload
        /// The bytes of the body: 0 for none, -1 if the length is unknown.
        let uploadLength: Int64
        /// Whether the body waits for `100 Continue`.
        let expectsContinue: Bool
        /// Whether the caller asked for that, and not the size of the body: HTTP/2 can stop a body without closing the connection.
        let callerExpectsContinue: Bool
        /// Whether the caller has the connection closed afterwards.
        let closesConnection: Bool
        /// Whether the transport decodes the content coding of the response.
        let decodesContent: Bool

        private static let expectThreshold: Int64 = 1 << 20

        init(
            _ request: URLRequest, body: HTTPBody?, _ settings: EngineSettings, through proxy: ProxyPlan.Server?
        ) throws {
            guard let url = request.url, let target = RequestTarget(url) else {
                throw NetworkError.invalidURL
            }
            self.target = target
            method = request.httpMethod ?? "GET"
            guard method != "CONNECT" else {
                throw NetworkError.unsupported("CONNECT opens a tunnel and is not a request. Set a proxy instead.")
            }
            var list = RequestFields(request.allHTTPHeaderFields ?? [:])
            host = list.host ?? target.authority
            if let user = target.user, !list.hasAuthorization {
                list.fields.append(("Authorization", Self.credentials(user)))
            }
            (upload, uploadLength) = try Self.upload(body, method: method, declaredLength: list.contentLength)
            var expects = list.expectsContinue
            // These methods expect a body (RFC 9110, section 8.6).
            var hasLength = method == "POST" || method == "PUT" || method == "PATCH"
            if case .none = upload {
                expects = false
            } else {
                if !list.hasExpect {
                    if case .source = upload { expects = uploadLength > Self.expectThreshold }
                    if expects { list.fields.append(("Expect", "100-continue")) }
                }
                hasLength = uploadLength >= 0
            }
            if hasLength { list.fields.append(("Content-Length", String(uploadLength))) }
            expectsContinue = expects
            callerExpectsContinue = list.hasExpect && expects
            closesConnection = list.closesConnection
            decodesContent = settings.decodesContent && !list.hasAcceptEncoding
            if decodesContent {
                list.fields.append(("Accept-Encoding", list.wantsIdentity ? "identity" : ContentCodings.accepted))
            }
            if !list.hasAccept { list.fields.append(("Accept", "*/*")) }
            fields = list.fields
            // A proxy receives the request itself, unless there is a tunnel (RFC 9112, section 3.2.2).
            let proxy = target.isHTTPS || settings.requiresHTTP2 || proxy?.name.hasPrefix("socks") == true ? nil : proxy
            if let authorization = proxy?.credentials?.basic {
                list.fields.append(("Proxy-Authorization", authorization))
            }
            if uploadLength < 0 { list.fields.append(("Transfer-Encoding", "chunked")) }
            http1Head = try Self.http1Head(
                method, proxy == nil ? target.path : "http://\(target.authority)\(target.path)", host: host, list.fields
            )
        }

        /// Returns the request line, `Host`, the fields and the empty line (RFC 9112).
        ///
        /// - Throws: ``NetworkError/invalidURL`` for a target or a host with a blank, a control character or a character outside of ASCII;
        ///   ``NetworkError/invalidRequest`` if the method or a name is not a token, or a value has a control character other than tab.
        static func http1Head(
            _ method: String, _ target: String, host: String, _ fields: [(name: String, value: String)]
        ) throws(NetworkError) -> [UInt8] {
            guard method.isHTTPToken else { throw .invalidRequest }
            guard !target.isEmpty, target.utf8.allSatisfy(\.isVisible), host.utf8.allSatisfy(\.isVisible) else {
                throw .invalidURL
            }
            var head: [UInt8] = []
            head.reserveCapacity(512)
            head.append(contentsOf: method.utf8)
            head.append(UInt8(ascii: " "))
            head.append(contentsOf: target.utf8)
            head.append(contentsOf: " HTTP/1.1\r\nHost: ".utf8)
            head.append(contentsOf: host.utf8)
            for (name, value) in fields {
                guard name.isHTTPToken, !value.hasControlCharacter else { throw .invalidRequest }
                head.append(contentsOf: "\r\n".utf8)
                head.append(contentsOf: name.utf8)
                head.append(contentsOf: ": ".utf8)
                head.append(contentsOf: value.utf8)
            }
            head.append(contentsOf: "\r\n\r\n".utf8)
            return head
        }

        private static func upload(
            _ body: HTTPBody?, method: String, declaredLength: Int64?
        ) throws -> (WireUpload, Int64) {
            guard let body else { return (.none, 0) }
            if method == "HEAD" {
                if body.length == 0 { return (.none, 0) }
                throw NetworkError.unsupported("A HEAD request cannot have a body here. Use another method.")
            }
            if let pieces = body.pieces, let length = body.length { return (.source(WirePieces(pieces)), length) }
            switch body.source {
            case .data(let data): return (.data(data), Int64(data.count))
            case .file(let segment): return (.source(WirePieces([body])), segment.length)
            case .stream:
                let length = body.length ?? declaredLength
                return (.source(WireFeed(body: body, length: length)), length ?? -1)
            }
        }

        /// The value of `Authorization` for `user:password` of a URL.
        private static func credentials(_ user: String) -> String {
            let pieces = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = pieces.map { String($0).removingPercentEncoding ?? String($0) }
            return "Basic "
                + Data("\(decoded.first ?? ""):\(decoded.count > 1 ? decoded[1] : "")".utf8).base64EncodedString()
        }
    }

    extension UInt8 {
        /// Whether it is a printable ASCII character other than a space.
        var isVisible: Bool { self > 0x20 && self < 0x7F }
    }

    /// The header fields of a request, and the facts about them that the transport needs.
    private struct RequestFields {
        /// Without `Host` and the fields that follow from the body.
        var fields: [(name: String, value: String)] = []
        private(set) var host: String?
        private(set) var hasAuthorization = false
        private(set) var hasAccept = false
        private(set) var hasAcceptEncoding = false
        /// Whether the request asks for a range, or for a digest, of the bytes without a coding.
        private(set) var wantsIdentity = false
        private(set) var hasExpect = false
        private(set) var closesConnection = false
        private(set) var expectsContinue = false
        /// The length that the caller declared, for a body that does not know its own.
        private(set) var contentLength: Int64?

        init(_ list: [String: String]) {
            fields.reserveCapacity(list.count + 5)
            for (name, value) in list {
                func isNamed(_ other: String) -> Bool { name.equalsIgnoringASCIICase(other) }
                // By length first, so that most names are compared with none.
                switch name.utf8.count {
                case 4 where isNamed("Host"):
                    host = value.withoutHTTPWhitespace
                    continue
                case 6 where isNamed("Accept"): hasAccept = true
                case 6 where isNamed("Expect"):
                    hasExpect = true
                    expectsContinue = value.equalsIgnoringASCIICase("100-continue")
                case 10 where isNamed("Connection"): closesConnection = value.asciiLowercased.contains("close")
                case 13 where isNamed("Authorization"): hasAuthorization = true
                case 14 where isNamed("Content-Length"):
                    contentLength = Int64(value).flatMap { $0 >= 0 ? $0 : nil }
                    continue
                case 15 where isNamed("Accept-Encoding"): hasAcceptEncoding = true
                case 17 where isNamed("Transfer-Encoding"): continue
                case 5 where isNamed("Range"), 11 where isNamed("Want-Digest"), 16 where isNamed("Want-Repr-Digest"),
                    19 where isNamed("Want-Content-Digest"):
                    wantsIdentity = true
                default: break
                }
                fields.append((name, value.withoutHTTPWhitespace))
            }
        }
    }
#endif
