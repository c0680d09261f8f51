import NetCore

/// What a server has seen.
struct Journal {
    var requests: [RecordedRequest] = []
    /// How many of them `takeRequest` has handed out.
    var taken = 0
    /// Connections accepted so far.
    var accepted = 0
    /// Connections that are open now.
    var open = 0
    /// Why requests were refused.
    var protocolErrors: [String] = []
    var isStopped = false
}
