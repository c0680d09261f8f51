extension URLError {
    /// https://developer.apple.com/documentation/foundation/urlerror/networkunavailablereason-swift.enum
    public enum NetworkUnavailableReason: Int, Sendable { case cellular, expensive, constrained }

    public var networkUnavailableReason: NetworkUnavailableReason? {
        (userInfo["NSURLErrorNetworkUnavailableReasonKey"] as? Int).flatMap { NetworkUnavailableReason(rawValue: $0) }
    }
}
