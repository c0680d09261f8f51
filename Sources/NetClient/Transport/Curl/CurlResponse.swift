#if os(Linux)
    import CLibcurl
    import NetCore

    /// The head of a response as it was received. The caller's thread parses it.
    struct CurlHead {
        let bytes: UnsafeMutablePointer<CChar>?
        let count: Int
        let status: Int
        let version: HTTPVersion
        /// The length of the body as it is received.
        let bodyLength: Int64?
        /// Whether the transport decodes the body's content coding. It does not decode a part (206), which begins anywhere in the coded bytes.
        let isCoded: Bool

        init(taking transfer: UnsafeMutablePointer<nc_transfer>) {
            status = Int(transfer.pointee.status)
            version =
                switch transfer.pointee.version {
                case 10: .http1_0
                case 20: .http2
                case 30: .http3
                default: .http1_1
                }
            let length = transfer.pointee.content_length
            bodyLength =
                transfer.pointee.ends_with_head != 0 ? 0 : length < 0 || transfer.pointee.is_chunked != 0 ? nil : length
            isCoded = transfer.pointee.is_encoded != 0 && nc_transfer_has_body(transfer) != 0 && status != 206
            var count = 0
            bytes = nc_transfer_take_head(transfer, &count)
            self.count = count
        }

        var headers: HTTPHeaders {
            HTTPHeaders(
                received: HeaderBlockParser.fields(
                    in: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)))
        }

        func free() {
            Foundation.free(bytes)
        }
    }

    extension Data {
        /// The bytes that a transfer has collected since the last call, without copying them.
        init(takingBodyOf transfer: UnsafeMutablePointer<nc_transfer>) {
            var count = 0
            var isBlock: Int32 = 0
            guard let bytes = nc_transfer_take_body(transfer, &count, &isBlock) else {
                self.init()
                return
            }
            self.init(
                bytesNoCopy: bytes, count: count,
                deallocator: isBlock == 0
                    ? .free : .custom { bytes, _ in nc_block_give(bytes.assumingMemoryBound(to: UInt8.self)) })
        }
    }

    /// Splits a header section (RFC 9112, section 5) into its fields, in one pass over the bytes.
    enum HeaderBlockParser {
        /// The fields of a block that starts with a status line.
        ///
        /// Lines without a colon are ignored. A folded line (obsolete since RFC 7230) continues the value before it. Bytes that are not UTF-8
        /// are read as ISO-8859-1. A control character in a value becomes a space (RFC 9110, section 5.5).
        static func fields(in block: UnsafeRawBufferPointer) -> [HTTPHeader] {
            var fields: [HTTPHeader] = []
            fields.reserveCapacity(12)
            // The folded lines of the last field. They are joined once: joining each would copy the value each time.
            var folded: [String] = []
            func unfold() {
                guard !folded.isEmpty, let last = fields.popLast() else { return }
                let lines = ([last.value] + folded).filter { !$0.isEmpty }
                fields.append(HTTPHeader(name: last.name, value: lines.joined(separator: " ")))
                folded = []
            }
            var position = endOfLine(in: block, from: 0) + 1
            while position < block.count {
                let lineEnd = endOfLine(in: block, from: position)
                let line = trim(block, position, lineEnd)
                if isSpace(block[position]), !fields.isEmpty {
                    folded.append(text(block, line).withoutControlCharacters)
                } else if let colon = firstColon(in: block, line) {
                    unfold()
                    let name = trim(block, line.lowerBound, colon)
                    fields.append(
                        HTTPHeader(
                            name: commonName(block, name) ?? text(block, name),
                            value: text(block, trim(block, colon + 1, line.upperBound)).withoutControlCharacters))
                }
                position = lineEnd + 1
            }
            unfold()
            return fields
        }

        private static func endOfLine(in block: UnsafeRawBufferPointer, from start: Int) -> Int {
            guard start < block.count, let base = block.baseAddress,
                let found = memchr(base + start, 0x0A, block.count - start)
            else { return block.count }
            return UnsafeRawPointer(found) - base
        }

        private static func firstColon(in block: UnsafeRawBufferPointer, _ line: Range<Int>) -> Int? {
            guard !line.isEmpty, let base = block.baseAddress,
                let found = memchr(base + line.lowerBound, 0x3A, line.count)
            else { return nil }
            let colon = UnsafeRawPointer(found) - base
            return colon == line.lowerBound ? nil : colon
        }

        private static func isSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x09 || byte == 0x0D
        }

        private static func trim(_ block: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Range<Int> {
            var start = start
            var end = end
            while start < end, isSpace(block[start]) { start += 1 }
            while end > start, isSpace(block[end - 1]) { end -= 1 }
            return start..<end
        }

        private static func text(_ block: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
            let bytes = UnsafeRawBufferPointer(rebasing: block[range])
            if let text = String(validating: bytes, as: UTF8.self) { return text }
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }

        /// Common names that are too long for a string without a heap allocation (15 bytes).
        private static let longNames: [StaticString] = [
            "Access-Control-Allow-Origin", "Content-Disposition", "Content-Encoding", "Content-Language",
            "Content-Security-Policy", "Referrer-Policy", "Strict-Transport-Security", "Transfer-Encoding",
            "WWW-Authenticate", "X-Content-Type-Options", "X-Frame-Options",
        ]
        private static let longNameStrings = longNames.map { ($0, $0.description) }

        private static func commonName(_ block: UnsafeRawBufferPointer, _ range: Range<Int>) -> String? {
            guard range.count > 15, let base = block.baseAddress else { return nil }
            for (name, text) in longNameStrings where name.utf8CodeUnitCount == range.count {
                if memcmp(name.utf8Start, base + range.lowerBound, range.count) == 0 { return text }
            }
            return nil
        }
    }

    extension CurlExchange {
        /// Returns the response. Call it once, after ``run()``.
        ///
        /// - Parameter transport: kept alive as long as a streamed body.
        final func response(
            _ context: RequestContext, keepingAlive transport: any AnyObject & Sendable
        ) async throws -> TransportResponse {
            guard let head = answer.head else {
                throw TransportError(.other, phase: .receivingHead, message: "There is no head.", url: url)
            }
            answer.head = nil
            defer { head.free() }
            let body: HTTPBody
            if let channel = answer.channel {
                answer.channel = nil
                let reader = CurlBodyReader(channel: channel, transport: transport)
                body = HTTPBody(length: head.bodyLength, pulling: { try await reader.next() })
            } else {
                body = answer.body.isEmpty ? .empty : HTTPBody(answer.body)
            }
            var response = TransportResponse(
                status: head.status,
                headers: head.headers,
                url: url,
                version: head.version,
                body: body,
                metricsBox: answer.metricsBox ?? MetricsBox(complete: TransportResponse.Metrics(answer.metrics))
            )
            guard head.isCoded else { return response }
            try decode(&response, context)
            // The limit is for the decoded body. The coded one was below it.
            if !streams { response.body = HTTPBody(try await response.body.collect(upTo: collectLimit)) }
            return response
        }

        /// Has the body decoded while it is read.
        private func decode(_ response: inout TransportResponse, _ context: RequestContext) throws {
            let codings = try ContentCodings.outermostFirst(in: response.headers, url: url)
            guard !codings.isEmpty else { return }
            let wire = response.markDecoded()
            let limit = streams ? core.defaults.decodedBodyBytes : min(collectLimit, core.defaults.decodedBodyBytes)
            let decoded = DecodedBody(
                response.body, codings: codings, limit: limit, memory: core.decoderMemory, wire: wire, url: url,
                didFindSurplus: { [core, url] in
                    guard core.surplusNotice.take() else { return }
                    context.notify(
                        .notice(
                            "A response of \(url?.host ?? "a host") has bytes after the end of its coded body. They are ignored, and the response "
                                + "is not stored."))
                })
            response.body = HTTPBody(pulling: { try await decoded.next() })
        }
    }

    extension TransportResponse.Metrics {
        init(_ raw: nc_metrics) {
            self.init()
            func seconds(_ microseconds: Int64) -> TimeInterval? {
                microseconds > 0 ? TimeInterval(microseconds) / 1_000_000 : nil
            }
            let isReused = raw.connections == 0
            isReusedConnection = isReused
            if !isReused {
                nameLookup = seconds(raw.name_lookup)
                connect = seconds(raw.connect)
                secureConnect = seconds(raw.secure_connect)
            }
            requestStart = seconds(raw.request_start)
            firstByte = seconds(raw.first_byte)
            total = seconds(raw.total)
            bytesSent = raw.sent
            bytesReceived = raw.received
            if raw.peer.0 != 0 {
                let address = withUnsafeBytes(of: raw.peer) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                remoteAddress =
                    address.utf8.contains(0x3A) ? "[\(address)]:\(raw.peer_port)" : "\(address):\(raw.peer_port)"
            }
        }
    }

    /// The reader's end of a channel. Releasing it ends the transfer.
    ///
    /// It keeps the transport alive, so that a body can be read after its transport was released.
    private final class CurlBodyReader: Sendable {
        private let channel: CurlBodyChannel
        private let transport: any AnyObject & Sendable

        init(channel: CurlBodyChannel, transport: any AnyObject & Sendable) {
            self.channel = channel
            self.transport = transport
        }

        deinit {
            channel.abandon()
        }

        func next() async throws -> Data? {
            try await channel.next()
        }
    }
#endif
