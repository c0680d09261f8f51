/// The attempts of a hop after the first.
struct RetryRun {
    let runner: Runner
    let policy: RetryPolicy
    let refusals: Set<Int>
    let retryCount: Int
    let request: URLRequest
    var next: Next

    /// The number of retries by hooks, `retryCount` and policy, which hooks and policies get.
    private(set) var retries = 0
    /// The delay before the last of them, in seconds.
    private(set) var lastDelay: TimeInterval?
    private(set) var hasReconnected = false
    /// The clock's uptime when the transport first reported that the device is offline, and the number of waits since then.
    var offlineSince: TimeInterval?
    private(set) var offlineWaits = 0
    /// The sources whose credentials were refreshed after a refusal, each once.
    private var refreshed: Set<ObjectIdentifier> = []
    private var answers = 0
    /// The coding that the server may have refused, until an uncompressed attempt shows whether it did.
    private var suspect: (url: URL?, coding: String)?
    private var prepared: PreparedRequest?
    /// The number of the attempt, from 0.
    private var attempt: Int
    private var trace = RetryTrace()

    /// Digest: once with the server's first nonce, and once more if that has expired.
    private static let answerLimit = 2

    init(runner: Runner, request: URLRequest, next: Next) {
        self.runner = runner
        policy = runner.policy(of: next.context)
        refusals = runner.refusals(of: next.context)
        retryCount = runner.retryCount(of: next.context)
        self.request = request
        self.next = next
        prepared = next.context.pipeline.prepared
        attempt = runner.refreshesOnly ? next.context.attempt : 0
    }

    /// The request before its preparation, which hooks and policies get.
    var unprepared: URLRequest { next.context.pipeline.prepared?.unprepared ?? request }

    /// Sends the request again until it succeeds or nothing asks for another attempt. It begins with the result of the first attempt, and with the
    /// rest of the pipeline that this had, its preparation included.
    mutating func response(
        after result: consuming Result<TransportResponse, any Error>, of step: Next
    ) async throws -> TransportResponse {
        var outcome = try await outcome(of: consume result, step)
        while let failure = outcome.failure {
            guard next.context.timeRemaining ?? .infinity > 0 else {
                trace.end = .deadline
                break
            }
            let verdict: RetryVerdict
            do { verdict = try await self.verdict(on: outcome, failure) } catch { throw traced(error, after: failure) }
            guard case .again(let reason, let delay, let retryAfter) = verdict else {
                if case .stop(let end) = verdict { trace.end = end }
                break
            }
            if let remaining = next.context.timeRemaining, delay >= remaining {
                trace.end = .deadline
                break
            }
            guard next.body?.isReplayable ?? true else {
                trace.end = .bodyNotReplayable
                let underlying = failure.underlyingError ?? failure
                throw traced(NetworkError.bodyNotReplayable, after: failure, underlyingError: underlying)
            }
            // A hook, new credentials and another connection are never refused.
            if reason == .policy || reason == .retryCount, let budget = runner.configuration.resilience.retryBudget,
                !budget.takeRetry(at: next.context.clock.uptime)
            {
                trace.end = .budgetEmpty
                break
            }
            record(
                RetryTrace.Retry(after: failure, attempt: attempt, reason: reason, delay: delay, retryAfter: retryAfter)
            )
            // The rest of an unread body would keep its connection, and a place that the next attempt needs.
            outcome = RetryOutcome(failure)
            try Task.checkCancellation()
            try await runner.calls.run(for: next.context.pipeline.call) { [clock = next.context.clock] in
                try await clock.sleep(for: delay)
            }
            attempt += 1
            switch reason {
            case .staleConnection: hasReconnected = true
            case .reauthentication, .challenge: break
            case .offline: offlineWaits += 1
            case .contentCoding: next.context[UncompressedKey.self] = true
            case .policy, .hook, .retryCount:
                retries += 1
                lastDelay = delay
            }
            outcome = try await send()
            if let suspect, let status = outcome.response?.status, status < 500, status != 415 {
                rememberRefusal(of: suspect.coding, at: suspect.url)
                self.suspect = nil
            }
        }
        return try outcome.get(with: trace)
    }

    private mutating func send() async throws -> RetryOutcome {
        next.context.attempt = attempt
        var step = next
        let result: Result<TransportResponse, any Error>
        do {
            let ready = try await runner.ready(request, attempt: attempt, &step)
            result = .success(try await step(ready))
        } catch {
            result = .failure(error)
        }
        return try await outcome(of: consume result, step)
    }

