import NetCore

/// What a server has seen.
struct Journal {
    /// A slice, whose indices go on when the oldest are dropped: the index of a request is how many came before it.
    private(set) var requests = ArraySlice<RecordedRequest>()
    /// The index of the next request that `takeRequest` hands out.
    private var next = 0
    /// Connections accepted so far.
    var accepted = 0
    /// Connections that are open now.
    var open = 0
    /// Why requests were refused.
    var protocolErrors: [String] = []
    var isStopped = false

    /// - Parameter limit: how many requests are kept; the oldest go first.
    mutating func record(_ request: RecordedRequest, limit: Int) {
        requests.append(request)
        if requests.count > limit { requests.removeFirst() }
    }

    /// The oldest request that was not taken and is still kept.
    mutating func takeRequest() -> RecordedRequest? {
        next = max(next, requests.startIndex)
        guard next < requests.endIndex else { return nil }
        defer { next += 1 }
        return requests[next]
    }
}
