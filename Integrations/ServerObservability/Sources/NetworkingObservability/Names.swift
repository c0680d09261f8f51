/// The names of attributes: OpenTelemetry's semantic conventions for HTTP (stable), except `networking.…`, which are this SDK's.
enum Attribute {
    static let method = "http.request.method"
    static let originalMethod = "http.request.method_original"
    static let resendCount = "http.request.resend_count"
    static let status = "http.response.status_code"
    static let errorType = "error.type"
    static let errorMessage = "error.message"
    static let serverAddress = "server.address"
    static let serverPort = "server.port"
    static let scheme = "url.scheme"
    static let template = "url.template"
    static let url = "url.full"
    static let protocolVersion = "network.protocol.version"
    static let peerAddress = "network.peer.address"
    static let peerPort = "network.peer.port"
    /// The call's number in the process, as in the SDK's own logs: `#7`.
    static let callID = "networking.call.id"
    /// The duration of the call, in seconds.
    static let callDuration = "networking.call.duration"
    static let connectionState = "http.connection.state"
    static let retryReason = "networking.retry.reason"
}

/// The names of metrics: OpenTelemetry's for HTTP clients, except `networking.…`, which are this SDK's.
enum Metric {
    static let duration = "http.client.request.duration"
    static let requestSize = "http.client.request.body.size"
    static let responseSize = "http.client.response.body.size"
    static let activeRequests = "http.client.active_requests"
    static let openConnections = "http.client.open_connections"
    static let openingConnections = "networking.client.opening_connections"
    static let waitingRequests = "networking.client.waiting_requests"
    static let retries = "networking.client.retries"
    static let cacheHits = "networking.client.cache.hits"
}