    private mutating func outcome(
        of result: consuming Result<TransportResponse, any Error>, _ step: Next
    ) async throws -> RetryOutcome {
        do {
            var response = try (consume result).get()
            prepared = response.pipeline.prepared ?? step.context.pipeline.prepared
            trace.append(response.retryTrace)
            let isRefusal = refusals.contains(response.status)
            guard response.status >= 400 || isRefusal else { return RetryOutcome(response) }
            let data: Data
            if case .collected(let limit) = next.context.delivery, !isRefusal {
                data = try await response.body.collect(upTo: limit)
                response.body = HTTPBody(data)
            } else {
                (data, response.body) = try await response.body.peek(upTo: HTTPBody.errorLimit)
            }
            return RetryOutcome(
                response, NetworkFailure(response: response, data: data, timestamp: next.context.clock.now))
        } catch let error as CancellationError {
            throw error
        } catch let refusal as OfflineRefusal {
            return RetryOutcome(refusal.failure, wasSent: false)
        } catch {
            let failure = NetworkFailure(
                wrapping: error, request: request, timestamp: next.context.clock.now, retryAttempt: attempt)
            trace.append(failure.retryTrace)
            if failure.isCancellation { throw traced(failure, after: failure) }
            return RetryOutcome(failure)
        }
    }

    /// Refreshes refused credentials, or takes a challenge. Returns the reason to send the request again, or nil.
    mutating func answer(to refusal: TransportResponse) async throws -> RetryTrace.Reason? {
        guard let prepared else { return nil }
        var context = next.context
        context.pipeline.prepared = prepared
        let sent = refusal.request ?? request
        if answers < Self.answerLimit,
            runner.answerers.contains(where: { $0.canAnswer(refusal, to: sent, context: context) })
        {
            // The body cannot be sent again here, so the caller gets the challenge.
            guard next.body?.isReplayable ?? true else { return nil }
            answers += 1
            return .challenge
        }
        guard refusals.contains(refusal.status) else { return nil }
        let sources = runner.preparer.sources(for: prepared.request, next.context)
        for (source, generation) in zip(sources, prepared.generations) {
            let authenticator = source.authenticator
            guard let generation, authenticator.canReauthenticate,
                refreshed.insert(ObjectIdentifier(authenticator)).inserted
            else { continue }
            _ = try await authenticator.refresh(
                after: generation, request, refusal: refusal, next.context, source.refreshTimeout)
            return next.body?.isReplayable ?? true ? .reauthentication : nil
        }
        return nil
    }

    /// Whether to send the body again without compression, since the server may not accept its coding (RFC 9110, section 15.5.16). This
    /// happens once, whatever the method: the server has processed nothing.
    mutating func mayUncompress(after refusal: TransportResponse) -> Bool {
        guard refusal.status == 415, !next.context[UncompressedKey.self], let coded = prepared?.body?.uncoded else {
            return false
        }
        let accepts = refusal.acceptsInRequests(coded.coding)
        // The 415 is about the media type.
        if accepts == true { return false }
        let url = refusal.request?.url ?? request.url
        let isReplayable = next.body?.isReplayable ?? true
        // If the body cannot be sent again, this call fails. The caller's next call then sends no compressed body.
        if accepts == false || !isReplayable {
            rememberRefusal(of: coded.coding, at: url)
        } else {
            suspect = (url, coded.coding)
        }
        return isReplayable
    }

    private func rememberRefusal(of coding: String, at url: URL?) {
        runner.preparer.compressor.refusals.insert(url, coding)
        next.context.notify(
            .notice(
                "\(url?.origin?.description ?? "The server") refused \(coding). Requests to it are no longer compressed."
            ), of: .transport)
    }

    private mutating func record(_ retry: RetryTrace.Retry) {
        trace.retries.append(retry)
        next.context.notify(.retrying(retry), of: .retry)
        next.context.pipeline.retryTrace?.withLock { $0.retries.append(retry) }
    }

    /// The error that replaces a failure, such as that of a hook or a policy.
    private func traced(
        _ error: any Error, after failure: NetworkFailure, underlyingError: (any Error)? = nil
    ) -> any Error {
        if error is CancellationError { return error }
        var result =
            error as? NetworkFailure
            ?? NetworkFailure(
                cause: NetworkError(error), request: failure.request, response: failure.response,
                underlyingError: underlyingError ?? (error is NetworkError ? nil : error),
                timestamp: next.context.clock.now, retryAttempt: attempt)
        result.retryTrace = trace
        return result
    }
}

struct RetryOutcome {
    let result: Result<TransportResponse, NetworkFailure>
    /// The error, also of a response whose status is a failure; nil for a success.
    let failure: NetworkFailure?
    /// Whether the transport was asked.
    var wasSent = true

    init(_ response: TransportResponse, _ failure: NetworkFailure? = nil) {
        result = .success(response)
        self.failure = failure
    }

    init(_ failure: NetworkFailure, wasSent: Bool = true) {
        result = .failure(failure)
        self.wasSent = wasSent
        self.failure = failure
    }

    var response: TransportResponse? { if case .success(let response) = result { response } else { nil } }

    /// Returns the response or throws the error, with the retries.
    func get(with trace: RetryTrace) throws(NetworkFailure) -> TransportResponse {
        switch result {
        case .success(var response):
            response.retryTrace = trace
            return response
        case .failure(var failure):
            failure.retryTrace = trace
            throw failure
        }
    }
}
