#if os(Linux)
    import CLibcurl
    import NetCore

    /// The connections of a transport that leave HTTP, made when the first is needed.
    ///
    /// They have a ``CurlCore`` and a loop of their own: a connection that is open for hours takes no place of a request.
    final class UpgradeCore: Sendable {
        private enum State {
            case unused
            case used(CurlCore)
            case closed
        }

        private let state = Locked(State.unused)
        private let configuration: TransportConfiguration
        private let refusal: (any Error)?

        /// The largest body of a refusal that is read, in bytes.
        private static let refusalBytes = 64 * 1024

        /// - Parameter refusal: see ``CurlCore/refusal``.
        init(_ configuration: TransportConfiguration, refusal: (any Error)?) {
            var own = configuration
            // HTTP/2 cannot be upgraded, so ALPN must not choose it.
            own.httpVersions = .http1Only
            own.decodesContent = false
            own.limits.connectionsPerHost = Int(Int32.max)
            own.limits.idleConnections = Int(Int32.max)
            self.configuration = own
            switch configuration.httpVersions {
            case .http2PriorKnowledge, .http3Only:
                self.refusal =
                    refusal
                    ?? NetworkError.unsupported(
                        "An upgrade, such as a WebSocket's, needs HTTP/1.1. Set httpVersions to .automatic.")
            default: self.refusal = refusal
            }
        }

        deinit {
            if case .used(let core) = state.withLock({ $0 }) { core.stop() }
        }

        private func core() throws -> CurlCore {
            try state.withLock { state in
                switch state {
                case .used(let core): return core
                case .closed: throw CurlCore.shutDownError(nil)
                case .unused:
                    let core = CurlCore(configuration: configuration, refusal: refusal, loopType: UpgradeLoop.self)
                    state = .used(core)
                    return core
                }
            }
        }

        func cancel(_ group: ObjectIdentifier) {
            if case .used(let core) = state.withLock({ $0 }) { core.cancel(group) }
        }

        func shutdown() async {
            let core = state.withLock { state -> CurlCore? in
                defer { state = .closed }
                if case .used(let core) = state { return core }
                return nil
            }
            await core?.shutdown()
        }

        /// Sends a request with `Upgrade` over a new connection.
        ///
        /// - Parameter transport: kept alive as long as the connection.
        func upgrade(
            _ request: URLRequest, context: RequestContext, keepingAlive transport: any AnyObject & Sendable
        ) async throws -> TransportResponse {
            try Task.checkCancellation()
            let core = try core()
            let head = try UpgradeMessage.head(of: request)
            let exchange = try UpgradeExchange(request, context: context, core: core)
            try await exchange.run()
            let channel = try UpgradeChannel(exchange, keepingAlive: transport)
            try await channel.send(head)
            context.report(.requestSent)
            let answer = try await UpgradeMessage.readHead(
                from: channel, limit: core.defaults.headerBytes, url: request.url)
            context.report(.firstByteReceived)
            var response = TransportResponse(
                status: answer.status, headers: answer.headers, url: request.url, version: .http1_1, body: .empty,
                metricsBox: channel.facts)
            if answer.status == 101 {
                channel.putBack(answer.rest)
                channel.settle()
                response.upgraded = .bytes(channel)
            } else {
                response.body = HTTPBody(try await Self.refusal(answer.headers, answer.rest, from: channel))
                channel.close()
            }
            return response
        }

        /// Reads the body of a refusal if it declares a small length. A chunked or larger one is not read.
        private static func refusal(
            _ headers: HTTPHeaders, _ start: Data, from channel: UpgradeChannel
        ) async throws -> Data {
            guard let length = headers["Content-Length"].flatMap(Int.init), (0...refusalBytes).contains(length) else {
                return Data()
            }
            var body = start
            while body.count < length, let more = try await channel.receive() { body.append(more) }
            return Data(body.prefix(length))
        }
    }

    /// The exchange of a connection that leaves HTTP. It ends with the connection.
    final class UpgradeExchange: CurlExchange, @unchecked Sendable {
        // Unchecked as its superclass: only the loop's thread uses `descriptor`.

        let outbox = UpgradeOutbox()
        /// The socket; -1 before the connection is open. The loop's thread owns it.
        var descriptor: Int32 = -1

        init(_ request: URLRequest, context: RequestContext, core: CurlCore) throws {
            var request = request
            request.allHTTPHeaderFields = nil
            var context = context
            context.delivery = .streamed
            context.progress = nil
            try super.init(request: request, body: nil, context: context, core: core)
        }

        override var isSettled: Bool { outbox.isSettled }
    }

    /// The two HTTP/1.1 messages of an upgrade. libcurl only carries their bytes.
    enum UpgradeMessage {
        /// Returns the request line and the fields, with `Host` and, for user information in the URL, `Authorization`.
        ///
        /// - Throws: ``NetworkError/invalidURL``, an error that describes the problem.
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
            // `URL` refuses control characters, but request splitting must not depend on that.
            guard target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
            else { throw NetworkError.invalidURL }
            var text = "GET \(target) HTTP/1.1\r\n"
            if !fields.contains(name: "Host") {
                text += "Host: \(host)\r\n"
            }
            for field in fields { text += "\(field.name): \(field.value)\r\n" }
            return Data((text + "\r\n").utf8)
        }

        /// Reads the head of the response, and skips interim ones (1xx except 101).
        ///
        /// - Returns: status and fields, and the bytes that were received after them.
        /// - Throws: ``TransportError``.
        static func readHead(
            from channel: UpgradeChannel, limit: Int, url: URL?
        ) async throws -> (status: Int, headers: HTTPHeaders, rest: Data) {
            var bytes = Data()
            // There is no end of a head before this index. So single bytes from a slow server do not repeat the search.
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
                            message: "The response does not start with an HTTP/1.1 status line.",
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

        /// Reads `HTTP/1.1 101 Switching Protocols`. The text may be missing (RFC 9112, section 4).
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
