public import NetCore

/// A connection monitor that says what a test wants: switches the network off and on again.
///
/// ```swift
/// let monitor = MockConnectionMonitor(isReachable: false)
/// let client = NetworkClient(
///     transport: StubTransport { _, _, _ in TransportResponse(status: 200, url: nil) },
///     resilience: Resilience(offline: .wait(timeout: 30)), connectionMonitor: monitor)
/// let task = Task { try await client.data(for: URLRequest(url: URL(string: "https://service.example")!)) }
/// try await monitor.waitForListeners()  // the request waits to be online
/// monitor.isReachable = true
/// let (data, _) = try await task.value
/// ```
///
/// A client lets requests to loopback through while it is offline, so a ``MockServer`` is always reached: take ``StubTransport``, or
/// another host's name, to see one held back.
public final class MockConnectionMonitor: ConnectionMonitoring {
    private struct State {
        var status: ConnectionStatus
        var streams: [UInt64: AsyncStream<ConnectionStatus>.Continuation] = [:]
        var lastStream: UInt64 = 0
        var isFinished = false
    }

    private let state: ConditionLock<State>

    /// A monitor that says this until it is told otherwise.
    public init(_ status: ConnectionStatus) {
        state = ConditionLock(State(status: status))
    }

    /// A monitor of which only this is known.
    public convenience init(isReachable: Bool = true) {
        self.init(ConnectionStatus(isReachable: isReachable))
    }

    deinit { finish() }

    /// What is known of the network. Each value that is set goes to the readers of ``statuses``, also one that is no change.
    public var status: ConnectionStatus {
        get { state.read { $0.status } }
        set {
            state.update { state in
                state.status = newValue
                for stream in state.streams.values { stream.yield(newValue) }
            }
        }
    }

    /// Whether there is a way out. Setting it says that nothing else is known.
    public var isReachable: Bool {
        get { status.isReachable }
        set { status = ConnectionStatus(isReachable: newValue) }
    }

    /// The status now, and then each that is set: a stream for each reader. To one who is slow it gives the newest.
    public var statuses: AsyncStream<ConnectionStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionStatus.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.update { state in
            state.lastStream += 1
            continuation.yield(state.status)
            if state.isFinished { continuation.finish() } else { state.streams[state.lastStream] = continuation }
            return state.lastStream
        }
        // Whoever finishes a stream has taken it out already: here it is the reader that has gone.
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.update { $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    /// How many read ``statuses`` now: a request that waits to be online is one.
    public var listeners: Int { state.read { $0.streams.count } }

    /// Waits until so many read ``statuses``.
    ///
    /// - Parameters:
    ///   - count: how many at least.
    ///   - timeout: how many seconds of real time to wait at most.
    /// - Throws: `CancellationError`, or ``NetTestingError/timedOut(seconds:)``.
    public func waitForListeners(count: Int = 1, timeout: TimeInterval = 60) async throws {
        try await state.wait(timeout: timeout) { $0.streams.count >= count ? () : nil }
    }

    /// Ends the streams, and those that are asked for later after their first status: there is no more news.
    public func finish() {
        let streams = state.update { state in
            state.isFinished = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}
