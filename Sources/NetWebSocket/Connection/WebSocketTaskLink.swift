import NetCore

/// A WebSocket of the platform, which frames and answers pings by itself.
struct WebSocketTaskLink: WebSocketLink {
    private let task: any WebSocketTasking
    private let maximumMessageSize: Int

    init(_ task: any WebSocketTasking, maximumMessageSize: Int) {
        self.task = task
        self.maximumMessageSize = maximumMessageSize
    }

    func receive() async throws -> WebSocketMessage? {
        do {
            return try await task.receive().map(WebSocketMessage.init)
        } catch let error as NSError where error.domain == NSPOSIXErrorDomain && error.code == Int(EMSGSIZE) {
            // How URLSession says that a message is over its limit.
            throw WebSocketError.tooLarge(limit: maximumMessageSize)
        }
    }

    func send(_ message: WebSocketMessage) async throws {
        try await task.send(message.payload)
    }

    func ping() async throws {
        try await task.ping()
    }

    func close(_ closure: WebSocketClosure) async throws {
        let payload = closure.payload
        task.close(
            code: closure.code.isSendable ? closure.code.rawValue : WebSocketCloseCode.normalClosure.rawValue,
            reason: Data(payload.dropFirst(2)))
    }

    func leave(after failure: (any Error)?) async {
        if let code = (failure as? WebSocketError)?.closeCode {
            try? await close(WebSocketClosure(code: code))
        } else {
            task.cancel()
        }
    }

    func drop() {
        task.cancel()
    }

    var closure: WebSocketClosure {
        let (code, reason) = task.closure
        return WebSocketClosure(code: WebSocketCloseCode(rawValue: code), reason: reason)
    }
}
