#if os(Linux)
    import NetCore

    /// The head of a response as it was received. The caller's thread parses it.
    struct WireHead: Sendable {
        let status: Int
        let version: HTTPVersion
        /// From the status line to the empty line.
        let bytes: [UInt8]
        /// The length of the body as it is received, or nil if it is not known.
        let bodyLength: Int64?
        /// Whether the transport decodes the body's content coding. It does not decode a part (206), which begins anywhere in the coded bytes.
        let isCoded: Bool

        var headers: HTTPHeaders {
            HTTPHeaders(received: bytes.withUnsafeBytes { HeaderBlockParser.fields(in: $0) })
        }
    }

    extension HTTPExchange {
        /// Returns the response. Call it once, after ``run()``.
        ///
        /// - Parameter transport: kept alive as long as a streamed body.
        func response(
            _ context: RequestContext, keepingAlive transport: any AnyObject & Sendable
        ) async throws -> TransportResponse {
            guard let (head, channel) = takeHead() else {
                throw TransportError(.other, phase: .receivingHead, message: "There is no head.", url: url)
            }
            let body: HTTPBody
            if let channel {
                let reader = BodyReader(channel: channel, transport: transport)
                body = HTTPBody(length: head.bodyLength, pulling: { try await reader.channel.next() })
            } else {
                body = answer.body.isEmpty ? .empty : HTTPBody(answer.body)
            }
            var response = TransportResponse(
                status: head.status, headers: head.headers, url: url, version: head.version, body: body,
                metricsBox: answer.metricsBox
                    ?? MetricsBox(
                        complete: answer.metrics, over: answer.connection, trailers: answer.trailers ?? HTTPHeaders()))
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
            let most = engine.settings.decodedBodyBytes
            let decoded = DecodedBody(
                response.body, codings: codings, limit: streams ? most : min(collectLimit, most),
                memory: engine.decoderMemory, wire: wire, url: url,
                didFindSurplus: { [engine, url] in
                    guard engine.surplusNotice.take() else { return }
                    context.notify(
                        .notice(
                            "A response of \(url?.host ?? "a host") has bytes after the end of its coded body. They are ignored, and the response "
                                + "is not stored."), of: .transport)
                })
            response.body = HTTPBody(pulling: { try await decoded.next() })
        }
    }

    /// The reader's end of a channel. Releasing it ends the transfer.
    ///
    /// It keeps the transport alive, so that a body can be read after its transport was released.
    final class BodyReader: Sendable {
        let channel: BodyChannel
        private let transport: any AnyObject & Sendable

        init(channel: BodyChannel, transport: any AnyObject & Sendable) {
            self.channel = channel
            self.transport = transport
        }

        deinit {
            channel.abandon()
        }
    }
#endif
