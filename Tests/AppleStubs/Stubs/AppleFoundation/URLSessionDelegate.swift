/// https://developer.apple.com/documentation/foundation/urlsessiondelegate
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsession(_:didbecomeinvalidwitherror:)
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsession(_:didreceive:completionhandler:)
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

    /// https://developer.apple.com/documentation/foundation/urlsessiondelegate/urlsessiondidfinishevents(forbackgroundurlsession:)
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

// In Apple's SDKs these are optional methods of Objective-C.
extension URLSessionDelegate {
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        Unimplemented.note()
    }

    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        Unimplemented.note()
    }

    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        Unimplemented.note()
    }
}
