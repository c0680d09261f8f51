/// The pages of a paginated resource. Each page is fetched when it is needed.
///
/// ```swift
/// for try await page in client.pages(of: [Product].self, for: request) {
///     page.value.forEach { print($0) }
/// }
/// ```
///
/// ``NetworkClient/pages(of:for:context:maximumPages:)`` returns one that follows `Link` fields. With
/// ``init(first:maximumPages:clock:fetch:next:)`` a cursor in the body or a counter can name the next page.
///
/// Each loop starts with the first page. An error ends it: the error of `fetch` (of a client, a ``NetworkFailure``), or a ``NetworkFailure`` with a
/// ``PaginationError``. Leaving the loop early fetches no more pages, and cancelling the task ends the fetch in progress.
public struct PageSequence<Value: Sendable>: AsyncSequence, Sendable {
    /// One page.
    public typealias Element = Page

    /// Sends the request for one page, and returns its value.
    public typealias Fetch = @Sendable (URLRequest) async throws -> (value: Value, response: TransportResponse)

    private let first: URLRequest
    private let maximumPages: Int
    private let clock: any NetworkClock
    private let fetch: Fetch
    private let following: @Sendable (Page) throws -> URLRequest?

    /// Creates a sequence of pages.
    ///
    /// - Parameters:
    ///   - first: the request for the first page.
    ///   - maximumPages: the most pages. One more is an error, since missing pages would lose data. To read fewer, leave the loop.
    ///   - clock: the clock for the timestamps of errors.
    ///   - fetch: sends a request.
    ///   - next: returns the request for the page after this one, or nil at the end. An error that it throws ends the sequence. A repeated request
    ///     (the same method, URL and body) is an error too.
    public init(
        first: URLRequest, maximumPages: Int = 10_000, clock: any NetworkClock = .system, fetch: @escaping Fetch,
        next: @escaping @Sendable (Page) throws -> URLRequest?
    ) {
        self.first = first
        self.maximumPages = maximumPages
        self.clock = clock
        self.fetch = fetch
        following = next
    }

    /// Creates an iterator that starts with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    /// Fetches one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pages: PageSequence
        private var last: Page?
        private var requested: Set<Key> = []
        private var hasEnded = false

        /// The identity of a request.
        private struct Key: Hashable {
            let method: String?
            let url: String
            let body: Data?

            init(_ request: URLRequest) {
                method = request.httpMethod
                url = request.url.map { String($0.withoutFragment) } ?? ""
                body = request.httpBody
            }
        }

        fileprivate init(pages: PageSequence) { self.pages = pages }

        /// The next page, or nil if there is none.
        public mutating func next() async throws -> Page? {
            guard !hasEnded else { return nil }
            // Any error ends the sequence.
            hasEnded = true
            guard let request = try nextRequest() else { return nil }
            requested.insert(Key(request))
            let (value, response) = try await pages.fetch(request)
            let page = Page(value: value, response: response, request: request, index: requested.count - 1)
            last = page
            hasEnded = false
            return page
        }

        private func nextRequest() throws -> URLRequest? {
            do {
                let following = if let last { try pages.following(last) } else { Optional(pages.first) }
                guard let request = following else { return nil }
                if requested.contains(Key(request)) { throw PaginationError(.loop) }
                guard requested.count < pages.maximumPages else { throw PaginationError(.tooManyPages) }
                return request
            } catch let error as PaginationError {
                guard let last else { throw NetworkFailure(cause: .decodingError(error), timestamp: pages.clock.now) }
                throw NetworkFailure(
                    serializing: error, response: last.response, data: last.response.body.data ?? Data(),
                    timestamp: pages.clock.now)
            }
        }
    }
}

extension PageSequence {
    /// One page of a paginated resource.
    public struct Page: Sendable {
        /// The decoded content.
        public let value: Value
        /// The head of its response.
        public let response: TransportResponse
        /// Its request, before the pipeline.
        public let request: URLRequest
        /// The number of the page, from 0.
        public let index: Int
    }
}

