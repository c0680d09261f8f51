#if os(Linux)
    import CLibcurl
    import NetCore

    /// A request in libcurl's terms, prepared on the caller's thread to spare the loop's thread.
    struct CurlRequest {
        let block: CurlRequestBlock
        let upload: Upload
        let uploadLength: Int64
        let originKey: UInt64
        /// Host and port in lower case; empty if the request cannot be sent over HTTP/2.
        let authority: String
        let isHTTPS: Bool
        /// Whether the request sets only the URL and header fields, so that the transfer needs no reset after it.
        let isPlainGet: Bool
        /// Whether the request asks for `100 Continue` before its body is sent.
        let expectsContinue: Bool
        /// Whether the caller asked for that, and not the size of the body: HTTP/2 can stop a body without closing the connection.
        let callerExpectsContinue: Bool
        /// Whether the transport decodes the content coding of the response.
        let decodesContent: Bool

        enum Upload {
            case none
            case data(Data)
            case file(FileSegment)
            case pieces(CurlPieces)
            case stream(CurlBodyFeed)
        }

        /// Bodies up to this size are copied into the request's block, and go out in one write with the head.
        static let inlineBodySize = 32 * 1024
        private static let expectThreshold: Int64 = 1 << 20

        init(_ request: URLRequest, body: HTTPBody?, defaults: CurlDefaults) throws {
            guard let url = request.url else { throw NetworkError.invalidURL }
            var address = url.absoluteString
            var parts = nc_url_parts()
            let isValid = address.withUTF8 { text in
                text.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { nc_url_split($0, text.count, &parts) == 0 } ?? false
                }
            }
            guard isValid else { throw NetworkError.invalidURL }
            originKey = parts.origin
            isHTTPS = parts.is_https != 0
            authority = isHTTPS || defaults.requiresHTTP2 ? Self.authority(of: address, parts) : ""

            let method = request.httpMethod ?? "GET"
            var fields = CurlHeaderFields(request.allHTTPHeaderFields ?? [:])
            if parts.has_user != 0 {
                let credentials = Self.cutCredentials(from: &address, parts)
                if !fields.hasAuthorization { fields.additional.append(.authorization(credentials)) }
            }

            (upload, uploadLength) = try Self.upload(body, method: method, declaredLength: fields.contentLength)
            var small = Data()
            var needsContentType = false
            switch upload {
            case .none:
                needsContentType = method == "POST" || method == "PUT" || method == "PATCH"
            case .data(let data):
                needsContentType = true
                if data.count <= Self.inlineBodySize { small = data }
            default: break
            }
            var expects = fields.expectsContinue
            if case .none = upload {
                expects = false
            } else if !fields.hasExpect {
                if case .data = upload {} else { expects = uploadLength > Self.expectThreshold }
                if expects {
                    fields.additional.append(HTTPHeader(name: "Expect", value: "100-continue"))
                } else {
                    fields.suppressed.append("Expect")
                }
            }
            // libcurl adds the Content-Type of a form to a POST without one.
            if needsContentType, !fields.hasContentType { fields.suppressed.append("Content-Type") }
            expectsContinue = expects
            callerExpectsContinue = fields.hasExpect && expects

            decodesContent = defaults.decodesContent && !fields.hasAcceptEncoding
            if decodesContent { fields.acceptEncoding = fields.wantsIdentity ? "identity" : ContentCodings.accepted }
            var isPlain = method == "GET"
            if case .none = upload {} else { isPlain = false }
            isPlainGet = isPlain
            block = try CurlRequestBlock(url: address, method: method, fields: fields, body: small)
        }

        private static func authority(of address: String, _ parts: nc_url_parts) -> String {
            let host = address.utf8.dropFirst(Int(parts.host)).prefix(Int(parts.host_end - parts.host))
            return "\(String(decoding: host, as: UTF8.self).lowercased()):\(parts.port)"
        }

        private static func upload(
            _ body: HTTPBody?, method: String, declaredLength: Int64?
        ) throws -> (Upload, Int64) {
            guard let body else { return (.none, 0) }
            if method == "HEAD" {
                if body.length == 0 { return (.none, 0) }
                throw NetworkError.unsupported("A HEAD request cannot have a body here. Use another method.")
            }
            if let pieces = body.pieces, let length = body.length { return (.pieces(CurlPieces(pieces)), length) }
            switch body.source {
            case .data(let data): return (.data(data), Int64(data.count))
            case .file(let segment): return (.file(segment), segment.length)
            case .stream:
                let length = body.length ?? declaredLength
                return (.stream(CurlBodyFeed(body: body, length: length)), length ?? -1)
            }
        }

        /// Cuts `user:password@` from the address, and returns it as the value of `Authorization`.
        private static func cutCredentials(from address: inout String, _ parts: nc_url_parts) -> String {
            let bytes = Array(address.utf8)
            let user = String(decoding: bytes[Int(parts.authority)..<Int(parts.user_end)], as: UTF8.self)
            address = String(decoding: bytes[..<Int(parts.authority)] + bytes[Int(parts.host)...], as: UTF8.self)
            let pieces = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = pieces.map { String($0).removingPercentEncoding ?? String($0) }
            return "Basic "
                + Data("\(decoded.first ?? ""):\(decoded.count > 1 ? decoded[1] : "")".utf8).base64EncodedString()
        }
    }

    /// Owns the memory of a prepared request.
    final class CurlRequestBlock {
        let pointer: UnsafeMutablePointer<nc_request>
        /// The copy of a small body; nil if the body is empty or larger.
        let inlineBody: UnsafePointer<UInt8>?

        init(url: String, method: String, fields: CurlHeaderFields, body: Data) throws {
            let capacity = url.utf8.count + method.utf8.count + 32 + fields.capacity + body.count + 16
            guard let request = nc_request_make(capacity) else {
                throw TransportError(.other, phase: .preparing, message: "Out of memory.")
            }
            pointer = request
            guard method.isHTTPToken else {
                inlineBody = nil
                throw NetworkError.invalidRequest
            }
            if method == "CONNECT" {
                inlineBody = nil
                throw NetworkError.unsupported("CONNECT opens a tunnel and is not a request. Set a proxy instead.")
            }
            guard let url = Self.copy(url, to: request) else {
                inlineBody = nil
                throw NetworkError.invalidURL
            }
            request.pointee.url = url
            guard let method = Self.copy(method, to: request), fields.write(to: request) else {
                inlineBody = nil
                throw NetworkError.invalidRequest
            }
            request.pointee.method = method
            inlineBody = Self.copy(body, to: request)
        }

        deinit {
            nc_request_free(pointer)
        }

        private static func copy(_ text: String, to request: UnsafeMutablePointer<nc_request>) -> UnsafePointer<CChar>?
        {
            var text = text
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    bytes.baseAddress.flatMap { nc_request_text(request, $0, bytes.count) }
                }
            }
        }

        private static func copy(_ body: Data, to request: UnsafeMutablePointer<nc_request>) -> UnsafePointer<UInt8>? {
            guard !body.isEmpty, request.pointee.end - request.pointee.next >= body.count else { return nil }
            let start = UnsafeMutableRawPointer(request.pointee.next).assumingMemoryBound(to: UInt8.self)
            body.copyBytes(to: start, count: body.count)
            request.pointee.next += body.count
            return UnsafePointer(start)
        }
    }

    /// The header fields of a request, and the facts about them that the transport needs.
    struct CurlHeaderFields {
        private let fields: [String: String]
        var additional: [HTTPHeader] = []
        /// Fields that libcurl must not add.
        var suppressed: [StaticString] = []

        private(set) var hasAuthorization = false
        private(set) var hasAcceptEncoding = false
        /// Whether the request asks for a range, or for a digest, of the bytes without a coding.
        private(set) var wantsIdentity = false
        /// The value of the `Accept-Encoding` field to add.
        var acceptEncoding: String?
        private(set) var hasContentType = false
        private(set) var hasExpect = false
        private(set) var expectsContinue = false
        /// The length that the caller declared, for a body that does not know its own.
        private(set) var contentLength: Int64?
        private var size = 0

        init(_ fields: [String: String]) {
            self.fields = fields
            for (name, value) in fields {
                size += name.utf8.count + value.utf8.count + Int(NC_HEADER_OVERHEAD)
                // By length first, so that most names are compared with none.
                switch name.utf8.count {
                case 5: if name.equalsIgnoringASCIICase("Range") { wantsIdentity = true }
                case 6:
                    if name.equalsIgnoringASCIICase("Expect") {
                        hasExpect = true
                        expectsContinue = value.equalsIgnoringASCIICase("100-continue")
                    }
                case 11: if name.equalsIgnoringASCIICase("Want-Digest") { wantsIdentity = true }
                case 12: if name.equalsIgnoringASCIICase("Content-Type") { hasContentType = true }
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
            }
        }

        /// The bytes that ``write(to:)`` needs.
        var capacity: Int {
            additional.reduce(size + (acceptEncoding?.utf8.count ?? 0) + 16 + Int(NC_HEADER_OVERHEAD)) {
                $0 + $1.name.utf8.count + $1.value.utf8.count + Int(NC_HEADER_OVERHEAD)
            }
                + suppressed.count * (32 + Int(NC_HEADER_OVERHEAD))
        }

        /// Writes all fields except `Content-Length` and `Transfer-Encoding`, which follow from the body.
        ///
        /// - Returns: false if a name or value is invalid.
        func write(to request: UnsafeMutablePointer<nc_request>) -> Bool {
            for (name, value) in fields {
                if name.utf8.count == 14, name.equalsIgnoringASCIICase("Content-Length") { continue }
                if name.utf8.count == 17, name.equalsIgnoringASCIICase("Transfer-Encoding") { continue }
                guard Self.write(name, value, to: request) else { return false }
            }
            for header in additional {
                guard Self.write(header.name, header.value, to: request) else { return false }
            }
            if let acceptEncoding {
                guard Self.write("Accept-Encoding", acceptEncoding, to: request) else { return false }
            }
            for name in suppressed {
                let written = name.withUTF8Buffer { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { bytes in
                        bytes.baseAddress.map { nc_request_suppress(request, $0) == 0 } ?? false
                    }
                }
                guard written else { return false }
            }
            return true
        }

        private static func write(_ name: String, _ value: String, to request: UnsafeMutablePointer<nc_request>) -> Bool
        {
            name.withCString { name in
                var value = value
                return value.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { bytes in
                        nc_request_header(request, name, strlen(name), bytes.baseAddress ?? name, bytes.count) == 0
                    }
                }
            }
        }
    }
#endif
