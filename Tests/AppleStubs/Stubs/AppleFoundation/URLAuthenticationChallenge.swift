/// https://developer.apple.com/documentation/foundation/urlauthenticationchallengesender
public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallengesender/use(_:for:)
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)
    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallengesender/continuewithoutcredential(for:)
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge)
    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallengesender/cancel(_:)
    func cancel(_ challenge: URLAuthenticationChallenge)
}

/// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge/protectionspace
    public let protectionSpace: URLProtectionSpace
    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge/proposedcredential
    public let proposedCredential: URLCredential?
    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge/previousfailurecount
    public let previousFailureCount: Int
    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge/failureresponse
    public let failureResponse: URLResponse?
    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge/error
    public let error: (any Error)?
    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge/sender
    public let sender: (any URLAuthenticationChallengeSender)?

    /// https://developer.apple.com/documentation/foundation/urlauthenticationchallenge/init(protectionspace:proposedcredential:previousfailurecount:failureresponse:error:sender:)
    public init(
        protectionSpace space: URLProtectionSpace, proposedCredential credential: URLCredential?,
        previousFailureCount: Int, failureResponse response: URLResponse?, error: (any Error)?,
        sender: any URLAuthenticationChallengeSender
    ) {
        protectionSpace = space
        proposedCredential = credential
        self.previousFailureCount = previousFailureCount
        failureResponse = response
        self.error = error
        self.sender = sender
    }

    /// As a session makes it, whose challenges have no sender that may be used.
    init(_ space: URLProtectionSpace, proposed: URLCredential? = nil, failures: Int = 0, response: URLResponse? = nil) {
        protectionSpace = space
        proposedCredential = proposed
        previousFailureCount = failures
        failureResponse = response
        error = nil
        sender = nil
    }
}
