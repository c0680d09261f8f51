public import NetCore

extension NetworkClient: HTTPSending {
    /// The stable name of the user for whom a request would be sent now, by the client's provider or its configuration; nil if there is
    /// none.
    public func ownerName(for request: URLRequest) -> String? {
        var context = RequestContext(clock: clock)
        context.origin = request.url
        return preparer.name(for: request, context)
    }
}
