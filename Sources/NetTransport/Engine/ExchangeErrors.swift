#if os(Linux)
    import NetCore

    /// Makes the errors of exchanges whose connection is open.
    enum ExchangeErrors {
        /// The error that the request's body threw.
        static func bodyFailure(of exchange: HTTPExchange) -> any Error {
            let error = exchange.request.upload.source?.failure
            switch error {
            case let error as NetworkError: return error
            case let error as NetworkFailure: return error
            case let error as TransportError: return error
            default:
                return TransportError(
                    .requestBodyFailed, phase: .sending,
                    message: error.map { "The request's body failed: \($0)" }
                        ?? "The request's body became shorter while it was sent.",
                    url: exchange.url, isUnprocessed: false)
            }
        }

        static func timeout(_ code: TransportError.Code, of exchange: HTTPExchange) -> TransportError {
            let message =
                switch code {
                case .idleTimeout:
                    "No byte was sent or received for \(String(format: "%g", Double(exchange.timeouts.idleLimit ?? 0) / 1e9)) s."
                case .totalTimeout where exchange.phase == .preparing:
                    "The call's time ran out while it waited in the queue."
                default: "The exchange took longer than its total timeout."
                }
            return TransportError(code, phase: exchange.phase, message: message, url: exchange.url)
        }

        static func unaskedUpgrade(of exchange: HTTPExchange) -> TransportError {
            TransportError(
                .protocolError, phase: .receivingHead,
                message: "The server switched protocols, which the request did not ask for.", url: exchange.url)
        }

        /// The error of a response that is not HTTP/1.1.
        static func error(_ error: HTTP1ParseError, of exchange: HTTPExchange) -> TransportError {
            let limits = exchange.engine.configuration.limits
            let message: String =
                switch error {
                case .headTooLarge where exchange.hasHead:
                    "Header section and trailers are over \(limits.headerBytes) bytes."
                case .headTooLarge: "The header section is over \(limits.headerBytes) bytes."
                default: error.message
                }
            var made = TransportError(
                error.code, phase: exchange.hasHead ? .receivingBody : .receivingHead, message: message,
                url: exchange.url)
            // The port is probably one for https.
            if error == .looksLikeTLS, exchange.proxy == nil { made.schemeMismatch = .httpToTLS }
            return made
        }

        /// The error of a connection that ended before the response.
        static func lost(
            _ exchange: HTTPExchange, _ end: Connection.End, hasBegun: Bool, _ cause: HTTP1ParseError? = nil
        ) -> TransportError {
            let isReset = end.osError == ECONNRESET || end.osError == EPIPE
            let code: TransportError.Code =
                if end.isAboutClientCertificate, !exchange.hasHead {
                    .clientCertificateRejected
                } else if isReset {
                    .connectionReset
                } else {
                    exchange.hasHead ? .truncatedBody : .connectionLost
                }
            let phase: TransportError.Phase =
                exchange.hasHead ? .receivingBody : hasBegun ? .receivingHead : exchange.phase
            let message = end.message.isEmpty ? (cause ?? .closedBeforeResponse).message : end.message
            let isUnanswered = !exchange.hasHead && !hasBegun
            return TransportError(
                code, phase: phase, message: message, url: exchange.url,
                isUnprocessed: isUnanswered && exchange.times.sent == 0,
                isStaleConnection: isUnanswered && exchange.isReused)
        }

        /// The error of TLS with the server.
        static func error(_ failure: TLSFailure, of exchange: HTTPExchange, phase: TransportError.Phase)
            -> TransportError
        {
            let message = exchange.proxy.map { "\(failure.message) (through the proxy \($0.name))" } ?? failure.message
            var error = TransportError(failure.code, phase: phase, message: message, url: exchange.url)
            // A proxy may have another scheme than the URL.
            if exchange.proxy == nil {
                error.schemeMismatch = SchemeMismatch(message: failure.message, isTLS: exchange.request.target.isHTTPS)
            }
            return error
        }

        static func proxyFailure(of exchange: HTTPExchange, _ reason: String) -> TransportError {
            TransportError(
                .proxyFailed, phase: .connecting,
                message: "The proxy \(exchange.proxy?.name ?? "") failed: \(reason)", url: exchange.url)
        }
    }
#endif
