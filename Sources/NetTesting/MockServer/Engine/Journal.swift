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
    /// What was seen of the HTTP/2 connections, in their order.
    private(set) var http2Connections: [MockHTTP2Connection] = []
    var isStopped = false

    /// - Parameter limit: how many requests are kept; the oldest go first.
    mutating func record(_ request: RecordedRequest, limit: Int) {
        requests.append(request)
        if requests.count > limit { requests.removeFirst() }
    }

    /// Changes what was seen of an HTTP/2 connection. Connections come in the order of their numbers.
    mutating func updateHTTP2(_ number: Int, _ change: (inout MockHTTP2Connection) -> Void) {
        var range = http2Connections.indices[...]
        while let middle = range.isEmpty ? nil : range[range.startIndex + range.count / 2] {
            let found = http2Connections[middle].number
            if found == number { return change(&http2Connections[middle]) }
            range = found < number ? range[(middle + 1)...] : range[..<middle]
        }
        http2Connections.insert(MockHTTP2Connection(number: number), at: range.startIndex)
        change(&http2Connections[range.startIndex])
    }

    /// The oldest request that was not taken and is still kept.
    mutating func takeRequest() -> RecordedRequest? {
        next = max(next, requests.startIndex)
        guard next < requests.endIndex else { return nil }
        defer { next += 1 }
        return requests[next]
    }
}
