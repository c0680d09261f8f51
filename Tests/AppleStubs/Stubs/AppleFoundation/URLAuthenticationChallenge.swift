/// https://developer.apple.com/documentation/foundation/urlauthenticationchallengesender
public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge)
    func cancel(_ challenge: URLAuthenticationChallenge)
}

/// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    public let protectionSpace: URLProtectionSpace
    public let proposedCredential: URLCredential?
    public let previousFailureCount: Int
    public let failureResponse: URLResponse?
    public let error: (any Error)?
    public let sender: (any URLAuthenticationChallengeSender)?

    public init(
        protectionSpace space: URLProtectionSpace, proposedCredential credential: URLCredential?,
        previousFailureCount: Int, failureResponse response: URLResponse?, error: (any Error)?,
        sender: any URLAuthenticationChallengeSender
    ) {
        (protectionSpace, proposedCredential, failureResponse) = (space, credential, response)
        (self.previousFailureCount, self.error, self.sender) = (previousFailureCount, error, sender)
    }

    /// As a session makes it, whose challenges have no sender that may be used.
    init(_ space: URLProtectionSpace, proposed: URLCredential? = nil, failures: Int = 0, response: URLResponse? = nil) {
        (protectionSpace, proposedCredential, failureResponse) = (space, proposed, response)
        (previousFailureCount, error, sender) = (failures, nil, nil)
    }
}
