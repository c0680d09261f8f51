public import Security

/// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    public let transactionMetrics: [URLSessionTaskTransactionMetrics]
    public let taskInterval: DateInterval

    init(_ transactions: [URLSessionTaskTransactionMetrics], interval: DateInterval) {
        (transactionMetrics, taskInterval) = (transactions, interval)
    }
}

/// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    public internal(set) var request: URLRequest
    public internal(set) var response: URLResponse?
    public internal(set) var domainLookupEndDate: Date?
    public internal(set) var secureConnectionStartDate: Date?
    public internal(set) var secureConnectionEndDate: Date?
    public internal(set) var connectEndDate: Date?
    public internal(set) var requestStartDate: Date?
    public internal(set) var responseStartDate: Date?
    public internal(set) var responseEndDate: Date?
    public internal(set) var networkProtocolName: String?
    public internal(set) var isReusedConnection = false
    public internal(set) var countOfRequestBodyBytesSent: Int64 = 0
    public internal(set) var countOfResponseBodyBytesReceived: Int64 = 0
    public internal(set) var localAddress: String?
    public internal(set) var localPort: Int?
    public internal(set) var remoteAddress: String?
    public internal(set) var remotePort: Int?
    public internal(set) var negotiatedTLSProtocolVersion: tls_protocol_version_t?
    public internal(set) var negotiatedTLSCipherSuite: tls_ciphersuite_t?

    init(_ request: URLRequest) { self.request = request }
}
