public import NetClient
public import NetCore

/// A circuit breaker whose circuits a whole fleet shares: a host that fails for one server is spared by all.
///
/// ```swift
/// let client = NetworkClient(interceptors: [RedisCircuitBreaker(redis, failureThreshold: 20, resetTimeout: 30)])
/// ```
///
/// The rules, the defaults and the error are those of `CircuitBreaker`, with the state in Redis: one circuit for each scheme, host and port.
/// After ``failureThreshold`` failures in a row, of any servers, it opens, and requests fail with
/// ``NetCore/NetworkError/circuitOpen(host:until:)``. After ``resetTimeout``, one request of the whole fleet is sent as a trial. An attempt that
/// began before the circuit changed does not count. Times are those of the Redis server, so the clocks of the fleet need not agree.
///
/// - **Cost:** each attempt asks Redis once, and once more if it failed or the host has failed before.
/// - **One broken server:** the successes of other servers reset the count, so a server without a network does not open the circuit of a host
///   with traffic. For a host with little traffic, choose a higher threshold than for one server.
/// - **Without Redis**, requests pass, unless `failsOpen` is false. Add a local `CircuitBreaker` to `interceptors:` for that time.
/// - Other than in `CircuitBreaker`, protocol violations do not count.
public final class RedisCircuitBreaker: HTTPInterceptor {
    /// The number of failures in a row that opens a circuit.
    public let failureThreshold: Int
    /// The time that a circuit stays open, in seconds.
    public let resetTimeout: TimeInterval

    private let redis: RedisClient
    private let failsOpen: Bool
    private let prefix: String
    private let counts: @Sendable (NetworkError) -> Bool

    /// Creates a breaker. All servers must use the same settings.
    ///
    /// - Parameters:
    ///   - redis: the client.
    ///   - failureThreshold: the number of failures in a row that opens a circuit; less than one counts as one.
    ///   - resetTimeout: the time before a trial, in seconds, from a millisecond to a day.
    ///   - failsOpen: whether requests pass if Redis fails. If false, they fail with ``RedisError``.
    ///   - prefix: the start of all names in Redis. The origins of the hosts follow in clear text.
    ///   - counts: whether an error is a failure of the server, as in `CircuitBreaker`.
    public init(
        _ redis: RedisClient, failureThreshold: Int = 5, resetTimeout: TimeInterval = 60, failsOpen: Bool = true,
        prefix: String = "circuit:",
        counts: @escaping @Sendable (NetworkError) -> Bool = { CircuitBreaker.countsByDefault($0) }
    ) {
        self.redis = redis
        self.failureThreshold = max(1, failureThreshold)
        self.resetTimeout = resetTimeout > 0.001 ? min(resetTimeout, 86_400) : 0.001
        self.failsOpen = failsOpen
        self.prefix = prefix
        self.counts = counts
    }

    /// Returns the state of the circuit of the URL's host.
    ///
    /// - Parameter clock: for the date in ``NetClient/CircuitBreaker/State/open(until:)``.
    /// - Throws: ``RedisError``.
    public func state(for url: URL, clock: any NetworkClock = .system) async throws -> CircuitBreaker.State {
        guard let origin = RequestOrigin(url) else { return .closed }
        let reply = try await redis.run(CircuitScripts.state, keys: [name(origin)])
        guard case .integer(let wait) = reply else { return .closed }
        return wait < 0 ? .halfOpen : .open(until: clock.now.addingTimeInterval(TimeInterval(wait) / 1e6))
    }

    /// Closes the circuit of the URL's host, for the whole fleet.
    ///
    /// - Throws: ``RedisError``.
    public func reset(_ url: URL) async throws {
        guard let origin = RequestOrigin(url) else { return }
        _ = try await redis.run(CircuitScripts.reset, keys: [name(origin)])
    }

