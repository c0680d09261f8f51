internal import Dispatch

/// Watches whether the device is online, and over what kind of connection.
///
/// ```swift
/// let monitor = ConnectionMonitor()
/// monitor.reachabilityChanged = { online in print(online ? "online" : "offline") }
///
/// for await status in monitor.statuses {
///     print(status.isReachable, status.interfaceType)
/// }
/// ```
///
/// **What "reachable" means.** On Apple platforms: the path of `NWPathMonitor` is not `unsatisfied`. On Linux: an interface other than
/// loopback is up and has a carrier, and the machine has an address besides those of loopback and the link-local ones of IPv6. Routes are not
/// read, since the server may be in the same network. IPv4 and IPv6 count alike. The monitor sends no packet. So "reachable" does not promise
/// an answer, while "not reachable" means that a request would fail.
///
/// **Unknown.** The status is ``ConnectionStatus/unknown``, which counts as reachable, on watchOS, on Apple's other systems before the first
/// report, on Linux in a sandbox without netlink, and while the monitor is stopped. On watchOS `NWPathMonitor` stays `unsatisfied` for most
/// apps while `URLSession` works (Apple's technical note TN3135), so none is started.
///
/// It watches from the start. When it is released, it stops and ends its streams. It costs nothing while nothing changes. One monitor for
/// the process is enough: ``shared``.
public final class ConnectionMonitor: ConnectionMonitoring {
    typealias Handler = @Sendable (Bool) -> Void

    private struct State {
        var isMonitoring = false
        /// The number of starts and stops, which identifies late reports of an earlier start.
        var generation: UInt64 = 0
        var stop: (@Sendable () -> Void)?
        /// The last status of the source; nil before its first report.
        var observed: ConnectionStatus?
        /// The status that the properties and streams show.
        var published = ConnectionStatus.unknown
        /// Waits for a change to last. It publishes nothing if it is no longer here.
        var settling: Task<Void, Never>?
        var settlingID: UInt64 = 0
        var handler: Handler?
        var lastHandled: Bool?
    }

    /// The monitor of the process, made and started at the first use.
    public static let shared = ConnectionMonitor()

    private let state = Locked(State())
    private let broadcast = Broadcast<ConnectionStatus>()
    private let debounce: TimeInterval
    private let clock: any NetworkClock
    private let source: StatusSource
    /// Serial, so that closures are called in the order of the changes.
    private let queue = DispatchQueue(label: "networking.connectionMonitor")

    /// Creates and starts a monitor.
    ///
    /// - Parameters:
    ///   - debounce: the time that a change must last before it is reported, in seconds. A link that flaps and is back in time gives no event. Zero
    ///     (the default), negative numbers, infinity and NaN report every change at once. The first status after a start never waits.
    ///   - clock: the clock that measures it.
    public convenience init(debounce: TimeInterval = 0, clock: any NetworkClock = .system) {
        self.init(debounce: debounce, clock: clock, source: platformStatus)
    }

    init(debounce: TimeInterval, clock: any NetworkClock, source: @escaping StatusSource) {
        self.debounce = debounce > 0 && debounce.isFinite ? debounce : 0
        self.clock = clock
        self.source = source
        startMonitoring()
    }

    deinit {
        let (stop, settling) = state.withLock { ($0.stop, $0.settling) }
        stop?()
        settling?.cancel()
    }

    // MARK: Status

    /// Whether the network can be reached. True while the status is unknown.
    public var isReachable: Bool { state.withLock { $0.published.isReachable } }

    /// The status, as of one moment.
    public var status: ConnectionStatus { state.withLock { $0.published } }

    /// The kind of connection in use.
    public var interfaceType: ConnectionType { status.interfaceType }

    // MARK: Changes

