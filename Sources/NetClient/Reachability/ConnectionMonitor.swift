internal import Dispatch
public import NetCore

/// Says whether the device is online, over what, and when that changes (seed 000).
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
/// **What "reachable" means.** On Apple's systems: the path of `NWPathMonitor` is not `unsatisfied`. On Linux: there is a
/// default route over an interface that is up and has a carrier, or such an interface has an address of more than local
/// scope, since what is needed may stand in the same network; IPv4 and IPv6 alike, loopback left out. No packet is sent to find out, so
/// "reachable" promises no answer, while "not reachable" means that asking would be in vain.
///
/// **Where the system does not tell** (watchOS; Apple's other systems: before the first report, which takes a moment; Linux: a sandbox
/// without netlink; anywhere: while the monitor is stopped) the status is ``ConnectionStatus/unknown``, which counts as reachable. On
/// watchOS `NWPathMonitor` stays `unsatisfied` for most apps while `URLSession` works (Apple's technical note TN3135), so none is started.
///
/// It watches from the start; `deinit` stops it and ends the streams. It costs nothing while nothing changes. One for the process is
/// enough: ``shared``.
public final class ConnectionMonitor: ConnectionMonitoring {
    typealias Handler = @Sendable (Bool) -> Void

    private struct State {
        var isMonitoring = false
        /// Counts the starts and stops, so that what comes late from before is known.
        var generation: UInt64 = 0
        var source: (any StatusSource)?
        /// What the source said last; nil before it said anything.
        var observed: ConnectionStatus?
        /// What everybody sees.
        var published = ConnectionStatus.unknown
        var settling: Task<Void, Never>?
        var settlingID: UInt64 = 0
        var handler: Handler?
        var lastHandled: Bool?
        var streams: [UInt64: AsyncStream<ConnectionStatus>.Continuation] = [:]
        var lastStream: UInt64 = 0

        /// The task that waits for a change to last; it is not to publish any more.
        mutating func takeSettling() -> Task<Void, Never>? {
            defer { settling = nil }
            return settling
        }
    }

    /// The monitor that everybody may use: made, and started, when it is first asked for.
    public static let shared = ConnectionMonitor()

    private let state = Locked(State())
    private let debounce: TimeInterval
    private let clock: any NetworkClock
    private let makeSource: @Sendable () -> any StatusSource
    /// Serial: closures hear of changes in their order.
    private let queue = DispatchQueue(label: "networking.connectionMonitor")

    /// A monitor, already started.
    ///
    /// - Parameters:
    ///   - debounce: how many seconds a change has to last before anybody is told: a link that flaps and is back in time
    ///     gives no event. Zero, the default, and what is no positive finite number: every change at once. The first status
    ///     after a start never waits.
    ///   - clock: measures it.
    public convenience init(debounce: TimeInterval = 0, clock: any NetworkClock = .system) {
        self.init(debounce: debounce, clock: clock) { platformStatusSource() }
    }

    init(debounce: TimeInterval, clock: any NetworkClock, source: @escaping @Sendable () -> any StatusSource) {
        self.debounce = debounce > 0 && debounce.isFinite ? debounce : 0
        self.clock = clock
        makeSource = source
        startMonitoring()
    }

    deinit {
        let (source, settling, streams) = state.withLock { ($0.source, $0.settling, $0.streams) }
        source?.stop()
        settling?.cancel()
        for stream in streams.values { stream.finish() }
    }

    // MARK: What is known

    /// Whether there is a way out. True also while nothing is known.
    public var isReachable: Bool { state.withLock { $0.published.isReachable } }

    /// All that is known, as of one moment.
    public var status: ConnectionStatus { state.withLock { $0.published } }

    /// What the way out leads over.
    public var interfaceType: ConnectionType { status.interfaceType }

    /// Whether each byte may cost money. See ``ConnectionStatus/isExpensive``.
    public var isExpensive: Bool { status.isExpensive }

    /// Whether the user asked to use little data. See ``ConnectionStatus/isConstrained``.
    public var isConstrained: Bool { status.isConstrained }

