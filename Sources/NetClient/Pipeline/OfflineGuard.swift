extension Resilience {
    /// The treatment of requests while the device is offline.
    ///
    /// ```swift
    /// let patient = Resilience.OfflinePolicy.wait(timeout: 30)
    /// let withPrinter = Resilience.OfflinePolicy(.failImmediately, localHosts: ["printer.lan", "*.local"])
    /// ```
    public struct OfflinePolicy: Hashable, Sendable {
        /// The choice between failing and waiting.
        public enum Behavior: Hashable, Sendable {
            /// The request fails with ``NetworkError/noInternetConnection``, without being sent.
            case failImmediately
            /// The request waits until the device is online, as with `waitsForConnectivity` of `URLSession`: at most `timeout` seconds (nil for no
            /// limit), and at most until the call's deadline. It also waits after the transport has reported that the device is offline, whatever
            /// the monitor says: until the monitor reports a change, or at most 1, 2, 4 … 32 s before it is sent again. It fails with
            /// ``NetworkError/noInternetConnection`` after `timeout`, and with ``NetworkError/timeout`` at the deadline.
            case wait(timeout: TimeInterval?)
        }

        /// Whether requests fail or wait.
        public var behavior: Behavior

        /// Hosts that need no internet, so their requests are sent: names and addresses without a port, in any case of letters. `*.local` matches
        /// all names below `local`. Loopback addresses need no entry.
        public var localHosts: [String]

        /// Creates a policy.
        public init(_ behavior: Behavior = .failImmediately, localHosts: [String] = []) {
            self.behavior = behavior
            self.localHosts = localHosts
        }

        /// Requests fail at once. The default.
        public static let failImmediately = Resilience.OfflinePolicy()

        /// Requests wait until the device is online: see ``Behavior/wait(timeout:)``.
        public static func wait(timeout: TimeInterval? = nil, localHosts: [String] = []) -> Resilience.OfflinePolicy {
            Resilience.OfflinePolicy(.wait(timeout: timeout), localHosts: localHosts)
        }

        func isLocal(_ url: URL?) -> Bool {
            guard let url else { return false }
            if url.isLoopback { return true }
            guard !localHosts.isEmpty, let host = url.host.map(Self.bare), !host.isEmpty else { return false }
            return localHosts.contains { pattern in
                let pattern = Self.bare(pattern)
                return pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
            }
        }

        /// In lower case, without the brackets of an address and the final dot of a name.
        private static func bare(_ host: String) -> String {
            var host = Substring(host.asciiLowercased)
            if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
            if host.hasSuffix(".") { host = host.dropLast() }
            return String(host)
        }
    }
}

/// Fails a request before it is sent if the device is offline, or lets it wait.
///
/// It comes after the cache, so that stored responses are served, and before retry, so that waiting costs no attempt.
struct OfflineGuard: ImmediateInterceptor {
    let monitor: any ConnectionMonitoring
    let policy: Resilience.OfflinePolicy
    /// Ends the wait at a shutdown.
    let calls: InFlightCalls
    private let ownMonitor: DefaultConnectionMonitor?

    init(
        monitor: any ConnectionMonitoring, policy: Resilience.OfflinePolicy = .failImmediately,
        calls: InFlightCalls = InFlightCalls()
    ) {
        self.monitor = monitor
        self.policy = policy
        self.calls = calls
        ownMonitor = monitor as? DefaultConnectionMonitor
    }

