import Foundation

/// What a worker process has to do.
package struct WorkOrder: Codable, Sendable {
    package enum Work: String, Codable, Sendable, CaseIterable {
        /// Many requests, each with its whole response.
        case requests
        /// Requests one after another, each timed from the call to the head of its response.
        case firstByte
        /// One download into a file.
        case download
        /// Many clients, each with an open connection.
        case clients
        /// One client with open connections and nothing to do.
        case idle
    }

    package var url: URL
    /// The certificate authority, a PEM file.
    package var authority: String
    /// The length that each body must have.
    package var expectedLength: Int
    package var work = Work.requests
    package var tasks = 1
    package var warmUp = 0.0
    package var seconds = 0.0
    /// The exact number of requests; 0 for as many as the seconds allow.
    package var requests = 0
    /// The length of each request's body, which makes it a POST; 0 for a GET.
    package var upload = 0
    /// Whether the server speaks HTTP/2 only.
    package var isHTTP2 = false
    /// Whether the client has a cache in memory.
    package var isCached = false
    /// The number of clients of ``Work/clients``.
    package var clients = 1
    /// Where a download goes.
    package var output = ""

    package init(url: URL, authority: String, expectedLength: Int) {
        self.url = url
        self.authority = authority
        self.expectedLength = expectedLength
    }

    /// The order as words, `name=value`, for a program without a JSON parser.
    package var words: [String] {
        [
            "url=\(url.absoluteString)", "authority=\(authority)", "expectedLength=\(expectedLength)",
            "work=\(work.rawValue)", "tasks=\(tasks)", "warmUp=\(warmUp)", "seconds=\(seconds)", "requests=\(requests)",
            "upload=\(upload)", "isHTTP2=\(isHTTP2 ? 1 : 0)", "output=\(output)", "timeLimit=\(timeLimit)",
        ]
    }

    /// In seconds: far more than it takes.
    package var timeLimit: UInt32 {
        UInt32(warmUp + seconds) + (work == .requests ? 20 : 60) + (requests > 0 ? 300 : 0)
    }
}

/// What a worker process found out about itself.
package struct Score: Codable, Sendable {
    package var requests: Int
    package var seconds: Double
    package var cpuSeconds: Double
    package var peakBytes: Int
    /// From the call to the head of the response.
    package var latency: Latency?
    package var footprint: Footprint?
    /// The share of the TLS connections that resumed a session. The log of the server tells it.
    package var resumed: Double?

    package struct Latency: Codable {
        package var medianMicroseconds: Double
        /// The 99th percentile.
        package var p99Microseconds: Double

        /// - Parameter seconds: not empty.
        package init(of seconds: [Double]) {
            let sorted = seconds.sorted()
            medianMicroseconds = sorted[sorted.count / 2] * 1e6
            p99Microseconds = sorted[sorted.count * 99 / 100] * 1e6
        }
    }

    /// What a process with many clients takes.
    package struct Footprint: Codable {
        package var threads: Int
        package var descriptors: Int
        /// Resident at the end.
        package var bytes: Int
        /// What each client but the first added to it.
        package var bytesPerClient: Int
    }

    package init(requests: Int, seconds: Double, cpuSeconds: Double, peakBytes: Int) {
        self.requests = requests
        self.seconds = seconds
        self.cpuSeconds = cpuSeconds
        self.peakBytes = peakBytes
    }

    package var requestsPerSecond: Double { Double(requests) / seconds }
    package var cpuMicrosecondsPerRequest: Double { cpuSeconds * 1e6 / Double(requests) }
}
