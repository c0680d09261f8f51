extension TransportConfiguration {
    /// How a connection uses several networks, as in `URLSessionConfiguration.MultipathServiceType`.
    public enum Multipath: Hashable, Sendable, CaseIterable {
        /// One network.
        case none
        /// Continues over the other network when the first one fails.
        case handover
        /// Uses the network with the shorter delay.
        case interactive
        /// Uses all networks at once. For development only.
        case aggregate
    }

    /// The kind of traffic, as in `NSURLRequest.NetworkServiceType`.
    public enum ServiceType: Hashable, Sendable, CaseIterable {
        case `default`
        /// Transfers that the user does not wait for.
        case background
        case video
        case voice
    }
}
