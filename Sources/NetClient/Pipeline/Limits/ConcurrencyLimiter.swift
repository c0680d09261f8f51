public import NetCore

/// Sends no more than so many requests to one host at the same time; the others wait in line.
///
/// ```swift
/// let client = NetworkClient(interceptors: [ConcurrencyLimiter(maxConcurrentPerHost: 4)])
/// ```
///
/// - **Host** means scheme, host and port.
/// - **A place is held until the response's body has ended**, failed or was let go, not until its head has come. So read a
///   streamed body, or let go of the response: one that is kept unread keeps its place, as it keeps its connection.
/// - **Order:** by ``RequestContext/priority``, within one by arrival. After seven places in a row that went to somebody who came
///   later, the next goes to who has waited longest: a flood of urgent requests slows the others and does not starve them.
/// - **Time in line** is not part of the request's own timeout, which starts in the transport, but of the call's
///   ``RequestContext/deadline``: when that passes, the call ends with ``NetworkError/timeout``, and ``LimitExceeded`` beneath it.
/// - **Cancelling** a call that waits ends it at once; the places of the others stay as they are.
///
/// A request that makes another one to the same host and waits for it holds its place meanwhile: with few places that can
/// wait for ever. Put what does such a thing outside of this. Only the requests with which authentication gets new credentials need
/// no place, since those that wait for the credentials may hold them all.
public final class ConcurrencyLimiter: HTTPInterceptor {
    private struct Host {
        var active = 0
        var line = WaitingLine<CheckedContinuation<Void, any Error>>()
    }

    private struct State {
        /// Hosts without a request are not kept.
        var hosts: [Origin: Host] = [:]
        var lastID: UInt64 = 0
    }

    /// How many requests to a host are under way at the most.
    public let maxConcurrentPerHost: Int
    /// How many requests to a host may wait; nil for any number.
    public let maxWaitingPerHost: Int?

    private let state = Locked(State())

    /// A limiter.
    ///
    /// - Parameters:
    ///   - maxConcurrentPerHost: how many requests to a host are under way at the most; less than one counts as one.
    ///   - maxWaitingPerHost: how many may wait for a place. One more fails at once with ``LimitExceeded``. Nil is no limit.
    public init(maxConcurrentPerHost: Int, maxWaitingPerHost: Int? = nil) {
        self.maxConcurrentPerHost = max(1, maxConcurrentPerHost)
        self.maxWaitingPerHost = maxWaitingPerHost.map { max(0, $0) }
    }

    /// How many requests to the URL's host are under way.
    public func activeCount(for url: URL) -> Int {
        guard let origin = url.origin else { return 0 }
        return state.withLock { $0.hosts[origin]?.active ?? 0 }
    }

    /// How many requests wait for a place at the URL's host.
    public func waitingCount(for url: URL) -> Int {
        guard let origin = url.origin else { return 0 }
        return state.withLock { $0.hosts[origin]?.line.count ?? 0 }
    }

    /// Sends the request on when it has a place.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let origin = request.url?.origin else { return try await next(request) }
        if !takeFreePlace(at: origin) {
            // Those who hold the places may be waiting for the credentials that this one is to bring.
            if RefreshScope.isActive { return try await next(request) }
            try await waitForPlace(at: origin, request, next.context)
        }
        var response: TransportResponse
        do {
            response = try await next(request)
        } catch {
            leave(origin)
            throw error
        }
        if case .stream = response.body.source {
            response.body = response.body.holding(ConcurrencyPlace { [self] in leave(origin) })
        } else {
            leave(origin)
        }
        return response
    }

    // MARK: Places

    private func takeFreePlace(at origin: Origin) -> Bool {
        state.withLock { takeFreePlace(at: origin, in: &$0) }
    }

    private func takeFreePlace(at origin: Origin, in state: inout State) -> Bool {
        guard let index = state.hosts.index(forKey: origin) else {
            state.hosts[origin] = Host(active: 1)
            return true
        }
        guard state.hosts.values[index].active < maxConcurrentPerHost else { return false }
        state.hosts.values[index].active += 1
        return true
    }

    /// Gives a place back: to who is next in line, if there is somebody.
    private func leave(_ origin: Origin) {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard let index = state.hosts.index(forKey: origin) else { return nil }
            if let next = state.hosts.values[index].line.popNext() { return next }
            state.hosts.values[index].active -= 1
            if state.hosts.values[index].active <= 0 { state.hosts.remove(at: index) }
            return nil
        }
        next?.resume()
    }

    // MARK: The line

    private func waitForPlace(at origin: Origin, _ request: URLRequest, _ context: RequestContext) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await context.waitInLine(
            of: .concurrency, at: origin, for: request,
            enter: { [self] in enter(origin, id: id, priority: context.priority, $0) },
            quit: { [self] in quit(origin, id: id) })
    }

    private func enter(
        _ origin: Origin, id: UInt64, priority: RequestPriority, _ continuation: CheckedContinuation<Void, any Error>
    ) -> LineEntry {
        state.withLock { state in
            // `onCancel` may have run before this, and found nobody; it runs only after the flag is set. So a task that was
            // cancelled in time is seen here, and one that is cancelled from now on is found in the line.
            if Task.isCancelled { return .cancelled }
            if takeFreePlace(at: origin, in: &state) { return .granted }
            guard let index = state.hosts.index(forKey: origin) else { return .cancelled }
            if let maxWaitingPerHost, state.hosts.values[index].line.count >= maxWaitingPerHost { return .full }
            state.hosts.values[index].line.append(continuation, id: id, priority: priority)
            return .waiting
        }
    }

    private func quit(_ origin: Origin, id: UInt64) {
        let waiter = state.withLock { $0.hosts[origin]?.line.remove(id) }
        waiter?.resume(throwing: CancellationError())
    }
}
