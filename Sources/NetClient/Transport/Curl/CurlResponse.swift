#if os(Linux)
    import CLibcurl
    import NetCore

    extension CurlExchange {
        /// The response, made on the caller's thread after the exchange was resumed.
        func response(_ context: RequestContext, keepingAlive transport: CurlTransport) async throws
            -> TransportResponse
        {
            tookAnswer()
            guard let head else {
                throw TransportError(.other, phase: .receivingHead, message: "There is no head.", url: url)
            }
            self.head = nil
            defer { head.free() }
            let body: HTTPBody
            if let channel = bodyOfResponse {
                // The channel holds the exchange.
                bodyOfResponse = nil
                let reader = CurlBodyReader(channel: channel, transport: transport)
                body = HTTPBody(length: head.bodyLength, pulling: { try await reader.next() })
            } else {
                body = wholeBody.isEmpty ? .empty : HTTPBody(wholeBody)
            }
            var response = TransportResponse(
                status: head.status,
                headers: head.headers,
                url: url,
                version: head.version,
                body: body,
                metricsBox: metricsBox ?? MetricsBox(complete: TransportMetrics(metrics))
            )
            guard head.isCoded else { return response }
            try decode(&response, context)
            // Its limit is for what the caller gets, and was not reached by what came.
            if !streams { response.body = HTTPBody(try await response.body.collect(upTo: collectLimit)) }
            return response
        }

        /// What of a body is decoded when it is read.
        private func decode(_ response: inout TransportResponse, _ context: RequestContext) throws {
            let codings = try ContentCodings.outermostFirst(in: response.headers, url: url)
            guard !codings.isEmpty else { return }
            let wire = response.noteDecoded()
            let limit = streams ? core.defaults.decodedBodyBytes : min(collectLimit, core.defaults.decodedBodyBytes)
            let decoded = DecodedBody(
                response.body, codings: codings, limit: limit, memory: core.decoderMemory, wire: wire, url: url,
                didFindSurplus: { [core, url] in
                    guard core.surplusNotice.take() else { return }
                    context.notify(
                        .notice(
                            "Bytes came after the end of a coded body (of \(url?.host ?? "a host")). They are ignored, and the response is not "
                                + "stored."))
                })
            response.body = HTTPBody(pulling: { try await decoded.next() })
        }
    }

    extension TransportMetrics {
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
#endif
