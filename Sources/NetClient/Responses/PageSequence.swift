/// The pages of a paginated resource, each fetched when it is asked for.
///
/// ```swift
/// for try await page in client.pages(of: [Product].self, for: request) {
///     page.value.forEach { show($0) }
/// }
/// ```
///
/// ``NetworkClient/pages(of:for:context:maximumPages:)`` makes one that follows `Link` fields. With
/// ``init(first:maximumPages:clock:fetch:next:)`` the next page can be named by anything: a cursor in the body, a counter.
///
/// Each loop over it begins anew with the first page. An error ends it: what is thrown is what `fetch` throws (of a client, a
/// ``NetworkFailure``), or a ``NetworkFailure`` with a ``PaginationError`` inside. Leaving the loop early asks for nothing more, and a
/// cancelled task stops the page that is being fetched.
public struct PageSequence<Value: Sendable>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = Page<Value>

    /// Sends the request for one page, and gives what is on it.
    public typealias Fetch = @Sendable (URLRequest) async throws -> (value: Value, response: TransportResponse)

    private let first: URLRequest
    private let maximumPages: Int
    private let clock: any NetworkClock
    private let fetch: Fetch
    private let following: @Sendable (Page<Value>) throws -> URLRequest?

    /// A sequence of pages.
    ///
    /// - Parameters:
    ///   - first: asks for the first page.
    ///   - maximumPages: how many may come; one more is an error, since leaving out pages in silence would lose data. To read only some,
    ///     leave the loop.
    ///   - clock: for the timestamps of errors.
    ///   - fetch: sends a request.
    ///   - next: the request for the page after this one, nil at the end. What it throws ends the sequence. A request for a page that was
    ///     there already (the same method, URL and body) is an error as well.
    public init(
        first: URLRequest, maximumPages: Int = 10_000, clock: any NetworkClock = .system, fetch: @escaping Fetch,
        next: @escaping @Sendable (Page<Value>) throws -> URLRequest?
    ) {
        self.first = first
        self.maximumPages = maximumPages
        self.clock = clock
        self.fetch = fetch
        following = next
    }

    /// Starts with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    /// Fetches page after page.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pages: PageSequence
        private var state = State.beginning
        private var requested: Set<Key> = []
        private var count = 0

        private enum State {
            case beginning
            case after(Page<Value>)
            case ended
        }

        /// What makes two requests the same.
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

        fileprivate init(pages: PageSequence) {
            self.pages = pages
        }

        /// The next page, or nil if there is none.
        public mutating func next() async throws -> Page<Value>? {
            let previous = state
            // Whatever is thrown from here on, it is the end.
            state = .ended
            guard let request = try request(after: previous) else { return nil }
            requested.insert(Key(request))
            let (value, response) = try await pages.fetch(request)
            let page = Page(value: value, response: response, request: request, index: count)
            count += 1
            state = .after(page)
            return page
        }

        private func request(after state: State) throws -> URLRequest? {
            switch state {
            case .ended: return nil
            case .beginning:
                guard pages.maximumPages > 0 else {
                    throw NetworkFailure(
                        cause: .decodingError(PaginationError(.tooManyPages)), timestamp: pages.clock.now)
                }
                return pages.first
            case .after(let page):
                do {
                    guard let request = try pages.following(page) else { return nil }
                    if requested.contains(Key(request)) { throw PaginationError(.loop) }
                    guard count < pages.maximumPages else { throw PaginationError(.tooManyPages) }
                    return request
                } catch let error as PaginationError {
                    throw NetworkFailure(
                        serializing: error, response: page.response, data: page.response.body.data ?? Data(),
                        timestamp: pages.clock.now)
                }
            }
        }
    }
}
