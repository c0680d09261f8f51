/// A redirect turned into the next request (RFC 9110, section 15.4).
struct RedirectHop {
    private(set) var request: URLRequest
    /// The body that goes with it.
    private(set) var body: HTTPBody?
    /// Whether that is the body which was sent before.
    private(set) var repeatsBody: Bool

    /// Fields that describe a body, and go with it (RFC 9110, sections 15.4 and 10.1.1; RFC 9530).
    private static let bodyFields = [
        "Content-Digest", "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-MD5",
        "Content-Type", "Digest", "Expect", "Last-Modified", "Repr-Digest", "Trailer", "Transfer-Encoding",
    ]

    /// The names of the credentials that were left out, since they belong to another origin.
    private(set) var withheld: [String] = []
    private let credentials: CredentialFields

    /// Nil if the location is not a URL.
    ///
    /// - Parameters:
    ///   - request: the request that was redirected, as the caller wrote it: prepared credentials never enter the next one.
    ///   - credentials: decides which of its fields belong to its origin.
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
        // A Host that the caller set was meant for the first server.
        self.request.remove(["Host"])
        if !repeatsBody { self.request.remove(Self.bodyFields) }
        if current.origin != target.origin {
            withheld = self.request.names(where: { credentials.isCredential($0) })
            self.request.remove(withheld)
        }
    }

    /// Takes the request of a hook in place of the one that was proposed to it.
    ///
    /// The body is the one that the hook put into it; else it goes along if the hook kept (or restored) the method. Credentials
    /// that were proposed for the same origin do not go to another to which the hook turns: those that it put in itself do.
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

    /// 303 reads the other resource with GET; 301 and 302 turn POST into GET, as every client does; 307 and 308 keep all.
    private static func method(after status: Int, method: HTTPMethod) -> HTTPMethod {
        switch status {
        case 303 where method != .head: .get
        case 301 where method == .post, 302 where method == .post: .get
        default: method
        }
    }
}

extension URLRequest {
    fileprivate func names(where isIncluded: (String) -> Bool) -> [String] {
        (allHTTPHeaderFields ?? [:]).keys.filter(isIncluded).sorted()
    }

    fileprivate mutating func remove(_ names: [String]) {
        for name in names where value(forHTTPHeaderField: name) != nil {
            setValue(nil, forHTTPHeaderField: name)
        }
    }
}
