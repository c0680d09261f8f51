#if canImport(os)
    public import NetCore
    import os

    /// Shows calls and exchanges as intervals in Instruments (template *Logging*, instrument *os_signpost*), with Apple's `OSSignposter`.
    ///
    /// ```
    /// let client = NetworkClient(callInterceptors: [SignpostInterceptor()])
    /// ```
    ///
    /// The interval *Call* lasts until the caller has read or released the body, and *Exchange* until the transport has the head of a response or
    /// an error. A retry and a notice are events. Hosts and paths are private; methods, statuses and error codes are public. It costs little
    /// while nothing records.
    public struct SignpostInterceptor: CredentialFreeInterceptor {
        private let signposter: OSSignposter

        /// Creates an interceptor for one subsystem and category, by which Instruments filters.
        public init(
            subsystem: String = NetworkLogger.defaultSubsystem, category: String = NetworkLogger.defaultCategory
        ) { signposter = OSSignposter(subsystem: subsystem, category: category) }

        public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
            guard signposter.isEnabled else { return try await next(request) }
            let (signposter, id) = (signposter, signposter.makeSignpostID())
            let (method, address) = Self.parts(of: request)
            let interval = signposter.beginInterval(
                "Call", id: id,
                "\(next.context.id.description, privacy: .public) \(method, privacy: .public) \(address)")
            var next = next
            next.context.observers.append(ExchangeSignposts(signposter, id))
            do {
                var response = try await next(request)
                let status = response.status
                response.body = response.body.watched { reading in
                    let end = reading.error.map { NetworkError($0).errorType } ?? "\(reading.bytes) bytes"
                    signposter.endInterval(
                        "Call", interval, "\(String(status), privacy: .public) \(end, privacy: .public)")
                }
                return response
            } catch {
                signposter.endInterval("Call", interval, "\(NetworkError(error).errorType, privacy: .public)")
                throw error
            }
        }

        /// The method, and the host and path, which are private.
        fileprivate static func parts(of request: URLRequest) -> (method: String, address: String) {
            (request.httpMethod ?? "GET", (request.url?.host ?? "") + (request.url?.path ?? ""))
        }
    }

    /// Shows the exchanges of one call.
    private final class ExchangeSignposts: NetworkEventObserver {
        private let signposter: OSSignposter
        private let call: OSSignpostID
        private let running = Locked<[UInt64: OSSignpostIntervalState]>([:])

        init(_ signposter: OSSignposter, _ call: OSSignpostID) {
            self.signposter = signposter
            self.call = call
        }

        var observesSteps: Bool { false }

        func observe(_ event: NetworkEvent) {
            switch event.kind {
            case .sending(let request, _):
                let (method, address) = SignpostInterceptor.parts(of: request)
                let interval = signposter.beginInterval(
                    "Exchange", id: signposter.makeSignpostID(),
                    "\(method, privacy: .public) \(address), attempt \(String(event.attempt), privacy: .public)")
                running.withLock { $0[event.exchange ?? 0] = interval }
            case .responded(let response): end(event, String(response.status))
            case .failed(let error): end(event, NetworkError(error).errorType)
            case .retrying(let retry):
                signposter.emitEvent("Retry", id: call, "\(retry.reason.rawValue, privacy: .public)")
            case .notice(let text): signposter.emitEvent("Notice", id: call, "\(text)")
            case .step: break
            }
        }

        private func end(_ event: NetworkEvent, _ outcome: String) {
            guard let interval = running.withLock({ $0.removeValue(forKey: event.exchange ?? 0) }) else { return }
            signposter.endInterval("Exchange", interval, "\(outcome, privacy: .public)")
        }
    }
#endif