    /// Sends the request on, or fails with ``NetCore/NetworkError/circuitOpen(host:until:)``.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let origin = request.url.flatMap({ RequestOrigin($0) }) else { return try await next(request) }
        let ticket: Ticket
        do {
            ticket = try await admit(origin, next.context.clock)
        } catch is RedisError where failsOpen {
            return try await next(request)
        }
        do {
            let response = try await next(request)
            let isFailure = response.status >= 400 && counts(.requestFailed(statusCode: response.status, data: nil))
            await record(isFailure ? .failure : .success, of: ticket, origin)
            return response
        } catch {
            await record(outcome(of: error), of: ticket, origin)
            throw error
        }
    }

    /// The admission of an attempt.
    private struct Ticket {
        let generation: String
        /// The number of failures in a row before it.
        let failures: Int64
        let isTrial: Bool
    }

    private enum Outcome: String {
        case success, failure
        /// The attempt was cancelled, or failed on this side.
        case none
    }

    private func admit(_ origin: RequestOrigin, _ clock: any NetworkClock) async throws -> Ticket {
        let reply = try await redis.run(CircuitScripts.admit, keys: [name(origin)], [resetWord])
        let numbers = (reply.elements ?? []).compactMap { value -> Int64? in
            if case .integer(let number) = value { number } else { nil }
        }
        guard numbers.count == 4 else { throw RedisError.refused("The reply of the circuit is not one.") }
        if numbers[0] > 0 {
            let until = clock.now.addingTimeInterval(TimeInterval(numbers[0]) / 1e6)
            throw NetworkError.circuitOpen(host: origin.host, until: until)
        }
        return Ticket(generation: "\(numbers[1])", failures: numbers[2], isTrial: numbers[3] == 1)
    }

    /// Records an outcome that changes the circuit. If Redis fails, the outcome is lost: a trial without one is given up after
    /// ``resetTimeout``.
    private func record(_ outcome: Outcome, of ticket: Ticket, _ origin: RequestOrigin) async {
        switch outcome {
        case .success where !ticket.isTrial && ticket.failures == 0, .none where !ticket.isTrial: return
        default: break
        }
        let arguments: [RedisCommand.Word] = [
            .init(outcome.rawValue), .init(ticket.generation), "\(failureThreshold)", resetWord,
        ]
        let (redis, key) = (self.redis, name(origin))
        // In a task of its own: the outcome of a cancelled trial counts too.
        await Task {
            _ = try? await redis.run(CircuitScripts.record, keys: [key], arguments)
        }.value
    }

    private func outcome(of error: any Error) -> Outcome {
        let failure = error as? NetworkFailure
        if failure?.underlyingError is LimitExceeded || failure?.transportError?.phase == .preparing { return .none }
        let cause = NetworkError(error)
        return cause.isCancellation || !counts(cause) ? .none : .failure
    }

    private func name(_ origin: RequestOrigin) -> String { "\(prefix){\(origin.text)}" }

    private var resetWord: RedisCommand.Word { "\(Int64(resetTimeout * 1e6))" }
}

/// The atomic steps of a ``RedisCircuitBreaker``. Times are microseconds of the server.
///
/// `KEYS[1]` is a hash: `failures` in a row; `open` and `trial`, the times until which the circuit is open, and a trial is awaited; and the
/// `generation`, which each change of the state increments.
private enum CircuitScripts {
    private static let prelude = """
        local now = redis.call('TIME')
        now = now[1] * 1000000 + now[2]
        local values = redis.call('HMGET', KEYS[1], 'failures', 'open', 'trial', 'generation')
        local failures, open, trial, generation =
            tonumber(values[1] or 0), tonumber(values[2] or 0), tonumber(values[3] or 0), tonumber(values[4] or 0)
        local function enter(field, time)
            redis.call('HDEL', KEYS[1], 'failures', 'open', 'trial')
            if field then redis.call('HSET', KEYS[1], field, string.format('%.0f', time)) end
            redis.call('HSET', KEYS[1], 'generation', generation + 1)
            redis.call('EXPIRE', KEYS[1], 172800)
        end

        """

    /// Arguments: the reset timeout. Returns the time until the next trial, or zero if the attempt is admitted; the generation; the failures;
    /// and 1 if the attempt is the trial.
    static let admit = RedisScript(
        prelude + """
            if open == 0 and trial == 0 then return {0, generation, failures, 0} end
            local wait = math.max(open, trial) - now
            if wait > 0 then return {math.min(wait, tonumber(ARGV[1])), generation, failures, 0} end
            enter('trial', now + ARGV[1])
            return {0, generation + 1, 0, 1}
            """)

    /// Arguments: the outcome, the generation of the attempt, the threshold, the reset timeout.
    static let record = RedisScript(
        prelude + """
            if tonumber(ARGV[2]) ~= generation then return end
            if ARGV[1] == 'failure' then
                if trial > 0 or failures + 1 >= tonumber(ARGV[3]) then
                    enter('open', now + ARGV[4])
                elseif open == 0 then
                    redis.call('HSET', KEYS[1], 'failures', failures + 1)
                    redis.call('EXPIRE', KEYS[1], 172800)
                end
            elseif trial > 0 then
                if ARGV[1] == 'success' then enter() else enter('open', now) end
            elseif ARGV[1] == 'success' then
                redis.call('HDEL', KEYS[1], 'failures')
            end
            """)

    /// Returns the time until the next trial, -1 while a trial is awaited, or nothing for a closed circuit.
    static let state = RedisScript(
        prelude + """
            if trial > 0 then return -1 end
            if open > 0 then return math.max(0, open - now) end
            return false
            """)

    /// Closes the circuit.
    static let reset = RedisScript(prelude + "enter()")
}
