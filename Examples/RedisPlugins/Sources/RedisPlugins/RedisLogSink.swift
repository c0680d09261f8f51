public import NetCore
public import NetLogging
public import NetworkingRedis

/// Writes log messages to a stream in Redis, where the messages of a whole fleet are in one place, in order of arrival.
///
/// ```swift
/// let sink = RedisLogSink(RedisClient(.tcp(host: "log.internal")))
/// let logger = NetworkLogger(sinks: [sink])
/// ```
///
/// `redis-cli XREAD BLOCK 0 STREAMS network-log '$'` follows it. Only what everybody may see is written
/// (``NetLogging/LogEvent/visibleMessage``).
///
/// A sink may block: it has a queue of its own, and no request waits for it. While Redis is down, messages are lost, and counted in
/// ``NetLogging/NetworkLogger/failureCount``.
public struct RedisLogSink: LogSink {
    private let redis: RedisClient
    private let stream: String
    private let maximumCount: Int
    private let source: String

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - redis: the client. The stream must be on its first node: the sink follows no redirection of a Redis Cluster.
    ///   - stream: the name of the stream in Redis.
    ///   - maximumCount: about how many messages to keep, the newest.
    ///   - source: tells the messages of this server from those of others; by default the name of the machine.
    public init(
        _ redis: RedisClient, stream: String = "network-log", maximumCount: Int = 100_000,
        source: String = ProcessInfo.processInfo.hostName
    ) {
        self.redis = redis
        self.stream = stream
        self.maximumCount = maximumCount
        self.source = source
    }

    /// Appends a message to the stream.
    ///
    /// - Throws: ``RedisError``.
    public func write(_ event: LogEvent) throws {
        let seconds = event.date.timeIntervalSince1970
        _ = try redis.sendAndWait([
            "XADD", .init(stream), "MAXLEN", "~", "\(max(1, maximumCount))", "*",
            "source", .init(source), "time", "\(seconds)", "level", "\(event.level)", "category", .init(event.category),
            "request", .init(event.requestID.map { "\($0)" } ?? ""), "message", .init(event.visibleMessage),
        ])
    }
}
