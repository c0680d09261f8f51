import NetCore

extension Connection {
    /// What every connection of a server uses.
    struct Services: Sendable {
        let dispatcher: Dispatcher
        let journal: Watched<Journal>
        let mailbox: Mailbox
        let keptBody: Int
        let keptRequests: Int
        let sendsContinue: Bool
        /// Nil for plain HTTP.
        let tls: TLSContext?
        let versions: MockHTTPVersions
        let http2: MockHTTP2Settings
    }
}

/// What the loop does with a connection, whatever it speaks.
protocol LoopConnection: AnyObject {
    var number: Int { get }
    var descriptor: Int32 { get }
    /// Whether it wants to read, and there is something to read that `poll` does not see.
    var hasPendingBytes: Bool { get }
    /// The events of `poll` to wait for.
    var events: Int16 { get }
    /// When ``advance(now:)`` must be called even if nothing happened on the socket.
    var deadline: TimeInterval? { get }
    var isClosed: Bool { get }
    /// What goes on in its place, once the client has chosen HTTP/2.
    var successor: HTTP2Connection? { get }

    /// Takes what `poll` reported.
    func handle(_ events: Int16, now: TimeInterval)
    /// Goes as far as it can without waiting.
    func advance(now: TimeInterval)
    /// The handler's answer. One that comes too late for its request is dropped.
    func receive(_ response: MockResponse, exchange: Int, now: TimeInterval)
    /// Carries out what a test told HTTP/2 connections.
    func carryOut(_ command: HTTP2Command, now: TimeInterval)
    func close(resetting: Bool)
}

extension LoopConnection {
    func close() { close(resetting: false) }
}

/// What a test tells an HTTP/2 connection outside of any response.
enum HTTP2Command: Sendable {
    case goAway(HTTP2ErrorCode, lastStream: Int?)
    case send([MockHTTP2Frame])
}

extension Connection: LoopConnection {
    var isClosed: Bool { phase == .closed }

    /// There is nothing of HTTP/2 here.
    func carryOut(_ command: HTTP2Command, now: TimeInterval) {}
}
