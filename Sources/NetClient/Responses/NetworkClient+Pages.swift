import NetCore

extension NetworkClient {
    /// The pages of a resource whose responses name the next one in a `Link` field with `rel="next"` (RFC 8288).
    ///
    /// - Parameters:
    ///   - type: what is on one page.
    ///   - request: asks for the first page. Those that follow are asked for with GET and its header fields.
    ///   - context: goes along with each request; nil makes a new one for each.
    ///   - maximumPages: how many may come; one more is an error.
    /// - Returns: a sequence that sends one request for each page, when the page is asked for. What it throws is a ``NetworkFailure``.
    ///
    /// A link is followed like a redirect: to another origin without the request's credentials (and, as ``RequestContext/origin`` stays
    /// that of the first page, without those of the client's authentication), never from `https` to `http` and never to another scheme.
    public func pages<Value: Decodable & Sendable>(
        of type: Value.Type, for request: URLRequest, context: RequestContext? = nil, maximumPages: Int = 10_000
    ) -> PageSequence<Value> {
        pages(
            for: request, serializer: DecodableSerializer(type, decoder: decoder), context: context,
            maximumPages: maximumPages)
    }

    /// The same as ``pages(of:for:context:maximumPages:)``, with a serialiser of your own.
    public func pages<Serializer: ResponseSerializer>(
        for request: URLRequest, serializer: Serializer, context: RequestContext? = nil, maximumPages: Int = 10_000
    ) -> PageSequence<Serializer.Value> {
        PageSequence(first: request, maximumPages: maximumPages, clock: clock) { [self] pageRequest in
            var context = context ?? RequestContext(clock: clock)
            context.origin = context.origin ?? request.url
            let (data, response) = try await data(for: pageRequest, context: context)
            do {
                return (try serializer.serialize(data, response: response), response)
            } catch {
                throw NetworkFailure(serializing: error, response: response, data: data, timestamp: clock.now)
            }
        } next: { page in
            try page.request.followingLink(of: page.response, credentials: self.preparer.fields)
        }
    }
}

extension URLRequest {
    /// The request for the next page; nil if the response names none.
    ///
    /// A link is what a 303 is: another resource to read. So it is the same hop, in two steps where a redirect led elsewhere before:
    /// credentials that were left behind on the way do not come back.
    fileprivate func followingLink(of response: TransportResponse, credentials: CredentialFields) throws -> URLRequest?
    {
        let links = response.headers.links.filter { $0.isAbout(response.url) }
        guard let link = links.first(where: { $0.relations.contains("next") }) else { return nil }
        guard let target = link.url(relativeTo: response.url ?? url) else { throw PaginationError(.malformedLink) }
        guard target.isHTTP else {
            let isOurs = ["http", "https"].contains(target.scheme?.lowercased())
            throw PaginationError(isOurs ? .malformedLink : .scheme)
        }
        var plain = self
        plain.httpBody = nil
        plain.httpBodyStream = nil
        let here = (response.url ?? url)?.absoluteString ?? ""
        guard
            let current = RedirectHop(
                from: plain, body: nil, status: 303, location: here, credentials: credentials)?.request,
            let next = RedirectHop(
                from: current, body: nil, status: 303, location: target.absoluteString, credentials: credentials)?
                .request
        else { throw PaginationError(.malformedLink) }
        let wasSecure = [url, current.url].contains { $0?.origin?.scheme == "https" }
        guard !wasSecure || target.origin?.scheme == "https" else { throw PaginationError(.insecure) }
        return next
    }
}
