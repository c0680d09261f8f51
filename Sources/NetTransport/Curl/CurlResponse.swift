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

    extension HTTPHeaders {
        /// The trailer fields of a transfer that has ended.
        init(takingTrailersOf transfer: UnsafeMutablePointer<nc_transfer>) {
            var count = 0
            guard let bytes = nc_transfer_take_trailers(transfer, &count) else {
                self.init()
                return
            }
            defer { free(bytes) }
            let block = UnsafeRawBufferPointer(start: bytes, count: count)
            self.init(received: HeaderBlockParser.fieldLines(in: block))
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
                metricsBox: answer.metricsBox
                    ?? MetricsBox(
                        complete: TransportResponse.Metrics(answer), over: answer.connection, trailers: answer.trailers)
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
        init(_ answer: CurlExchange.Answer) {
            self.init()
            let raw = answer.metrics
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
            if let connection = answer.connection {
                remoteAddress = connection.value.remoteAddress
            } else if raw.peer.0 != 0 {
                remoteAddress = withUnsafeBytes(of: raw.peer) { bytes in
                    TransportResponse.Connection.address(
                        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self), raw.peer_port)
                }
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
