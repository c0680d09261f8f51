public import NetCore

/// How an event stream is read, and when it is connected to again.
public struct ServerSentEventsConfiguration: Hashable, Sendable {
    /// Which requests are sent again when their event stream has ended.
    public enum Reconnection: Hashable, Sendable {
        /// None: the sequence ends with the response.
        case never
        /// Those whose method is safe, such as GET. One that makes the server do something (a POST that asks for a completion) is not
        /// repeated.
        case safeMethods
        /// All. A body has to be replayable.
        case always
    }

    /// Sent as `Last-Event-ID` with the first request, if it is not empty: the ID of the last event that was seen earlier.
    public var lastEventID = ""
    /// Which requests are sent again when their event stream has ended.
    public var reconnection = Reconnection.safeMethods
    /// How long to wait before that, in seconds, until the server says otherwise by `retry`. At least 0.1 s are waited, or a server that
    /// ends each stream at once would be asked without a pause.
    public var reconnectionTime: TimeInterval = 3
    /// How long to wait before that, if it is longer, after an attempt to connect that failed. `Retry-After` makes it longer as well.
    public var backoff = RetryDelay.exponential(base: 1, multiplier: 2, jitter: 0.1, maximum: 60)
    /// The sequence fails with the failure of that many attempts to connect in a row; less than one counts as one. Each event stream
    /// that is opened begins a new count.
    public var maxConsecutiveErrors = 10
    /// The most bytes of the data of one event, and of any line. A larger one ends the sequence with
    /// ``NetworkError/responseTooLarge(limit:)``.
    public var maximumEventSize = 8 << 20
    /// Data that ends the sequence, and is not given: `[DONE]` for APIs in OpenAI's style; nil for none.
    public var endMarker: String?

    /// What browsers do: safe requests are sent again after 3 s, or what the server says.
    public init() {}

    /// One response, whose end is marked by `[DONE]`: for chat completions and the like.
    public static let completions: ServerSentEventsConfiguration = {
        var configuration = ServerSentEventsConfiguration()
        configuration.reconnection = .never
        configuration.endMarker = "[DONE]"
        return configuration
    }()
}
