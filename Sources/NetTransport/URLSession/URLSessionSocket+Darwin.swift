#if canImport(Security)
    package import NetCore

    /// A `URLSessionWebSocketTask` with its session, and that session's delegate.
    final class URLSessionSocket: NSObject, URLSessionWebSocketDelegate, WebSocketTasking, ChallengedTask {
        private struct State {
            var session: URLSession?
            var task: URLSessionWebSocketTask?
            var opening: CheckedContinuation<TransportResponse, any Error>?
            /// Why the socket was stopped, if that is more exact than the task's error.
            var failure: (any Error)?
            var hasEnded = false
            /// Whether a Close frame was asked for.
            var isClosing = false
        }

        private let security: SecurityAdapter
        private let url: URL?
        let showsCertificate: Bool
        let context: RequestContext
        private let state = Locked(State())

        init(
            _ request: URLRequest, settings: URLSessionConfiguration, security: SecurityAdapter,
            showsCertificate: Bool, context: RequestContext
        ) {
            self.security = security
            self.context = context
            self.showsCertificate = showsCertificate
            url = request.url
            super.init()
            // The session holds its delegate until ``end(_:)`` or ``cancel()`` invalidates it.
            let session = URLSession(configuration: settings, delegate: self, delegateQueue: nil)
            let task = session.webSocketTask(with: request)
            task.maximumMessageSize = context[WebSocketMessageSizeKey.self]
            state.withLock { state in
                state.session = session
                state.task = task
            }
        }

        // MARK: Opening

        func open() async throws -> TransportResponse {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let (task, failure) = state.withLock { state in
                        if !state.hasEnded { state.opening = continuation }
                        return (state.hasEnded ? nil : state.task, state.failure)
                    }
                    guard let task else { return continuation.resume(throwing: failure ?? CancellationError()) }
                    task.resume()
                }
            } onCancel: {
                stop(CancellationError())
            }
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
        ) {
            var response = TransportResponse(webSocketTask.response) ?? TransportResponse(status: 101, url: url)
            response.status = 101
            response.pipeline.upgraded = .webSocket(URLSessionSocketHandle(self))
            takeOpening()?.resume(returning: response)
        }

        private func takeOpening() -> CheckedContinuation<TransportResponse, any Error>? {
            state.withLock { $0.opening.take() }
        }

        // MARK: Events of the session

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let answer = security.answer(to: challenge, exchange: self)
            completionHandler(answer.disposition, answer.credential)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) { completionHandler(nil) }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let (opening, failure) = state.withLock { ($0.opening.take(), $0.failure) }
            if let opening {
                if failure == nil, let refusal = TransportResponse(task.response), refusal.status != 101 {
                    opening.resume(returning: refusal)
                } else {
                    opening.resume(throwing: failure ?? mapped(error))
                }
            }
            end { $0.finishTasksAndInvalidate() }
        }

        private func mapped(_ error: (any Error)?) -> any Error {
            guard let error else { return self.error(.connectionLost, "The connection ended.", phase: nil) }
            return URLSessionErrors.map(error, phase: .waiting, hasHead: false, url: url)
        }

        private func end(_ close: (URLSession) -> Void) {
            let session = state.withLock { state in
                state.hasEnded = true
                return state.session.take()
            }
            session.map(close)
        }

        func stop(_ error: any Error) {
            state.withLock { $0.failure = $0.failure ?? error }
            takeOpening()?.resume(throwing: error)
            end { $0.invalidateAndCancel() }
        }

        func error(_ code: TransportError.Code, _ message: String, phase: TransportError.Phase?) -> TransportError {
            TransportError(code, phase: phase ?? .waiting, message: message, url: url)
        }

        // MARK: Messages

        private func task(mayHaveEnded: Bool = false) throws -> URLSessionWebSocketTask {
            try state.withLock { state in
                if let failure = state.failure { throw failure }
                guard let task = state.task, mayHaveEnded || !state.hasEnded else {
                    throw error(.connectionLost, "The WebSocket has ended.", phase: .receivingBody)
                }
                return task
            }
        }

        func receive() async throws -> WebSocketPayload? {
            // Also of a socket that has ended: the task still has the messages before the end, and its reason.
            let task = try task(mayHaveEnded: true)
            do {
                switch try await task.receive() {
                case .string(let text): return .text(text)
                case .data(let data): return .binary(data)
                @unknown default: return .binary(Data())
                }
            } catch {
                if task.closeCode != .invalid { return nil }
                if let failure = state.withLock(\.failure) { throw failure }
                // The WebSocket recognises a message that is too large by this error.
                if (error as NSError).domain == NSPOSIXErrorDomain, (error as NSError).code == Int(EMSGSIZE) {
                    throw error
                }
                throw mapped(error)
            }
        }

        func send(_ payload: WebSocketPayload) async throws {
            let task = try task()
            do {
                switch payload {
                case .text(let text): try await task.send(.string(text))
                case .binary(let data): try await task.send(.data(data))
                }
            } catch {
                throw mapped(error)
            }
        }

        func ping() async throws {
            let task = try task()
            // The handler may be called twice if the task is cancelled meanwhile.
            let waiting = Locked<CheckedContinuation<Void, any Error>?>(nil)
            let answer: @Sendable ((any Error)?) -> Void = { error in
                let continuation = waiting.withLock { $0.take() }
                if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiting.withLock { $0 = continuation }
                    task.sendPing { error in answer(error.map { self.mapped($0) }) }
                    if Task.isCancelled { answer(CancellationError()) }
                }
            } onCancel: {
                answer(CancellationError())
            }
        }

        func close(code: UInt16, reason: Data) {
            let task = state.withLock { state in
                state.isClosing = true
                return state.task
            }
            // Application codes are not cases of Apple's enum, which accepts them as raw values.
            task?.cancel(with: URLSessionWebSocketTask.CloseCode(rawValue: Int(code)) ?? .normalClosure, reason: reason)
        }

        var closure: (code: UInt16, reason: String) {
            guard let task = state.withLock(\.task), task.closeCode != .invalid,
                let code = UInt16(exactly: task.closeCode.rawValue)
            else { return (1006, "") }
            return (code, task.closeReason.flatMap { String(data: $0, encoding: .utf8) } ?? "")
        }

        /// Drops the connection; if a Close frame is on its way, a second later, since URLSession does not say when it is sent.
        func cancel() {
            guard let task = state.withLock({ $0.isClosing ? $0.task : nil }) else {
                return end { $0.invalidateAndCancel() }
            }
            end { session in
                session.finishTasksAndInvalidate()
                DispatchQueue.global().asyncAfter(deadline: .now() + 1) { task.cancel() }
            }
        }
    }

    /// The caller's reference to a socket. Releasing it drops the connection, since the session holds the socket itself.
    final class URLSessionSocketHandle: WebSocketTasking {
        private let socket: URLSessionSocket

        init(_ socket: URLSessionSocket) { self.socket = socket }

        deinit { socket.cancel() }

        func receive() async throws -> WebSocketPayload? { try await socket.receive() }
        func send(_ payload: WebSocketPayload) async throws { try await socket.send(payload) }
        func ping() async throws { try await socket.ping() }
        func close(code: UInt16, reason: Data) { socket.close(code: code, reason: reason) }
        var closure: (code: UInt16, reason: String) { socket.closure }
        func cancel() { socket.cancel() }
    }

    extension URLSessionTransport: UpgradingTransport {
        /// Opens a WebSocket with `URLSessionWebSocketTask`, in a session of its own with the same settings. It supports no other protocol.
        package func upgrade(_ request: URLRequest, context: RequestContext) async throws -> TransportResponse {
            try Task.checkCancellation()
            try check(request, context)
            let advice = "Use server-sent events, long polling or requests."
            if !context[WebSocketOnWatchOSKey.self],
                let reason = SystemTraits.refusalOfSockets(for: "A WebSocket", advice)
            {
                throw NetworkError.unsupported(reason)
            }
            guard !context[WebSocketCompressionKey.self] else {
                throw NetworkError.unsupported(
                    "URLSession does not compress messages of a WebSocket. Set isRequired of its compression to false.")
            }
            guard request.value(forHTTPHeaderField: "Upgrade")?.lowercased() == "websocket" else {
                throw NetworkError.unsupported("URLSession can upgrade to WebSockets only.")
            }
            let (settings, security) = try sessions.session.withLock { session in
                guard let session else {
                    throw TransportError(
                        .shutDown, phase: .preparing, message: SessionBox.closedMessage, url: request.url)
                }
                guard let delegate = session.delegate as? SessionDelegate else {
                    throw NetworkError.unsupported(
                        "A WebSocket cannot ask the delegate of a URLSession of yours. Give the transport a configuration."
                    )
                }
                return (session.configuration, delegate.security)
            }
            sessions.announce(in: context)
            let prepared = try Self.webSocketRequest(request)
            let socket = URLSessionSocket(
                prepared, settings: settings, security: security,
                showsCertificate: ClientCertificateScope(configuration)?.includes(request.url, context) ?? false,
                context: context)
            // Bounds the handshake, since the session's own timers do not. The caller enforces the call's deadline.
            guard let limit = request.idleTimeout(or: configuration.timeouts.idle) else {
                return try await socket.open()
            }
            guard let response = try await context.clock.run(for: limit, { try await socket.open() }) else {
                socket.cancel()
                throw TransportError(
                    .idleTimeout, phase: .waiting, message: "The handshake took longer than \(limit) s.",
                    url: request.url)
            }
            return response
        }

        /// Returns the request with the scheme of WebSockets, and without the fields that the task sets.
        private static func webSocketRequest(_ request: URLRequest) throws -> URLRequest {
            guard let text = request.url?.absoluteString, text.lowercased().hasPrefix("http"),
                let url = URL(string: "ws" + text.dropFirst(4))
            else { throw NetworkError.invalidURL }
            var request = request
            request.url = url
            for name in ["Upgrade", "Connection"] + ["Key", "Version", "Extensions"].map({ "Sec-WebSocket-\($0)" }) {
                request.setValue(nil, forHTTPHeaderField: name)
            }
            return request
        }
    }
#endif
