extension Runner {
    /// Returns the hop after a redirect, or nil if the caller gets the redirect.
    func hop(after response: TransportResponse, of hop: Hop) async throws -> Hop? {
        let next = hop.next
        // Some proxies repeat the field. Browsers accept that if the values are the same.
        let locations = response.headers.values(for: "Location")
        guard let location = locations.first,
            let target = try await target(
                of: locations.allSatisfy { $0 == location } ? location : nil, from: hop, response)
        else { return nil }
        guard (hop.redirects?.value.count ?? 0) < configuration.redirectPolicy.limit else {
            throw failure(.tooManyRedirects, at: response, next: next)
        }
        if target.repeatsBody, let body = next.body, !body.isReplayable {
            throw failure(.bodyNotReplayable, at: response, next: next)
        }
        do {
            // So that the connection can be used again. A longer body is not worth the wait.
            _ = try await response.body.prefix(upTo: 64 * 1024)
        } catch {
            // The body is discarded, so its error costs only the connection.
            try Task.checkCancellation()
        }
        var following = Hop(target, after: response, of: hop)
        if target.repeatsBody { following.request.keepIdempotencyKey(of: response.request) }
        noteOrigin(of: &following)
        return following
    }

    /// - Parameter location: nil if the response has several.
    private func target(
        of location: String?, from hop: Hop, _ response: TransportResponse
    ) async throws -> RedirectHop? {
        let (request, next) = (hop.request, hop.next)
        func refusal(_ reason: RedirectPolicy.Refusal.Reason) -> NetworkFailure {
            failure(
                .requestFailed(statusCode: response.status, data: response.body.data), at: response, next: next,
                underlyingError: RedirectPolicy.Refusal(reason: reason))
        }
        guard let location,
            var target = RedirectHop(
                from: request, body: next.body, status: response.status, location: location,
                credentials: credentials(next.context))
        else { throw refusal(.malformedLocation) }
        if let decide = configuration.redirectPolicy.decide {
            let proposal = RedirectPolicy.Proposal(
                response: response, request: target.request, count: hop.redirects?.value.count ?? 0)
            switch try await decide(proposal) {
            case .follow: break
            case .followWith(let other): try target.replace(with: other, from: request, body: next.body)
            case .stop: return nil
            }
        }
        guard let url = target.request.url, request.url?.mayLead(to: url) == true else {
            let isHTTPScheme = ["http", "https"].contains(target.request.url?.scheme?.lowercased())
            throw refusal(isHTTPScheme ? .malformedLocation : .scheme)
        }
        if !configuration.redirectPolicy.allowsInsecure, request.url?.origin?.scheme == "https",
            url.origin?.scheme != "https"
        {
            throw refusal(.insecure)
        }
        if !target.withheld.isEmpty {
            let host = url.host ?? "another origin"
            next.context.notify(
                .notice(
                    "The redirect to \(host) leaves out \(target.withheld.joined(separator: ", ")), which belong to the origin "
                        + "that they were set for. RedirectPolicy.crossOriginFields lets fields follow."),
                of: .credentials)
        }
        return target
    }

    /// The client's rules for credentials, except for ``RedirectPolicy/crossOriginFields``.
    func credentials(_ context: RequestContext) -> CredentialFields {
        let fields = context.pipeline.preparer?.fields ?? .standard
        let others = configuration.redirectPolicy.crossOriginFields
        return others.isEmpty ? fields : fields.adding(harmless: others)
    }

    private func failure(
        _ cause: NetworkError, at response: TransportResponse, next: Next, underlyingError: (any Error)? = nil
    ) -> NetworkFailure {
        NetworkFailure(
            cause, of: response, data: response.body.data, underlyingError: underlyingError,
            timestamp: next.context.clock.now)
    }
}

/// The next request after a redirect (RFC 9110, section 15.4).
struct RedirectHop {
    private(set) var request: URLRequest
    private(set) var body: HTTPBody?
    /// Whether ``body`` is the body of the redirected request.
    private(set) var repeatsBody: Bool

