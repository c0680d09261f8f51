/// How many times this call may be sent again, beside the client's policy.
package enum RetryCountKey: RequestContextKey {
    package static let defaultValue = 0
}

/// The policy of one call, in place of the client's; nil for the client's own.
package enum RetryPolicyKey: RequestContextKey {
    package static let defaultValue: RetryPolicy? = nil
}

/// Where the retries of a call are written down for who ends it from outside: a call that is cut off at its deadline has no
/// outcome to put them on.
enum RetryTraceKey: RequestContextKey {
    static let defaultValue: Locked<RetryTrace>? = nil
}