    func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission {
        isOffline(request.request) ? .waits : .passes(nil)
    }

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard isOffline(request) else { return try await next(request) }
        var next = next
        do {
            try await wait(request, context: next.context)
        } catch let failure as NetworkFailure where failure.cause == .noInternetConnection {
            // The retry engine throws it, unless a hook asks for a retry.
            next.context[OfflineFailureKey.self] = failure
        }
        return try await next(request)
    }

    /// The failure of an attempt while the device is offline; nil if it may be sent. ``intercept(_:next:)`` has decided about the first, number 0.
    func refusal(of request: URLRequest, _ context: RequestContext, attempt: Int) -> NetworkFailure? {
        if attempt == 0 { return context[OfflineFailureKey.self] }
        guard isOffline(request), policy.behavior == .failImmediately else { return nil }
        return failure(.noInternetConnection, request, context)
    }

    /// Whether the call may wait and be sent again after a failure: the transport has reported that the device is offline.
    func waits(after failure: NetworkFailure) -> Bool {
        guard failure.cause == .noInternetConnection, case .wait(let timeout) = policy.behavior,
            failure.networkUnavailableReason != .localNetworkProhibited
        else { return false }
        // NaN counts as zero.
        return timeout.map { $0 > 0 } ?? true
    }

    /// Waits after the transport has reported that the device is offline. Returns whether to send the request again; false after the policy's
    /// timeout.
    ///
    /// - Parameters:
    ///   - waits: the number of such waits of the call before this one.
    ///   - start: the clock's uptime at the first such failure.
    /// - Throws: a failure with ``NetworkError/timeout`` at the call's deadline.
    func waitAgain(_ request: URLRequest, _ context: RequestContext, waits: Int, since start: TimeInterval) async throws
        -> Bool
    {
        guard case .wait(let timeout) = policy.behavior else { return false }
        let left = (timeout ?? .infinity) - (context.clock.uptime - start)
        guard left > 0 else { return false }
        let remaining = context.timeRemaining ?? .infinity
        let limit = min(left, remaining)
        // Without a monitor that knows, only another attempt can tell.
        let isKnown = !monitor.isReachable
        let backoff = TimeInterval(1 << min(waits, 5))
        let pause = isKnown ? .infinity : backoff
        let isOnline = try await isOnline(
            within: min(limit, pause), context, ignoringFirst: !isKnown, pauseWithoutChanges: min(limit, backoff))
        if isOnline != nil || pause < limit { return true }
        guard remaining <= left else { return false }
        throw failure(.timeout, request, context, dueTo: .noInternetConnection)
    }

    private func isOffline(_ request: URLRequest) -> Bool {
        let isOffline = ownMonitor?.refuses ?? !monitor.isReachable
        return isOffline && !policy.isLocal(request.url)
    }

    private func failure(
        _ cause: NetworkError, _ request: URLRequest, _ context: RequestContext, dueTo underlying: NetworkError? = nil
    ) -> NetworkFailure {
        NetworkFailure(
            cause: cause, request: RequestSnapshot(request), underlyingError: underlying, timestamp: context.clock.now)
    }

    private func wait(_ request: URLRequest, context: RequestContext) async throws {
        guard case .wait(let timeout) = policy.behavior else { throw failure(.noInternetConnection, request, context) }
        let remaining = context.timeRemaining ?? .infinity
        let limit = timeout ?? .infinity
        switch try await isOnline(within: min(limit, remaining), context) {
        case true?: return
        case nil where remaining <= limit: throw failure(.timeout, request, context, dueTo: .noInternetConnection)
        case nil: throw failure(.noInternetConnection, request, context)
        case false?:
            throw failure(
                .noInternetConnection, request, context,
                dueTo: .unsupported("The connection monitor reports no changes, so a request cannot wait for them."))
        }
    }

    /// Waits until the monitor reports that the device is online.
    ///
    /// - Parameters:
    ///   - limit: in seconds; NaN counts as zero.
    ///   - ignoringFirst: whether the first report does not count, which is the present status.
    ///   - pauseWithoutChanges: the time to wait if the monitor reports no changes, in seconds; nil for none.
    /// - Returns: false if the monitor reports no changes, and nil at the limit.
    private func isOnline(
        within limit: TimeInterval, _ context: RequestContext, ignoringFirst: Bool = false,
        pauseWithoutChanges: TimeInterval? = nil
    ) async throws -> Bool? {
        let (statuses, clock) = (monitor.statuses, context.clock)
        do {
            return try await calls.run(for: context.pipeline.call) { () -> Bool? in
                guard limit > 0 else { return nil }
                return try await clock.run(for: limit) {
                    var counts = !ignoringFirst
                    for await status in statuses {
                        if status.isReachable, counts { return true }
                        counts = true
                    }
                    // The stream also ends when its reader is cancelled.
                    try Task.checkCancellation()
                    if let pauseWithoutChanges { try await clock.sleep(for: pauseWithoutChanges) }
                    return false
                }
            }
        } catch is CancellationError where (context.timeRemaining ?? .infinity) <= 0 {
            // The call's deadline, which is the limit here, cancelled the wait first. The caller's failure says more.
            return nil
        }
    }
}

/// The failure of the first attempt of a call; nil if the device is online.
enum OfflineFailureKey: RequestContext.Key {
    static let defaultValue: NetworkFailure? = nil
}

/// The failure of an attempt that is not sent while the device is offline. It has no number, since nothing was sent.
struct OfflineRefusal: Error { let failure: NetworkFailure }
