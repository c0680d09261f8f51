/// The one retry engine: sends a request again when a hook, the call's own count, or the policy says so.
///
/// The hooks of every ``RequestInterceptor`` in the client's list are asked first, in order, and the first answer other than
/// ``RetryResult/doNotRetry`` stands. Then the call's `retryCount`, then the policy, which alone minds idempotency.
struct RetryInterceptor: HTTPInterceptor {
    let policy: RetryPolicy
    let hooks: [any RequestInterceptor]
    /// Gives a number from 0 to 1 for jitter.
    let random: @Sendable () -> Double
    /// Where it sleeps between attempts.
    let gate: CallGate

    /// Of the body of a failed response that is read as a stream, hooks see this much. The caller gets all of it.
    static let errorBodyLimit = 1 << 20

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        let retryCount = next.context[RetryCountKey.self]
        if hooks.isEmpty && retryCount == 0 && policy.maxRetries == 0 { return try await next(request) }

        var attempt = 0
        while true {
            let outcome = try await send(request, attempt: attempt, next: next)
            guard let failure = outcome.failure else { return try outcome.get() }
            guard
                let delay = try await delay(
                    after: failure, request: request, attempt: attempt, retryCount: retryCount,
                    clock: next.context.clock),
                next.context.timeRemaining.map({ delay < $0 }) ?? true
            else { return try outcome.get() }
            guard next.body?.isReplayable ?? true else {
                throw NetworkFailure(
                    cause: .bodyNotReplayable, request: failure.request, response: failure.response,
                    underlyingError: failure.underlyingError ?? failure, timestamp: next.context.clock.now,
                    retryAttempt: attempt)
            }
            try await gate.sleep(for: delay, on: next.context.clock)
            attempt += 1
        }
    }

    /// One attempt: a response, perhaps of a status that counts as a failure, or an error.
    private func send(_ request: URLRequest, attempt: Int, next: Next) async throws -> Outcome {
        var next = next
        next.context.attempt = attempt
        do {
            var response = try await next(request)
            guard response.status >= 400 else { return Outcome(result: .success(response), failure: nil) }
            let data: Data
            if case .collected(let limit) = next.context.delivery {
                data = try await response.body.collect(upTo: limit)
                response.body = HTTPBody(data)
            } else {
                (data, response.body) = try await response.body.peek(upTo: Self.errorBodyLimit)
            }
            return Outcome(
                result: .success(response),
                failure: NetworkFailure(response: response, data: data, timestamp: next.context.clock.now))
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = NetworkFailure(
                wrapping: error, request: request, timestamp: next.context.clock.now, retryAttempt: attempt)
            if failure.isCancellation { throw failure }
            return Outcome(result: .failure(failure), failure: failure)
        }
    }

    /// How long to wait before the next attempt; nil if there is to be none.
    private func delay(
        after failure: NetworkFailure, request: URLRequest, attempt: Int, retryCount: Int, clock: any NetworkClock
    ) async throws -> TimeInterval? {
        if case .circuitOpen = failure.cause { return nil }
        do {
            for hook in hooks {
                switch try await hook.retry(request, dueTo: failure.cause, currentRetryCount: attempt) {
                case .doNotRetry: continue
                case .retry: return 0
                case .retryWithDelay(let seconds): return seconds > 0 ? seconds : 0
                case .retryWithExponentialBackoff(let backoff): return backoff.delay(for: attempt, random: random())
                }
            }
        } catch let error where error is NetworkFailure || error is CancellationError {
            throw error
        } catch {
            throw NetworkFailure(
                cause: NetworkError(mapping: error), request: failure.request, response: failure.response,
                underlyingError: error is NetworkError ? nil : error, timestamp: clock.now, retryAttempt: attempt)
        }
        if attempt < retryCount, failure.isRetryable {
            return RetryPolicy.default.delay.seconds(for: attempt, random: random())
        }
        if attempt < policy.maxRetries, policy.shouldRetry(failure), isSafeToRepeat(request, after: failure) {
            return policy.delay.seconds(for: attempt, random: random())
        }
        return nil
    }

    /// Whether sending it twice does no more than sending it once: by its method, or because the server has not begun.
    private func isSafeToRepeat(_ request: URLRequest, after failure: NetworkFailure) -> Bool {
        HTTPMethod(rawValue: request.httpMethod ?? "GET").isIdempotent
            || request.value(forHTTPHeaderField: "Idempotency-Key") != nil
            || failure.transportError?.isUnprocessed == true
    }

    private struct Outcome {
        let result: Result<TransportResponse, NetworkFailure>
        let failure: NetworkFailure?

        func get() throws -> TransportResponse { try result.get() }
    }
}

/// How many times this call may be sent again, beside the client's policy.
package enum RetryCountKey: RequestContextKey {
    package static let defaultValue = 0
}

extension NetworkFailure {
    /// The failure that a serialiser's error is. What it threw decides the case; anything unknown is a decoding error.
    package init(serializing error: any Error, response: TransportResponse, data: Data, timestamp: Date) {
        let cause = error as? NetworkError ?? (error as? NetworkFailure)?.cause ?? .decodingError(error)
        self.init(
            cause: cause,
            request: response.request.map(RequestSnapshot.init),
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers, body: data),
            timestamp: timestamp,
            retryAttempt: response.attempt)
    }

    /// The failure that a response of an unacceptable status is.
    package init(response: TransportResponse, data: Data?, timestamp: Date) {
        self.init(
            cause: .requestFailed(statusCode: response.status, data: data),
            request: response.request.map(RequestSnapshot.init),
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers, body: data),
            timestamp: timestamp,
            retryAttempt: response.attempt)
    }
}
