/// Follows redirects: for every transport in one place, each hop through cache, retry and authentication.
struct RedirectInterceptor: HTTPInterceptor {
    let policy: RedirectPolicy

    /// What is read of a redirect's body so that its connection can be used again; more is not worth the wait.
    private static let drainLimit = 64 * 1024

    func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        var response = try await next(request)
        guard response.isRedirect else { return response }

        var request = request
        var next = next
        var count = 0
        while response.isRedirect, let location = response.headers["Location"] {
            guard let hop = try await hop(to: location, from: request, response: response, count: count) else {
                return response
            }
            guard count < policy.limit else {
                throw NetworkFailure(
                    cause: .tooManyRedirects, request: RequestSnapshot(request),
                    response: ResponseSnapshot(statusCode: response.status, headers: response.headers),
                    timestamp: next.context.clock.now, retryAttempt: response.attempt)
            }
            if hop.dropsBody {
                next.body = nil
            } else if let body = next.body, !body.isReplayable {
                throw NetworkFailure(
                    cause: .bodyNotReplayable, request: RequestSnapshot(hop.request),
                    response: ResponseSnapshot(statusCode: response.status, headers: response.headers),
                    timestamp: next.context.clock.now, retryAttempt: response.attempt)
            }
            _ = try await response.body.prefix(upTo: Self.drainLimit)
            request = hop.request
            response = try await next(request)
            count += 1
        }
        return response
    }

    /// The next request, or nil if the redirect is to be given to the caller.
    private func hop(
        to location: String, from request: URLRequest, response: TransportResponse, count: Int
    ) async throws -> RedirectHop? {
        guard var hop = RedirectHop(from: request, status: response.status, location: location) else {
            throw refusal(.malformedLocation, response)
        }
        if let decide = policy.decide {
            let proposal = RedirectProposal(response: response, request: hop.request, count: count)
            switch try await decide(proposal) {
            case .follow: break
            case .followWith(let other): hop.request = other
            case .stop: return nil
            }
        }
        guard let target = hop.request.url, target.isHTTP else { throw refusal(.scheme, response) }
        if !policy.allowsInsecure, request.url?.origin?.scheme == "https", target.origin?.scheme != "https" {
            throw refusal(.insecure, response)
        }
        return hop
    }

    private func refusal(_ reason: RedirectRefusal.Reason, _ response: TransportResponse) -> NetworkFailure {
        NetworkFailure(
            cause: .requestFailed(statusCode: response.status, data: response.body.data),
            request: response.request.map(RequestSnapshot.init),
            response: ResponseSnapshot(statusCode: response.status, headers: response.headers),
            underlyingError: RedirectRefusal(reason: reason),
            retryAttempt: response.attempt)
    }
}

/// A redirect turned into the next request (RFC 9110, section 15.4).
struct RedirectHop {
    var request: URLRequest
    /// Whether the next request goes without the body.
    let dropsBody: Bool

    /// Headers that hold credentials: never shown to another origin.
    private static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]
    /// Headers that describe a body, and go with it (RFC 9110, section 15.4, item 5).
    private static let bodyHeaders = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type", "Digest",
        "Last-Modified", "Transfer-Encoding",
    ]

    /// Nil if the location is no URL.
    init?(from request: URLRequest, status: Int, location: String) {
        guard let current = request.url, let target = Self.resolve(location, against: current) else { return nil }
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        let rewritten = Self.method(after: status, method: method)
        dropsBody = rewritten != method
        self.request = request
        self.request.url = target
        self.request.httpMethod = rewritten.rawValue
        var headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        // A Host that the caller set was meant for the first server.
        var dropped = ["Host"]
        if dropsBody { dropped += Self.bodyHeaders }
        if current.origin != target.origin { dropped += Self.credentials }
        for name in dropped where headers.contains(name: name) {
            headers.remove(name: name)
            self.request.setValue(nil, forHTTPHeaderField: name)
        }
    }

    /// 303 reads the other resource with GET; 301 and 302 turn POST into GET, as every client does; 307 and 308 keep all.
    private static func method(after status: Int, method: HTTPMethod) -> HTTPMethod {
        switch status {
        case 303 where method != .head: .get
        case 301 where method == .post, 302 where method == .post: .get
        default: method
        }
    }

    /// The URL that `Location` means: relative to the current one, whose fragment it takes over if it has none. Bytes that a
    /// URL must not hold, which servers send all the same, are percent-encoded.
    private static func resolve(_ location: String, against current: URL) -> URL? {
        let trimmed = String(location.trimmingHTTPWhitespace)
        guard !trimmed.isEmpty, let url = URL(string: trimmed, relativeTo: current)?.absoluteURL else { return nil }
        return url
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
