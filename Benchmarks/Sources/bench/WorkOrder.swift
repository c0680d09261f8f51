import Foundation

/// Who takes part.
enum Contender: String, Codable, CaseIterable {
    case sdk
    case asyncHTTPClient
    case urlSession
    case c
    case curl

    var title: String {
        switch self {
        case .sdk: "NetworkClient"
        case .asyncHTTPClient: "AsyncHTTPClient"
        case .urlSession: "URLSession"
        case .c: "C loop"
        case .curl: "curl command"
        }
    }
}

/// What a worker process has to do.
struct WorkOrder: Codable {
    var contender: Contender
    var url: URL
    /// The certificate authority, a PEM file.
    var authority: String
    /// The length that each body must have.
    var expectedLength: Int
    var tasks = 1
    var warmUp = 0.0
    var seconds = 0.0
    /// Where a download goes; nil for many small requests.
    var output: String?
}

/// What a worker process found out about itself.
struct Measurement: Codable {
    var requests: Int
    var seconds: Double
    var cpuSeconds: Double
    var peakBytes: Int

    var requestsPerSecond: Double { Double(requests) / seconds }
    var cpuMicrosecondsPerRequest: Double { cpuSeconds * 1e6 / Double(requests) }
}
