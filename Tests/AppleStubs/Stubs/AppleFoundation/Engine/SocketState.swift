/// What a WebSocket's callers and its thread have in common.
final class SocketState: @unchecked Sendable {
    typealias Message = URLSessionWebSocketTask.Message

    private let lock = NSLock()
    private var limit = 1 << 20
    private var outgoing: [(Data, ((any Error)?) -> Void)] = []
    private var messages: [Message] = []
    private var receivers: [(Result<Message, any Error>) -> Void] = []
    private var pongs: [((any Error)?) -> Void] = []
    private var closed: (code: Int, reason: Data?)?
    private var end: (any Error)?
    private var isOpen = false
    private var closing = false
    private var wake: (() -> Void)?

    var maximumMessageSize: Int {
        get { lock.withLock { limit } }
        set { lock.withLock { limit = newValue } }
    }

    var closure: (code: Int, reason: Data?)? { lock.withLock { closed } }

    /// Whether a close frame was queued by us.
    var isClosing: Bool { lock.withLock { closing } }

    // MARK: For callers

    func send(_ message: Message, _ completion: @escaping ((any Error)?) -> Void) {
        switch message {
        case .string(let text): queue(SocketFrames.frame(.text, Data(text.utf8)), completion)
        case .data(let data): queue(SocketFrames.frame(.binary, data), completion)
        @unknown default: completion(URLError(.unknown))
        }
    }

    func ping(_ completion: @escaping ((any Error)?) -> Void) {
        let end = lock.withLock {
            if self.end == nil { pongs.append(completion) }
            return self.end
        }
        if let end { return completion(end) }
        queue(SocketFrames.frame(.ping, Data())) { _ in }
    }

    func receive(_ receiver: @escaping (Result<Message, any Error>) -> Void) {
        let known: Result<Message, any Error>? = lock.withLock {
            if !messages.isEmpty { return .success(messages.removeFirst()) }
            if let end { return .failure(end) }
            receivers.append(receiver)
            return nil
        }
        if let known { receiver(known) } else { lock.withLock { wake }?() }
    }

    /// False if it is not open.
    func close(_ code: Int, reason: Data?) -> Bool {
        let isOpen = lock.withLock {
            guard self.isOpen, end == nil, !closing else { return self.isOpen }
            closing = true
            outgoing.append((SocketFrames.close(code, reason), { _ in }))
            return true
        }
        lock.withLock { wake }?()
        return isOpen
    }

    private func queue(_ frame: Data, _ completion: @escaping ((any Error)?) -> Void) {
        let (end, wake) = lock.withLock {
            // Nothing may follow a close frame.
            let end = self.end ?? (closing ? POSIXError(.ENOTCONN) : nil)
            if end == nil { outgoing.append((frame, completion)) }
            return (end, self.wake)
        }
        if let end { completion(end) } else { wake?() }
    }

    // MARK: For the thread

    func open(_ wake: @escaping () -> Void) {
        lock.withLock {
            isOpen = true
            self.wake = wake
        }
    }

    func takeOutgoing() -> (Data, ((any Error)?) -> Void)? {
        lock.withLock { outgoing.isEmpty ? nil : outgoing.removeFirst() }
    }

    /// Whether more may be read: nobody reads ahead for ever.
    var wantsMessages: Bool { lock.withLock { messages.count < 64 } }

    func deliver(_ message: Message) {
        let receiver: ((Result<Message, any Error>) -> Void)? = lock.withLock {
            guard receivers.isEmpty else { return receivers.removeFirst() }
            messages.append(message)
            return nil
        }
        receiver?(.success(message))
    }

    func deliverPong() {
        let pong = lock.withLock { pongs.isEmpty ? nil : pongs.removeFirst() }
        pong?(nil)
    }

    /// The peer has said goodbye.
    func noteClosure(_ code: Int, _ reason: Data?) {
        lock.withLock {
            if closed == nil { closed = (code, reason) }
            closing = true
        }
    }

    func finish(_ error: any Error) {
        let (outgoing, receivers, pongs) = lock.withLock {
            end = end ?? error
            wake = nil
            defer { (self.outgoing, self.receivers, self.pongs) = ([], [], []) }
            return (self.outgoing, self.receivers, self.pongs)
        }
        outgoing.forEach { $0.1(error) }
        receivers.forEach { $0(.failure(error)) }
        pongs.forEach { $0(error) }
    }
}
