#if os(Linux)
    import CLibcurl
    import NetCore

    /// A request in libcurl's terms, prepared on the caller's thread: the loop's thread serves all.
    struct CurlRequest {
        let block: CurlRequestBlock
        let upload: Upload
        let uploadLength: Int64
        let originKey: UInt64
        /// Host and port in lower case.
        let authority: String
        let isHTTPS: Bool
        /// Sets nothing but URL and header fields, so that the next request need not reset anything.
        let isPlainGet: Bool
        let expectsContinue: Bool
        /// Whether the caller asked for that, and not the size of the body: over HTTP/2 a body can be broken off for nothing.
        let callerExpectsContinue: Bool
        /// Whether a coding of the response's body is ours to decode.
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
            authority = isHTTPS ? Self.authority(of: address, parts) : ""

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
            // libcurl takes what it posts for a form unless it is told otherwise.
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

        /// Cuts `user:password@` from the address and gives the value of `Authorization` for it.
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
        /// The copy of a small body.
        let inlineBody: UnsafePointer<UInt8>?

        init(url: String, method: String, fields: CurlHeaderFields, body: Data) throws {
            let capacity = url.utf8.count + method.utf8.count + 32 + fields.capacity + body.count + 16
            guard let request = nc_request_make(capacity) else {
                throw TransportError(.other, phase: .preparing, message: "There is no memory left.")
            }
            pointer = request
            guard method.isHTTPToken else {
                inlineBody = nil
                throw NetworkError.invalidRequest
            }
            if method == "CONNECT" {
                inlineBody = nil
                throw NetworkError.unsupported("CONNECT opens a tunnel and is no request. Set a proxy instead.")
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
#endif
