/// Limits the number of concurrent requests to a host. The others wait in line.
///
/// ```swift
/// let client = NetworkClient(interceptors: [ConcurrencyLimiter(maxConcurrentPerHost: 4)])
/// ```
///
/// - **Host** means scheme, host and port.
/// - **A request holds its place until the response's body** has ended, failed or was released. So read a streamed body, or release the
///   response: a response that is kept unread keeps its place, as it keeps its connection.
/// - **The order** in line is that of a ``RateLimiter``. At its deadline a call fails with ``NetworkError/timeout`` over
///   ``LimitExceeded``. Cancelling a waiting call ends it at once.
///
/// A request that waits for another request to the same host holds its place meanwhile: with few places, that can deadlock. Put the interceptor
/// that sends the other request outside of the limiter. Requests that refresh credentials need no place, since the requests that wait for the
/// credentials may hold them all.
public final class ConcurrencyLimiter: HTTPInterceptor {
    private struct Host {
        var active = 0
        var line = WaitingLine<CheckedContinuation<Void, any Error>>()
    }

    /// The most concurrent requests to a host.
    public let maxConcurrentPerHost: Int
    private let maxWaitingPerHost: Int?
    private let hosts = Locked<[Origin: Host]>([:])

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - maxConcurrentPerHost: the most concurrent requests to a host; less than one counts as one.
    ///   - maxWaitingPerHost: the most requests that may wait for a place. One more fails at once with ``LimitExceeded``. Nil sets no limit.
    public init(maxConcurrentPerHost: Int, maxWaitingPerHost: Int? = nil) {
        self.maxConcurrentPerHost = max(1, maxConcurrentPerHost)
        self.maxWaitingPerHost = maxWaitingPerHost.map { max(0, $0) }
    }

    /// The number of requests in flight to the URL's host.
    public func activeCount(for url: URL) -> Int {
        url.origin.flatMap { origin in hosts.withLock { $0[origin]?.active } } ?? 0
    }

    /// The number of requests that wait for a place at the URL's host.
    public func waitingCount(for url: URL) -> Int {
        url.origin.flatMap { origin in hosts.withLock { $0[origin]?.line.count } } ?? 0
    }

    /// Sends the request on when it has a place.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        try await admitAndSend(request, next)
    }

    /// Takes a place, if one is free. A place that a request leaves goes to the next in line, so none is free while requests wait.
    private func takePlace(_ host: inout Host) -> Bool {
        guard host.active < maxConcurrentPerHost else { return false }
        host.active += 1
        return true
    }

    /// Hands a place to the next request in line, or frees it.
    private func leave(_ origin: Origin) {
        let next = hosts.withLock { hosts -> CheckedContinuation<Void, any Error>? in
            guard let index = hosts.index(forKey: origin) else { return nil }
            if let next = hosts.values[index].line.popNext() { return next }
            hosts.values[index].active -= 1
            if hosts.values[index].active <= 0 { hosts.remove(at: index) }
            return nil
        }
        next?.resume()
    }

    private func enter(
        _ host: inout Host, id: UInt64, _ waiter: CheckedContinuation<Void, any Error>,
        priority: RequestContext.Priority
    ) -> LineEntry {
        if takePlace(&host) { return .granted }
        if let maxWaitingPerHost, host.line.count >= maxWaitingPerHost { return .full }
        host.line.append(waiter, id: id, priority: priority)
        return .waiting
    }
}

extension ConcurrencyLimiter: ImmediateInterceptor {
    package func admit(_ request: inout AdmissionRequest, _ next: Next) throws -> Admission {
        guard let origin = request.origin else { return .passes(nil) }
        let isFree = hosts.withLock { takePlace(&$0[origin, default: Host()]) }
        return isFree ? .passes(Admission.Ticket(origin: origin)) : .waits
    }

    package func waitForAdmission(of request: URLRequest, _ next: Next) async throws -> Admission.Ticket? {
        // The requests that hold the places may wait for the credentials that this one brings.
        guard let origin = request.url?.origin, !RefreshScope.isActive else { return nil }
        let priority = next.context.priority
        try await next.context.waitInLine(
            of: .concurrency, at: origin, for: request,
            enter: { [self] id, waiter in
                hosts.withLock { hosts in
                    // An earlier cancellation found no waiter and shows here. A later one finds the waiter in the line.
                    if Task.isCancelled { return .cancelled }
                    return enter(&hosts[origin, default: Host()], id: id, waiter, priority: priority)
                }
            }, quit: { [self] id in hosts.withLock { $0[origin]?.line.remove(id) } })
        return Admission.Ticket(origin: origin)
    }

    package func receive(
        _ response: inout TransportResponse, to request: URLRequest, _ ticket: Admission.Ticket, _ next: Next
    ) {
        guard let origin = ticket.origin else { return }
        if case .stream = response.body.source {
            response.body = response.body.holding(ConcurrencyPlace { [self] in leave(origin) })
        } else {
            leave(origin)
        }
    }

    package func receive(_ error: any Error, of request: URLRequest, _ ticket: Admission.Ticket, _ next: Next) {
        if let origin = ticket.origin { leave(origin) }
    }
}

/// A place that a response's body holds. It is given back once, at the end of the body or when the body is released.
private final class ConcurrencyPlace: Sendable {
    private let release: @Sendable () -> Void
    private let isLeft = OnceFlag()

    init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { leave() }

    func leave() { if isLeft.take() { release() } }
}

extension HTTPBody {
    /// The body, which holds a place until it has ended, failed or was released.
    fileprivate func holding(_ place: ConcurrencyPlace) -> HTTPBody {
        guard case .stream(let makeReader) = source else { return self }
        let holding = Source.stream {
            let read = makeReader()
            return {
                do {
                    let chunk = try await read()
                    if chunk == nil { place.leave() }
                    return chunk
                } catch NetworkError.bodyNotReplayable {
                    // A second reader. The first may still be reading.
                    throw NetworkError.bodyNotReplayable
                } catch {
                    place.leave()
                    throw error
                }
            }
        }
        return HTTPBody(source: holding, length: length, isReplayable: isReplayable)
    }
}
