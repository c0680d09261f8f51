public import NetCore

/// A connection monitor whose status a test sets.
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
/// An offline client still sends requests to loopback, such as a ``MockServer``. Use ``StubTransport`` with another host to see one wait.
public final class MockConnectionMonitor: ConnectionMonitoring {
    private struct State {
        var status: ConnectionStatus
        var streams: [UInt64: AsyncStream<ConnectionStatus>.Continuation] = [:]
        var isFinished = false
    }

    private let state: ConditionLock<State>
    private let lastStream = Locked<UInt64>(0)

    public init(_ status: ConnectionStatus) { state = ConditionLock(State(status: status)) }

    public convenience init(isReachable: Bool = true) { self.init(ConnectionStatus(isReachable: isReachable)) }

    deinit { finish() }

    /// The status of the network. ``statuses`` yields each value that is set, even if it does not change.
    public var status: ConnectionStatus {
        get { state.read { $0.status } }
        set {
            state.update { state in
                state.status = newValue
                for stream in state.streams.values { stream.yield(newValue) }
            }
        }
    }

    /// Whether the network is reachable. Setting it resets the rest of the status.
    public var isReachable: Bool {
        get { status.isReachable }
        set { status = ConnectionStatus(isReachable: newValue) }
    }

    /// A new stream of the current status and each later one. A slow reader gets the newest only.
    public var statuses: AsyncStream<ConnectionStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionStatus.self, bufferingPolicy: .bufferingNewest(1))
        let id = lastStream.next()
        state.update { state in
            continuation.yield(state.status)
            if state.isFinished { continuation.finish() } else { state.streams[id] = continuation }
        }
        // The reader is gone. A finished stream was removed before.
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.update { $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    /// The number of readers of ``statuses``. A request that waits to be online is a reader.
    public var listeners: Int { state.read { $0.streams.count } }

    /// Waits until ``statuses`` has at least that many readers.
    ///
    /// - Parameters:
    ///   - count: the number of readers.
    ///   - timeout: the time limit in seconds of real time.
    /// - Throws: `CancellationError`, or ``NetTestingError/timedOut(seconds:)``.
    public func waitForListeners(count: Int = 1, timeout: TimeInterval = 60) async throws {
        try await state.wait(timeout: timeout) { $0.streams.count >= count ? () : nil }
    }

    /// Ends all streams. Later streams end after their first status.
    public func finish() {
        let streams = state.update { state in
            state.isFinished = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}
