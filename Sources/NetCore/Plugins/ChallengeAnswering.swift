/// An interceptor that answers a server's challenges (RFC 9110, section 11): it tells the client's retry engine when to send a request
/// again, and adds its answer to requests that pass.
package protocol ChallengeAnswering: HTTPInterceptor {
    /// Takes note of the challenge in a response.
    ///
    /// - Parameters:
    ///   - response: the response, of any status.
    ///   - request: the request as it was sent.
    ///   - context: the context of the call.
    /// - Returns: whether the same request would be sent with another answer now.
    func canAnswer(_ response: TransportResponse, to request: URLRequest, context: RequestContext) -> Bool
}
