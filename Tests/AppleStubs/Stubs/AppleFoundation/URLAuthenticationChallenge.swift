/// https://developer.apple.com/documentation/foundation/urlauthenticationchallengesender
public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge)
    func cancel(_ challenge: URLAuthenticationChallenge)
}

/// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    public let protectionSpace: URLProtectionSpace
    public let previousFailureCount: Int

    public init(
        protectionSpace space: URLProtectionSpace, proposedCredential credential: URLCredential?,
        previousFailureCount: Int, failureResponse response: URLResponse?, error: (any Error)?,
        sender: any URLAuthenticationChallengeSender
    ) { (protectionSpace, self.previousFailureCount) = (space, previousFailureCount) }

    /// As a session makes it, whose challenges have no sender that may be used.
    init(_ space: URLProtectionSpace, failures: Int = 0) { (protectionSpace, previousFailureCount) = (space, failures) }
}
