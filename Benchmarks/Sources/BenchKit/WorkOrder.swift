import Foundation

/// What a worker process has to do.
package struct WorkOrder: Codable {
    package var url: URL
    /// The certificate authority, a PEM file.
    package var authority: String
    /// The length that each body must have.
    package var expectedLength: Int
    package var tasks = 1
    package var warmUp = 0.0
    package var seconds = 0.0
    /// Where a download goes; nil for many small requests.
    package var output: String?

    package init(url: URL, authority: String, expectedLength: Int) {
        self.url = url
        self.authority = authority
        self.expectedLength = expectedLength
    }

    /// In seconds: far more than it takes.
    package var timeLimit: UInt32 { UInt32(warmUp + seconds) + (output == nil ? 20 : 60) }
}

/// What a worker process found out about itself.
package struct Score: Codable {
    package var requests: Int
    package var seconds: Double
    package var cpuSeconds: Double
    package var peakBytes: Int

    package init(requests: Int, seconds: Double, cpuSeconds: Double, peakBytes: Int) {
        self.requests = requests
        self.seconds = seconds
        self.cpuSeconds = cpuSeconds
        self.peakBytes = peakBytes
    }

    package var requestsPerSecond: Double { Double(requests) / seconds }
    package var cpuMicrosecondsPerRequest: Double { cpuSeconds * 1e6 / Double(requests) }
}
