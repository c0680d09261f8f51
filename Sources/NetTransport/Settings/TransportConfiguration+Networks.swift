import NetCore

extension TransportConfiguration {
    /// Why Linux cannot choose networks as configured, or nil if it can.
    var networkRefusalOnLinux: String? {
        if !allowsExpensiveNetworkAccess || !allowsConstrainedNetworkAccess
            || allowsUltraConstrainedNetworkAccess != nil
        {
            return
                "Linux does not report which networks are expensive or constrained. Leave allowsExpensiveNetworkAccess, "
                + "allowsConstrainedNetworkAccess and allowsUltraConstrainedNetworkAccess alone."
        }
        if multipath != .none { return Self.multipathRefusal }
        return serviceType == .default
            ? nil : "Only Apple platforms have network service types. Leave serviceType at .default."
    }

    static let multipathRefusal = "Only iOS has Multipath TCP. Leave multipath at .none."
}

extension TransportConfiguration.ServiceType {
    /// Nil for a kind that transports lack.
    init?(_ type: NSURLRequest.NetworkServiceType) {
        guard let known = Self.allCases.first(where: { $0.system == type }) else { return nil }
        self = known
    }

    var system: NSURLRequest.NetworkServiceType {
        switch self {
        case .default: .default
        case .background: .background
        case .video: .video
        case .voice: .voice
        }
    }
}

extension RequestContext.Priority {
    /// The priority of a task. `URLSession` passes it on to servers that speak HTTP/2 and HTTP/3.
    var ofTask: Float {
        switch self {
        case .low: URLSessionTask.lowPriority
        case .normal: URLSessionTask.defaultPriority
        case .high: URLSessionTask.highPriority
        }
    }
}
