/// Follows redirects: for every transport in one place, each hop through cache, retry and authentication.
struct RedirectInterceptor: HTTPInterceptor {
    let policy: RedirectPolicy

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var response = try await next(request)
        guard response.isRedirect, next.context[FollowsRedirectsKey.self] else { return response }

        var request = request
        var next = next
        var count = 0
        var trace = response.retryTrace
        while response.isRedirect, let location = response.headers["Location"] {
            guard let hop = try await hop(to: location, from: request, response: response, next: next, count: count)
            else { return response }
            guard count < policy.limit else { throw failure(.tooManyRedirects, at: response, next: next) }
            if hop.repeatsBody, let body = next.body, !body.isReplayable {
                throw failure(.bodyNotReplayable, at: response, next: next)
            }
            try await response.body.drain()
            // Let go of, since a long one keeps its connection, and the next hop may have to wait for that.
            response.body = .empty
            request = hop.request
            if hop.repeatsBody { request.keepIdempotencyKey(of: response.request) }
            next.body = hop.body
            do {
                response = try await next(request)
            } catch var failure as NetworkFailure {
                failure.retryTrace = trace.followed(by: failure.retryTrace)
                throw failure
            }
            trace = trace.followed(by: response.retryTrace)
            response.retryTrace = trace
            count += 1
        }
        return response
    }

    /// The next request, or nil if the redirect is to be given to the caller.
    private func hop(
        to location: String, from request: URLRequest, response: TransportResponse, next: Next, count: Int
    ) async throws -> RedirectHop? {
        func refusal(_ reason: RedirectRefusal.Reason) -> NetworkFailure {
            failure(
                .requestFailed(statusCode: response.status, data: response.body.data), at: response, next: next,
                underlyingError: RedirectRefusal(reason: reason))
        }
        guard
            var hop = RedirectHop(
                from: request, body: next.body, status: response.status, location: location,
                credentials: credentials(next.context))
        else { throw refusal(.malformedLocation) }
        if let decide = policy.decide {
            let proposal = RedirectProposal(response: response, request: hop.request, count: count)
            switch try await decide(proposal) {
            case .follow: break
            case .followWith(let other): try hop.replace(with: other, from: request, body: next.body)
            case .stop: return nil
            }
        }
        guard let target = hop.request.url, target.isHTTP else {
            let isOurs = ["http", "https"].contains(hop.request.url?.scheme?.lowercased())
            throw refusal(isOurs ? .malformedLocation : .scheme)
        }
        if !policy.allowsInsecure, request.url?.origin?.scheme == "https", target.origin?.scheme != "https" {
            throw refusal(.insecure)
        }
        if !hop.withheld.isEmpty {
            let host = target.host ?? "another origin"
            next.context.notify(
                .notice(
                    "The redirect to \(host) leaves out \(hop.withheld.joined(separator: ", ")), which belong to the origin "
                        + "that they were set for. RedirectPolicy.crossOriginFields has them follow."))
        }
        return hop
    }

    /// Decides which fields belong to their origin: the client's, but for those that may follow.
    private func credentials(_ context: RequestContext) -> CredentialFields {
        let fields = context.preparer?.fields ?? .standard
        return policy.crossOriginFields.isEmpty ? fields : fields.adding(harmless: policy.crossOriginFields)
    }

    private func failure(
        _ cause: NetworkError, at response: TransportResponse, next: Next, underlyingError: (any Error)? = nil
    ) -> NetworkFailure {
        var failure = NetworkFailure(
            cause: cause,
            request: response.request.map(RequestSnapshot.init),
            response: ResponseSnapshot(
                statusCode: response.status, headers: response.headers, body: response.body.data),
            underlyingError: underlyingError,
            timestamp: next.context.clock.now,
            retryAttempt: response.attempt)
        failure.retryTrace = response.retryTrace
        return failure
    }
}

extension TransportResponse {
    /// Whether the status asks to go elsewhere, and says where. 300 leaves the choice to the user, 304 means something else.
    fileprivate var isRedirect: Bool {
        switch status {
        case 301, 302, 303, 307, 308: headers.contains(name: "Location")
        default: false
        }
    }
}