    /// Called with ``isReachable`` as soon as it is known, and on each change: on the queue `networking.connectionMonitor`, one call at a time.
    public var reachabilityChanged: (@Sendable (Bool) -> Void)? {
        get { state.withLock { $0.handler } }
        set {
            // The old closure is released outside of the lock: what it holds may call the monitor.
            let old = state.withLock { state in
                defer { callHandler(&state) }
                let old = state.handler
                state.handler = newValue
                state.lastHandled = nil
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The status now, and then each change. Each reading of the property gives a new stream, which keeps the newest status for a slow
    /// reader. It does not keep the monitor alive, and ends with it. A stop does not end it.
    public var statuses: AsyncStream<ConnectionStatus> {
        state.withLock { broadcast.stream(bufferingNewest: 1, first: $0.published) }
    }

    // MARK: Start and stop

    /// Whether the monitor is started.
    public var isMonitoring: Bool { state.withLock { $0.isMonitoring } }

    /// Starts the monitor again after a stop. Does nothing if it is started, as it is from the beginning.
    public func startMonitoring() {
        let generation = state.withLock { state -> UInt64? in
            guard !state.isMonitoring else { return nil }
            state.isMonitoring = true
            state.generation &+= 1
            return state.generation
        }
        guard let generation else { return }
        let stop = source { [weak self] status in self?.receive(status, generation: generation) }
        let isWanted = state.withLock { state in
            guard state.generation == generation else { return false }
            state.stop = stop
            return true
        }
        if !isWanted { stop() }
    }

    /// Stops the monitor and releases the system's resources. The status becomes ``ConnectionStatus/unknown``, without a call of
    /// ``reachabilityChanged``. Does nothing if it is stopped.
    public func stopMonitoring() {
        let (stop, settling) = state.withLock { state -> ((@Sendable () -> Void)?, Task<Void, Never>?) in
            guard state.isMonitoring else { return (nil, nil) }
            state.isMonitoring = false
            state.generation &+= 1
            state.observed = nil
            state.lastHandled = nil
            publish(.unknown, in: &state)
            return (state.stop.take(), state.settling.take())
        }
        settling?.cancel()
        stop?()
    }

    // MARK: Reports

    private func receive(_ status: ConnectionStatus, generation: UInt64) {
        // Cancelled outside of the lock, since that runs code of the clock.
        let outdated = state.withLock { state -> Task<Void, Never>? in
            guard state.generation == generation, state.observed != status else { return nil }
            let isFirst = state.observed == nil
            state.observed = status
            let outdated = state.settling.take()
            if isFirst || debounce == 0 {
                publish(status, in: &state)
            } else if status != state.published {
                settle(&state)
            }
            return outdated
        }
        outdated?.cancel()
    }

    /// Publishes the observed status once it has lasted.
    private func settle(_ state: inout State) {
        state.settlingID &+= 1
        let id = state.settlingID
        state.settling = Task { [weak self, clock, debounce] in
            guard (try? await clock.sleep(for: debounce)) != nil, let self else { return }
            self.state.withLock { state in
                guard state.settlingID == id, state.settling != nil, let observed = state.observed else { return }
                state.settling = nil
                self.publish(observed, in: &state)
            }
        }
    }

    private func publish(_ status: ConnectionStatus, in state: inout State) {
        if status != state.published {
            state.published = status
            broadcast.send(status)
        }
        callHandler(&state)
    }

    /// Under the lock, so that the queue gets the calls in the order of the changes.
    private func callHandler(_ state: inout State) {
        let isReachable = state.published.isReachable
        guard state.observed != nil, state.lastHandled != isReachable, let handler = state.handler else { return }
        state.lastHandled = isReachable
        queue.async { [weak self, generation = state.generation] in
            guard let self, self.state.withLock({ $0.generation == generation }) else { return }
            handler(isReachable)
        }
    }
}

/// Reports the status to a ``ConnectionMonitor``: the system, or a test. It starts when it is called, and returns a function that stops it.
///
/// The first report may come before it returns. Reports are in order, one at a time, and may repeat a status. A report in progress may still
/// arrive after the stop.
typealias StatusSource = @Sendable (_ report: @escaping @Sendable (ConnectionStatus) -> Void) -> @Sendable () -> Void

#if !os(Linux) && !canImport(Network)
    /// Unknown. Other platforms, such as Android, keep apps from netlink.
    func platformStatus(_ report: @escaping @Sendable (ConnectionStatus) -> Void) -> @Sendable () -> Void {
        report(.unknown)
        return {}
    }
#endif

/// The facade's default monitor. It has the status of ``ConnectionMonitor/shared``, and refuses requests only where an attempt would take
/// long to fail.
///
/// On Apple platforms it refuses no request, since `URLSession` reports at once that the device is offline. On Linux it refuses a request
/// to a host that is not local while the machine is offline, since a resolver may take 30 seconds to fail. Give a client
/// ``ConnectionMonitor/shared`` to refuse requests on all systems.
public struct DefaultConnectionMonitor: ConnectionMonitoring {
    /// Creates a default monitor. All are equal.
    public init() {}

    /// Whether the network can be reached, by the shared monitor.
    public var isReachable: Bool { ConnectionMonitor.shared.isReachable }

    public var status: ConnectionStatus { ConnectionMonitor.shared.status }

    /// The status now, and then each change.
    public var statuses: AsyncStream<ConnectionStatus> { ConnectionMonitor.shared.statuses }

    var refuses: Bool {
        #if canImport(Darwin)
            false
        #else
            !isReachable
        #endif
    }
}

extension ConnectionMonitoring where Self == DefaultConnectionMonitor {
    /// The monitor of ``NetworkManager``'s configuration, or else the default one.
    public static var configured: DefaultConnectionMonitor { DefaultConnectionMonitor() }
}
