#if os(Linux)
    import NetCore

    /// A request as it is sent, prepared on the caller's thread to spare the loop's.
    struct WireRequest {
        let method: String
        let target: RequestTarget
        let fields: [(name: String, value: String)]
        /// The head as HTTP/1.1 has it.
        let http1Head: [UInt8]
        let upload: Upload
        /// The bytes of the body: 0 for none, -1 if the length is unknown.
        let uploadLength: Int64
        /// Whether the body waits for `100 Continue`.
        let expectsContinue: Bool
        /// Whether the caller has the connection closed afterwards.
        let closesConnection: Bool
        /// Whether the caller asked for that, and not the size of the body: HTTP/2 can stop a body without closing the connection.
        let callerExpectsContinue: Bool
        /// Whether the transport decodes the content coding of the response.
        let decodesContent: Bool

        enum Upload {
            case none
            case data(Data)
            case pieces(WirePieces)
            case stream(WireFeed)
        }

        private static let expectThreshold: Int64 = 1 << 20

        init(
            _ request: URLRequest, body: HTTPBody?, _ defaults: EngineDefaults, through proxy: ProxyPlan.Server?
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
            if let user = target.user, !list.hasAuthorization {
                list.fields.append(("Authorization", Self.credentials(user)))
            }
            (upload, uploadLength) = try Self.upload(body, method: method, declaredLength: list.contentLength)
            var expects = list.expectsContinue
            if case .none = upload {
                expects = false
            } else if !list.hasExpect {
                if case .data = upload {} else { expects = uploadLength > Self.expectThreshold }
                if expects { list.fields.append(("Expect", "100-continue")) }
            }
            expectsContinue = expects
            callerExpectsContinue = list.hasExpect && expects
            closesConnection = list.closesConnection
            decodesContent = defaults.decodesContent && !list.hasAcceptEncoding
            if decodesContent {
                list.fields.append(("Accept-Encoding", list.wantsIdentity ? "identity" : ContentCodings.accepted))
            }
            if !list.hasAccept { list.fields.append(("Accept", "*/*")) }
            fields = list.fields
            let isForProxy =
                proxy.map { !target.isHTTPS && !defaults.requiresHTTP2 && !$0.name.hasPrefix("socks") } ?? false
            http1Head = try Self.head(
                method, target, fields, upload, uploadLength, isForProxy: isForProxy,
                authorization: isForProxy ? proxy?.credentials?.basic : nil)
        }

        /// - Parameters:
        ///   - isForProxy: whether a proxy receives the request itself, and not in a tunnel (RFC 9112, section 3.2.2).
        ///   - authorization: the value of `Proxy-Authorization`.
        private static func head(
            _ method: String, _ target: RequestTarget, _ fields: [(name: String, value: String)], _ upload: Upload,
            _ length: Int64, isForProxy: Bool, authorization: String?
        ) throws -> [UInt8] {
            var head: [UInt8] = []
            head.reserveCapacity(512)
            var fields = fields
            if let authorization { fields.append(("Proxy-Authorization", authorization)) }
            let host = fields.first { $0.name.utf8.count == 4 && $0.name.equalsIgnoringASCIICase("Host") }?.value
            do {
                try HTTP1RequestWriter.appendHead(
                    method: method, target: isForProxy ? "http://\(target.authority)\(target.path)" : target.path,
                    fields: fields, host: host ?? target.authority, framing: framing(of: upload, length, method),
                    to: &head)
            } catch {
                switch error {
                case .invalidTarget, .invalidHost: throw NetworkError.invalidURL
                default: throw NetworkError.invalidRequest
                }
            }
            return head
        }

        private static func framing(of upload: Upload, _ length: Int64, _ method: String) -> HTTP1RequestFraming {
            if case .none = upload {
                return method == "POST" || method == "PUT" || method == "PATCH" ? .noneButExpected : .none
            }
            return length < 0 ? .chunked : .length(length)
        }

        /// Has the body read from its start again. Returns false if it cannot be.
        func rewind() -> Bool {
            switch upload {
            case .none, .data: return true
            case .pieces(let pieces):
                pieces.rewind()
                return true
            case .stream(let feed): return feed.isUntouched
            }
        }

        private static func upload(
            _ body: HTTPBody?, method: String, declaredLength: Int64?
        ) throws -> (Upload, Int64) {
            guard let body else { return (.none, 0) }
            if method == "HEAD" {
                if body.length == 0 { return (.none, 0) }
                throw NetworkError.unsupported("A HEAD request cannot have a body here. Use another method.")
            }
            if let pieces = body.pieces, let length = body.length { return (.pieces(WirePieces(pieces)), length) }
            switch body.source {
            case .data(let data): return (.data(data), Int64(data.count))
            case .file(let segment): return (.pieces(WirePieces([body])), segment.length)
            case .stream:
                let length = body.length ?? declaredLength
                return (.stream(WireFeed(body: body, length: length)), length ?? -1)
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

    extension String {
        /// The text without spaces and tabs at its ends, which do not belong to a field's value (RFC 9110, section 5.5).
        fileprivate var withoutBlanksAround: String {
            func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
            guard isBlank(utf8.first) || isBlank(utf8.last) else { return self }
            return trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        }
    }

    /// The header fields of a request, and the facts about them that the transport needs.
    private struct RequestFields {
        /// Without the fields that follow from the body.
        var fields: [(name: String, value: String)] = []
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
            fields.reserveCapacity(list.count + 4)
            for (name, value) in list {
                // By length first, so that most names are compared with none.
                switch name.utf8.count {
                case 5: if name.equalsIgnoringASCIICase("Range") { wantsIdentity = true }
                case 6:
                    if name.equalsIgnoringASCIICase("Accept") { hasAccept = true }
                    if name.equalsIgnoringASCIICase("Expect") {
                        hasExpect = true
                        expectsContinue = value.equalsIgnoringASCIICase("100-continue")
                    }
                case 10:
                    if name.equalsIgnoringASCIICase("Connection") {
                        closesConnection = value.asciiLowercased.contains("close")
                    }
                case 11: if name.equalsIgnoringASCIICase("Want-Digest") { wantsIdentity = true }
                case 13: if name.equalsIgnoringASCIICase("Authorization") { hasAuthorization = true }
                case 14:
                    if name.equalsIgnoringASCIICase("Content-Length") {
                        contentLength = Int64(value).flatMap { $0 >= 0 ? $0 : nil }
                    }
                case 15: if name.equalsIgnoringASCIICase("Accept-Encoding") { hasAcceptEncoding = true }
                case 16: if name.equalsIgnoringASCIICase("Want-Repr-Digest") { wantsIdentity = true }
                case 19: if name.equalsIgnoringASCIICase("Want-Content-Digest") { wantsIdentity = true }
                default: break
                }
                fields.append((name, value.withoutBlanksAround))
            }
        }
    }
#endif
