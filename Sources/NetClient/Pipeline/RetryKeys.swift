import NetCore

/// Where the retries of a call are written down for who ends it from outside: a call that is cut off at its deadline has no
/// outcome to put them on.
enum RetryTraceKey: RequestContextKey {
    static let defaultValue: Locked<RetryTrace>? = nil
}
