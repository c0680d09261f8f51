/// A cache in the pipeline: the slot of a client that NetCache fills, or a cache of your own.
///
/// As an interceptor it answers a request from what is stored, or sends it on and stores the response. It stands outside
/// retry and authentication, so it must keep users apart by itself: ``RequestContext/partition``, and `Authorization` and
/// `Cookie` where the request has them, belong into its keys.
public protocol HTTPCaching: HTTPInterceptor {
    /// Drops every stored response that could answer this request, whosever it is, so that the next one asks the server.
    /// Does nothing if there is none.
    func invalidate(for request: URLRequest) async

    /// Drops all that is stored.
    func invalidateAll() async
}
