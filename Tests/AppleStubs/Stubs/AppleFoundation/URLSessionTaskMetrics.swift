public import Security

/// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics/resourcefetchtype
    public enum ResourceFetchType: Int, Sendable {
        case unknown = 0
        case networkLoad = 1
        case serverPush = 2
        case localCache = 3
    }

    /// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics/domainresolutionprotocol
    public enum DomainResolutionProtocol: Int, Sendable {
        case unknown = 0
        case udp = 1
        case tcp = 2
        case tls = 3
        case https = 4
    }

    /// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics/transactionmetrics
    public let transactionMetrics: [URLSessionTaskTransactionMetrics]
    /// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics/taskinterval
    public let taskInterval: DateInterval
    /// https://developer.apple.com/documentation/foundation/urlsessiontaskmetrics/redirectcount
    public let redirectCount: Int

    init(_ transactions: [URLSessionTaskTransactionMetrics], interval: DateInterval, redirects: Int) {
        transactionMetrics = transactions
        taskInterval = interval
        redirectCount = redirects
    }
}

/// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/request
    public internal(set) var request: URLRequest
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/response
    public internal(set) var response: URLResponse?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/fetchstartdate
    public internal(set) var fetchStartDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/domainlookupstartdate
    public internal(set) var domainLookupStartDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/domainlookupenddate
    public internal(set) var domainLookupEndDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/connectstartdate
    public internal(set) var connectStartDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/secureconnectionstartdate
    public internal(set) var secureConnectionStartDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/secureconnectionenddate
    public internal(set) var secureConnectionEndDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/connectenddate
    public internal(set) var connectEndDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/requeststartdate
    public internal(set) var requestStartDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/requestenddate
    public internal(set) var requestEndDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/responsestartdate
    public internal(set) var responseStartDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/responseenddate
    public internal(set) var responseEndDate: Date?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/networkprotocolname
    public internal(set) var networkProtocolName: String?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/isproxyconnection
    public internal(set) var isProxyConnection = false
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/isreusedconnection
    public internal(set) var isReusedConnection = false
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/resourcefetchtype
    public internal(set) var resourceFetchType = URLSessionTaskMetrics.ResourceFetchType.networkLoad
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/countofrequestheaderbytessent
    public internal(set) var countOfRequestHeaderBytesSent: Int64 = 0
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/countofrequestbodybytessent
    public internal(set) var countOfRequestBodyBytesSent: Int64 = 0
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/countofrequestbodybytesbeforeencoding
    public internal(set) var countOfRequestBodyBytesBeforeEncoding: Int64 = 0
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/countofresponseheaderbytesreceived
    public internal(set) var countOfResponseHeaderBytesReceived: Int64 = 0
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/countofresponsebodybytesreceived
    public internal(set) var countOfResponseBodyBytesReceived: Int64 = 0
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/countofresponsebodybytesafterdecoding
    public internal(set) var countOfResponseBodyBytesAfterDecoding: Int64 = 0
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/localaddress
    public internal(set) var localAddress: String?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/localport-5rbz4
    public internal(set) var localPort: Int?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/remoteaddress
    public internal(set) var remoteAddress: String?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/remoteport-2ucap
    public internal(set) var remotePort: Int?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/negotiatedtlsprotocolversion-4tb76
    public internal(set) var negotiatedTLSProtocolVersion: tls_protocol_version_t?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/negotiatedtlsciphersuite
    public internal(set) var negotiatedTLSCipherSuite: tls_ciphersuite_t?
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/iscellular
    public internal(set) var isCellular = false
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/isexpensive
    public internal(set) var isExpensive = false
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/isconstrained
    public internal(set) var isConstrained = false
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/ismultipath
    public internal(set) var isMultipath = false
    /// https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics/domainresolutionprotocol
    public internal(set) var domainResolutionProtocol = URLSessionTaskMetrics.DomainResolutionProtocol.unknown

    init(_ request: URLRequest) {
        self.request = request
    }
}
