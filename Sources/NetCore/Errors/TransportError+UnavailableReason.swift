extension TransportError {
    /// Why a request has no network, although the device may have one. Only Apple platforms report it.
    public enum UnavailableReason: String, Hashable, Sendable, CaseIterable {
        /// There is a cellular network only, which the request or the user's settings do not allow.
        case cellular
        /// There is a network that may cost money only, which the request does not allow.
        case expensive
        /// There is a network in Low Data Mode only, which the request does not allow.
        case constrained
        /// The user does not allow the app to use the local network.
        case localNetworkProhibited = "local_network_prohibited"

        /// The remedy, for developers.
        var hint: String {
            switch self {
            case .cellular: "There is a cellular network only, which is not allowed for this app or request."
            case .expensive: "There is an expensive network only. Set allowsExpensiveNetworkAccess to use it."
            case .constrained: "The network is in Low Data Mode. Set allowsConstrainedNetworkAccess to use it."
            case .localNetworkProhibited:
                "The user does not allow the app to use the local network (Settings, Privacy & Security, Local Network)."
            }
        }
    }
}

extension NetworkFailure {
    /// Why the request has no network, or nil if that is unknown or the request has one.
    public var networkUnavailableReason: TransportError.UnavailableReason? { transportError?.networkUnavailableReason }

    /// The error of the system's URL loading: see ``TransportError/systemError``.
    public var systemError: (any Error)? { transportError?.systemError }
}
