#if os(Linux)
    import NetCore

    /// The two HTTP/1.1 messages of an upgrade, written and read by ourselves: to libcurl the connection is bytes.
    enum UpgradeMessage {
        /// The request line and the fields, with `Host` and, for user information in the URL, `Authorization`.
        ///
        /// - Throws: ``NetworkError/invalidURL``, ``RequestBuildingError``.
        static func head(of request: URLRequest) throws -> Data {
            guard let url = request.url, let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
                let host = request.hostField
            else { throw NetworkError.invalidURL }
            var fields = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
            if let invalid = fields.firstInvalid { throw RequestBuildingError.invalidHeader(invalid.name) }
            if let user = parts.user, !fields.contains(name: "Authorization") {
                let pair = Data("\(user):\(parts.password ?? "")".utf8).base64EncodedString()
                fields.add(name: "Authorization", value: "Basic \(pair)")
            }
            let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
            let target = parts.percentEncodedQuery.map { "\(path)?\($0)" } ?? path
            // `URL` lets no control character through, but what ends a line must not depend on that.
            guard target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
            else { throw NetworkError.invalidURL }
            var text = "GET \(target) HTTP/1.1\r\n"
            if !fields.contains(name: "Host") {
                text += "Host: \(host)\r\n"
            }
            for field in fields { text += "\(field.name): \(field.value)\r\n" }
            return Data((text + "\r\n").utf8)
        }

        /// Reads the head of the answer; interim ones (1xx but 101) are left out.
        ///
        /// - Returns: status and fields, and the bytes that came after them.
        /// - Throws: ``TransportError``.
        static func readHead(
            from channel: CurlByteChannel, limit: Int, url: URL?
        ) async throws -> (status: Int, headers: HTTPHeaders, rest: Data) {
            var bytes = Data()
            // Up to here there is no end of a head: a server may send single bytes, and none is looked at again for each.
            var searched = 0
            while true {
                if let end = bytes.range(of: Data("\r\n\r\n".utf8), in: searched..<bytes.count) {
                    guard end.upperBound <= limit else { throw tooLarge(limit, url) }
                    let head = Data(bytes[..<end.upperBound])
                    bytes = Data(bytes[end.upperBound...])
                    searched = 0
                    guard let status = status(of: head) else {
                        throw TransportError(
                            .malformedStatusLine, phase: .receivingHead,
                            message: "The reply does not start as one of HTTP/1.1.",
                            url: url)
                    }
                    guard status == 101 || status >= 200 else { continue }
                    let fields = head.withUnsafeBytes { HeaderBlockParser.fields(in: $0) }
                    return (status, HTTPHeaders(received: fields), bytes)
                }
                guard bytes.count < limit else { throw tooLarge(limit, url) }
                guard let more = try await channel.receive() else {
                    throw TransportError(
                        .connectionLost, phase: bytes.isEmpty ? .waiting : .receivingHead,
                        message: "The connection was closed before the head was complete.", url: url,
                        isUnprocessed: false)
                }
                searched = max(0, bytes.count - 3)
                bytes.append(more)
            }
        }

        /// `HTTP/1.1 101 Switching Protocols`, of which the text may be missing (RFC 9112, section 4).
        static func status(of head: Data) -> Int? {
            let line = Array(head.prefix { $0 != 0x0D })
            guard line.starts(with: "HTTP/1.".utf8), line.count >= 12, line[8] == 0x20, line[7].isDigit,
                line.count == 12 || line[12] == 0x20, line[9...11].allSatisfy(\.isDigit)
            else { return nil }
            let status = line[9...11].reduce(0) { $0 * 10 + Int($1 - 0x30) }
            return status >= 100 ? status : nil
        }

        private static func tooLarge(_ limit: Int, _ url: URL?) -> TransportError {
            TransportError(
                .headersTooLarge, phase: .receivingHead, message: "The header section is over \(limit) bytes.", url: url
            )
        }
    }
#endif
