#if os(Linux)
    import CLibcurl
    package import NetCore

    /// The core whose connections are handed over, made when it is first needed.
    ///
    /// It is one of its own, with a thread of its own for all of them: a connection that is open for hours takes none of the places
    /// that requests have, and a busy one holds none of them up.
    final class CurlDuplexCore: Sendable {
        private enum State {
            case unused
            case used(CurlCore)
            case closed
        }

        private let state = Locked(State.unused)
        private let configuration: TransportConfiguration

        init(_ configuration: TransportConfiguration) {
            var own = configuration
            // ALPN must not end in HTTP/2, which cannot be upgraded.
            own.httpVersions = .http1Only
            own.decodesContent = false
            own.limits.connectionsPerHost = Int(Int32.max)
            own.limits.idleConnections = Int(Int32.max)
            self.configuration = own
        }

        deinit {
            if case .used(let core) = state.withLock({ $0 }) { core.stop() }
        }

        func core() throws -> CurlCore {
            try state.withLock { state in
                switch state {
                case .used(let core): return core
                case .closed: throw CurlCore.shutDownError(nil)
                case .unused:
                    let core = CurlCore(configuration: configuration)
                    state = .used(core)
                    return core
                }
            }
        }

        func shutdown() async {
            let core = state.withLock { state -> CurlCore? in
                defer { state = .closed }
                if case .used(let core) = state { return core }
                return nil
            }
            await core?.shutdown()
        }
    }

    extension CurlTransport: UpgradingTransport {
        /// The body of a refusal is kept up to this size, if the server says that it is no larger.
        private static let refusalBytes = 64 * 1024

        package func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse {
            try Task.checkCancellation()
            let core = try duplex.core()
            let head = try UpgradeMessage.head(of: request)
            let channel = try await connect(to: request, context: context, core: core)
            try await channel.send(head)
            let answer = try await UpgradeMessage.readHead(
                from: channel, limit: core.defaults.headerBytes, url: request.url)
            var response = TransportResponse(
                status: answer.status, headers: answer.headers, url: request.url, body: .empty, metrics: channel.metrics
            )
            if answer.status == 101 {
                channel.putBack(answer.rest)
                channel.settle()
                response.upgraded = .bytes(channel)
            } else {
                response.body = HTTPBody(try await refusal(answer.headers, answer.rest, from: channel))
                channel.close()
            }
            return response
        }

        private func connect(
            to request: URLRequest, context: RequestContext, core: CurlCore
        ) async throws -> CurlByteChannel {
            var bare = request
            bare.allHTTPHeaderFields = nil
            var context = context
            context.delivery = .streamed
            context.progress = nil
            let outbox = CurlOutbox()
            let exchange = try CurlExchange(request: bare, body: nil, context: context, core: core, outbox: outbox)
            try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { continuation in
                    exchange.continuation = continuation
                    core.start(exchange)
                }
            } onCancel: {
                core.post(NC_COMMAND_CANCEL, exchange)
            }
            return try CurlByteChannel(exchange, outbox: outbox, keepingAlive: self)
        }

        /// Of a body that does not say its length, or is chunked, nothing is read: it is no answer that anybody asked for.
        private func refusal(
            _ headers: HTTPHeaders, _ start: Data, from channel: CurlByteChannel
        ) async throws -> Data {
            guard let length = headers["Content-Length"].flatMap(Int.init), (0...Self.refusalBytes).contains(length)
            else {
                return Data()
            }
            var body = start
            while body.count < length, let more = try await channel.receive() { body.append(more) }
            return Data(body.prefix(length))
        }
    }
#endif