/// The reason why a next page was not fetched although the last one named it. It is the error in ``NetworkError/decodingError(_:)``.
///
/// Not nested in ``PageSequence``, which is generic: a `catch` would have to name the type of its pages.
public struct PaginationError: SecretFreeError, Error, Hashable, CustomStringConvertible {
    /// The reasons.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The next page is one of the previous ones.
        case loop
        /// The link leads from `https` to `http`, which is not encrypted.
        case insecure
        /// The link has a scheme other than `http` and `https`.
        case scheme
        /// The target of the link is not a URL.
        case malformedLink = "malformed_link"
        /// There are more pages than `maximumPages`.
        case tooManyPages = "too_many_pages"
    }

    /// The reason.
    public let reason: Reason

    /// Creates an error.
    public init(_ reason: Reason) { self.reason = reason }

    public var description: String {
        switch reason {
        case .loop: "The link to the next page leads back to a previous page."
        case .insecure: "The link to the next page leads from https to http."
        case .scheme: "The link to the next page leads to a scheme other than http and https."
        case .malformedLink: "The link to the next page is not a URL."
        case .tooManyPages: "There are more pages than permitted. Raise maximumPages, or leave the loop earlier."
        }
    }
}

extension NetworkClient {
    /// Returns the pages of a resource whose responses name the next one in a `Link` field with `rel="next"` (RFC 8288).
    ///
    /// A link is followed like a redirect: to another origin without the request's credentials (and without those of the client, since
    /// ``RequestContext/origin`` stays that of the first page), never from `https` to `http`, and never to another scheme.
    ///
    /// - Parameters:
    ///   - type: the type of one page's content.
    ///   - request: the request for the first page. The others are requested by GET with its header fields.
    ///   - context: the context of each request; nil for a new one for each.
    ///   - maximumPages: the most pages; one more is an error.
    /// - Returns: a sequence that sends one request for each page when it is needed. It throws a ``NetworkFailure``.
    public func pages<Value: Decodable & Sendable>(
        of type: Value.Type, for request: URLRequest, context: RequestContext? = nil, maximumPages: Int = 10_000
    ) -> PageSequence<Value> {
        pages(
            for: request, serializer: DecodableSerializer(type, decoder: decoder), context: context,
            maximumPages: maximumPages)
    }

    /// The same as ``pages(of:for:context:maximumPages:)`` with another serialiser.
    public func pages<Serializer: ResponseSerializer>(
        for request: URLRequest, serializer: Serializer, context: RequestContext? = nil, maximumPages: Int = 10_000
    ) -> PageSequence<Serializer.Value> {
        PageSequence(first: request, maximumPages: maximumPages, clock: clock) { [self] pageRequest in
            var context = context ?? RequestContext(clock: clock)
            context.origin = context.origin ?? request.url
            let (data, response) = try await data(for: pageRequest, context: context)
            return (try value(of: data, response) { try serializer.serialize($0, response: $1) }, response)
        } next: { page in
            try page.request.followingLink(of: page.response, credentials: self.preparer.fields)
        }
    }
}

extension URLRequest {
    /// The request for the next page; nil if the response names none.
    ///
    /// A link is like a 303: another resource to read. So it is the same hop, or two if the last page was redirected: credentials that were
    /// removed at the redirect do not return.
    fileprivate func followingLink(of response: TransportResponse, credentials: CredentialFields) throws -> URLRequest?
    {
        let links = response.headers.links.filter { $0.hasContext(response.url) }
        guard let link = links.first(where: { $0.relations.contains("next") }) else { return nil }
        guard let target = link.url(relativeTo: response.url ?? url) else { throw PaginationError(.malformedLink) }
        guard url?.mayLead(to: target) == true else {
            let isHTTPScheme = ["http", "https"].contains(target.scheme?.lowercased())
            throw PaginationError(isHTTPScheme ? .malformedLink : .scheme)
        }
        var plain = self
        plain.httpBody = nil
        plain.httpBodyStream = nil
        func hop(from request: URLRequest, to url: URL?) -> URLRequest? {
            let location = url?.absoluteString ?? ""
            return RedirectHop(
                from: request, body: nil, status: 303, location: location, credentials: credentials)?.request
        }
        guard let current = hop(from: plain, to: response.url ?? url), let next = hop(from: current, to: target) else {
            throw PaginationError(.malformedLink)
        }
        let wasSecure = [url, current.url].contains { $0?.origin?.scheme == "https" }
        guard !wasSecure || target.origin?.scheme == "https" else { throw PaginationError(.insecure) }
        return next
    }
}