    // MARK: News

    /// Called with what ``isReachable`` is as soon as that is known, and then whenever it changes: on the queue
    /// `networking.connectionMonitor`, one call at a time. Nil for nobody.
    public var reachabilityChanged: (@Sendable (Bool) -> Void)? {
        get { state.withLock { $0.handler } }
        set {
            // The old one is released outside of the lock: what it holds may call us when it goes.
            let old = state.withLock { state in
                defer { tellHandler(&state) }
                let old = state.handler
                state.handler = newValue
                state.lastHandled = nil
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The status now, and then each change. A stream for each reader; it keeps the newest status for one who is slow, does not keep the
    /// monitor alive, and ends with it. A stop does not end it.
    public var statuses: AsyncStream<ConnectionStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionStatus.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            continuation.yield(state.published)
            return state.lastStream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.streams[id] = nil }
        }
        return stream
    }

    // MARK: Start and stop

    /// Whether it watches.
    public var isMonitoring: Bool { state.withLock { $0.isMonitoring } }

    /// Watches, again after a stop. Does nothing if it does already, as it does from the beginning.
    public func startMonitoring() {
        let generation = state.withLock { state -> UInt64? in
            guard !state.isMonitoring else { return nil }
            state.isMonitoring = true
            state.generation &+= 1
            return state.generation
        }
        guard let generation else { return }
        let source = makeSource()
        source.start { [weak self] status in self?.note(status, generation: generation) }
        let isWanted = state.withLock { state in
            guard state.generation == generation else { return false }
            state.source = source
            return true
        }
        if !isWanted { source.stop() }
    }

    /// Watches no more, and gives back what it held of the system. The status is ``ConnectionStatus/unknown`` from here on;
    /// ``reachabilityChanged`` is not called for that. Does nothing if it does not watch.
    public func stopMonitoring() {
        let (source, settling) = state.withLock { state -> ((any StatusSource)?, Task<Void, Never>?) in
            guard state.isMonitoring else { return (nil, nil) }
            state.isMonitoring = false
            state.generation &+= 1
            let held = (state.source, state.takeSettling())
            state.source = nil
            state.observed = nil
            state.lastHandled = nil
            publish(.unknown, in: &state)
            return held
        }
        settling?.cancel()
        source?.stop()
    }

    // MARK: Taking note

    private func note(_ status: ConnectionStatus, generation: UInt64) {
        // Cancelled outside of the lock: it runs code of the clock's.
        let outdated = state.withLock { state -> Task<Void, Never>? in
            guard state.generation == generation, state.observed != status else { return nil }
            let isFirst = state.observed == nil
            state.observed = status
            let outdated = state.takeSettling()
            if isFirst || debounce == 0 {
                publish(status, in: &state)
            } else if status != state.published {
                settle(&state)
            }
            return outdated
        }
        outdated?.cancel()
    }

    /// Publishes what is observed once it has lasted.
    private func settle(_ state: inout State) {
        state.settlingID &+= 1
        let id = state.settlingID
        state.settling = Task { [weak self, clock, debounce] in
            do { try await clock.sleep(for: debounce) } catch { return }
            self?.publishSettled(id)
        }
    }

    private func publishSettled(_ id: UInt64) {
        state.withLock { state in
            guard state.settlingID == id, state.settling != nil, let observed = state.observed else { return }
            state.settling = nil
            publish(observed, in: &state)
        }
    }

    private func publish(_ status: ConnectionStatus, in state: inout State) {
        if status != state.published {
            state.published = status
            for stream in state.streams.values { stream.yield(status) }
        }
        tellHandler(&state)
    }

    /// Under the lock, so that the queue gets the calls in the order of the changes.
    private func tellHandler(_ state: inout State) {
        let isReachable = state.published.isReachable
        guard state.observed != nil, state.lastHandled != isReachable, let handler = state.handler else { return }
        state.lastHandled = isReachable
        queue.async { [weak self, generation = state.generation] in
            guard let self, self.state.withLock({ $0.generation == generation }) else { return }
            handler(isReachable)
        }
    }
}
