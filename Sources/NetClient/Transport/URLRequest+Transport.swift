import NetCore

extension URLRequest {
    /// The longest time without a byte, of the request's own and the transport's: the shorter one.
    ///
    /// Foundation does not say whether somebody has set a timeout, so the default of 60 s counts as none where the transport
    /// has one: otherwise nobody could wait longer by the transport's settings.
    func idleTimeout(or general: TimeInterval?) -> TimeInterval? {
        guard let general, general > 0 else { return timeoutInterval }
        return timeoutInterval == 60 || !(timeoutInterval > 0) ? general : min(timeoutInterval, general)
    }
}