    /// The fields that describe a body (RFC 9110, sections 15.4 and 10.1.1; RFC 9530).
    private static let bodyFields = [
        "Content-Digest", "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-MD5",
        "Content-Type", "Digest", "Expect", "Last-Modified", "Repr-Digest", "Trailer", "Transfer-Encoding",
    ]

    /// The names of the credentials that were removed, since they belong to another origin.
    private(set) var withheld: [String] = []
    private let credentials: CredentialFields

    /// Creates the next request, or nil if the location is not a URL. The redirected request is one before its preparation, so that no prepared
    /// credentials enter the next one.
    init?(
        from request: URLRequest, body: HTTPBody?, status: Int, location: String,
        credentials: CredentialFields = .standard
    ) {
        guard let current = request.url, let target = current.following(location: location) else { return nil }
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        let rewritten = Self.method(after: status, method: method)
        repeatsBody = rewritten == method
        self.body = repeatsBody ? body : nil
        self.credentials = credentials
        self.request = request
        self.request.url = target
        self.request.httpMethod = rewritten.rawValue
        // A Host field of the caller is for the first server.
        self.request.remove(["Host"])
        if !repeatsBody { self.request.remove(Self.bodyFields) }
        if current.origin != target.origin {
            withheld = self.request.names(where: { credentials.isCredential($0) })
            self.request.remove(withheld)
        }
    }

    /// Replaces the proposed request by that of a ``RedirectPolicy/Decision``.
    ///
    /// The body is the decision's, or the redirected one if the method is the same. Credentials that were proposed for the same origin are
    /// removed if the decision goes to another one; credentials that the decision adds stay.
    mutating func replace(with other: URLRequest, from redirected: URLRequest, body redirectedBody: HTTPBody?) throws {
        let proposed = request
        request = other
        if let own = request.takeBody(or: nil) {
            body = own
            repeatsBody = false
        } else {
            repeatsBody = other.httpMethod == redirected.httpMethod
            body = repeatsBody ? redirectedBody : nil
        }
        if other.url?.origin != redirected.url?.origin {
            withheld = proposed.names(where: { name in
                credentials.isCredential(name)
                    && proposed.value(forHTTPHeaderField: name) == other.value(forHTTPHeaderField: name)
            })
            request.remove(withheld)
        }
        try request.checkFields()
    }

    /// 303 becomes GET. 301 and 302 turn POST into GET, as every client does. 307 and 308 keep the method.
    private static func method(after status: Int, method: HTTPMethod) -> HTTPMethod {
        switch status {
        case 303 where method != .head: .get
        case 301 where method == .post, 302 where method == .post: .get
        default: method
        }
    }
}

extension URL {
    /// Resolves a `Location` field against this URL, and keeps this URL's fragment if the location has none (RFC 9110, section 10.2.2). Nil
    /// if it is not a URL. User information is removed: a server does not choose the client's credentials.
    func following(location: String) -> URL? {
        let text = String(location.trimmingHTTPWhitespace)
        guard !text.isEmpty, let target = URL(reference: text, relativeTo: self, keepsUserInformation: false) else {
            return nil
        }
        let current = absoluteString
        guard !text.contains("#"), let hash = current.firstIndex(of: "#") else { return target }
        return URL(string: target.absoluteString + current[hash...])
    }
}

extension URLRequest {
    fileprivate func names(where isIncluded: (String) -> Bool) -> [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter(isIncluded).sorted()
    }

    fileprivate mutating func remove(_ names: [String]) {
        for name in names where value(forHTTPHeaderField: name) != nil { setValue(nil, forHTTPHeaderField: name) }
    }
}

extension URL {
    /// Whether a response from this URL may lead to another URL, by a redirect or a link: to http and https, and from a Unix-domain socket to
    /// the same one. No other server may reach a socket of this machine.
    func mayLead(to target: URL) -> Bool { target.isHTTP || target.unixSocketPath != nil && target.origin == origin }
}
