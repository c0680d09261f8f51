import AppleLiberties

/// https://developer.apple.com/documentation/foundation/urlsessionwebsockettask
@available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlsessionwebsockettask/message
    public enum Message: Sendable {
        case data(Data)
        case string(String)
    }

    /// https://developer.apple.com/documentation/foundation/urlsessionwebsockettask/closecode-swift.enum
    ///
    /// In Apple's SDKs it is an enumeration of C, which takes any number: so it is here, where it is a structure.
    public struct CloseCode: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init?(rawValue: Int) { self.rawValue = rawValue }
        private init(_ code: Int) { rawValue = code }

        public static let invalid = CloseCode(0)
        public static let normalClosure = CloseCode(1000)
    }

    let link = SocketState()
    /// On watchOS (TN3135).
    let isBlocked = !FakeSystem.current.allowsLowLevelNetworking

    open var maximumMessageSize: Int {
        get { link.maximumMessageSize }
        set { link.maximumMessageSize = newValue }
    }

    open var closeCode: CloseCode { link.closure.map { CloseCode(rawValue: $0.code) ?? .invalid } ?? .invalid }
    open var closeReason: Data? { link.closure?.reason }

    open func send(_ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        link.send(message) { error in self.session.onDelegateQueue { completionHandler(error) } }
    }

    open func send(_ message: Message) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            link.send(message) { continuation.resume(with: $0.map { .failure($0) } ?? .success(())) }
        }
    }

    open func receive(completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void) {
        link.receive { result in self.session.onDelegateQueue { completionHandler(result) } }
    }

    open func receive() async throws -> Message {
        try await withCheckedThrowingContinuation { continuation in link.receive { continuation.resume(with: $0) } }
    }

    open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        link.ping { error in self.session.onDelegateQueue { pongReceiveHandler(error) } }
    }

    open func cancel(with closeCode: CloseCode, reason: Data?) {
        if !link.close(closeCode.rawValue, reason: reason) { cancel() }
    }
}
