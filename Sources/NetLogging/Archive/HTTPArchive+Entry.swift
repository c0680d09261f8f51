public import NetCore

extension HTTPArchive {
    /// One exchange: a request and its response.
    public struct Entry: Sendable, Hashable, Codable {
        /// The time when the request began.
        public var startedDateTime: Date {
            get { started.date }
            set { started.date = newValue }
        }
        private var started: ArchiveDate
        /// The duration in milliseconds: the sum of the known timings.
        public var time: Double
        public var request: Request
        /// The response. Its status is 0 if there was none.
        public var response: Response
        /// The state of a browser's cache, which the format requires: written empty, and not read. See ``cacheState``.
        private let cache: [String: String] = [:]
        public var timings: Timings
        /// The IP address of the server, without the port.
        public var serverIPAddress: String?
        /// The identifier of the connection: its local port.
        public var connection: String?
        /// The TLS of the connection, in the field `_securityDetails`; nil without TLS.
        public var securityDetails: SecurityDetails?
        /// A text for readers.
        public var comment: String?
        /// The call (`#42`), in our field `_requestID`.
        public var requestID: String?
        /// The number of times the request had been sent before, in our field `_attempt`.
        public var attempt: Int?
        /// The reason of a retry, in our field `_retryReason`.
        public var retryReason: String?
        /// The result of the SDK's cache, in our field `_cacheState`.
        public var cacheState: String?
        /// The reason why there is no response, in the field `_error`, which some browsers use too.
        public var error: String?

        private enum CodingKeys: String, CodingKey {
            case started = "startedDateTime"
            case time, request, response, cache, timings, serverIPAddress, connection, comment
            case securityDetails = "_securityDetails"
            case requestID = "_requestID"
            case attempt = "_attempt"
            case retryReason = "_retryReason"
            case cacheState = "_cacheState"
            case error = "_error"
        }
    }

    /// The TLS of a connection, with the names that Chrome's protocol has for them.
    public struct SecurityDetails: Sendable, Hashable, Codable {
        /// The version, such as `"TLS 1.3"`.
        public var `protocol`: String?
        /// The cipher suite.
        public var cipher: String?

        init?(_ connection: TransportResponse.Connection) {
            guard let version = connection.tlsVersion else { return nil }
            `protocol` = "TLS 1.\(version.rawValue)"
            cipher = connection.cipherSuite
        }
    }

    /// The durations of an exchange, in milliseconds. A step that did not happen, or is unknown, is nil, and written as -1.
    public struct Timings: Sendable, Hashable, Codable {
        /// Waiting in the client.
        public var blocked: Double?
        /// The lookup of the address.
        public var dns: Double?
        /// Opening the connection, with the TLS handshake.
        public var connect: Double?
        /// The TLS handshake, which is part of ``connect``.
        public var ssl: Double?
        /// Sending the request.
        public var send: Double? = 0
        /// Waiting for the first byte.
        public var wait: Double? = 0
        /// Receiving the response.
        public var receive: Double? = 0

        /// The sum of the known durations. ``connect`` includes ``ssl``.
        public var total: Double { [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max(0, $1 ?? 0) } }

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case blocked, dns, connect, ssl, send, wait, receive
        }

        /// Writes all timings, unknown ones as -1.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            for (key, time) in zip(CodingKeys.allCases, [blocked, dns, connect, ssl, send, wait, receive]) {
                try values.encode(time ?? -1, forKey: key)
            }
        }
    }
}

extension HTTPArchive.Entry {
    package init(
        startedDateTime: Date, request: HTTPArchive.Request, response: HTTPArchive.Response,
        timings: HTTPArchive.Timings = HTTPArchive.Timings(), serverIPAddress: String? = nil
    ) {
        self.init(
            started: ArchiveDate(startedDateTime), time: timings.total, request: request, response: response,
            timings: timings, serverIPAddress: serverIPAddress)
    }

    /// Reads an entry. Missing parts, such as `cache`, are replaced by empty ones, even if the format requires them.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let timings = try values.decode(.timings, or: HTTPArchive.Timings())
        try self.init(
            started: values.decode(.started), time: values.decode(.time, or: timings.total),
            request: values.decode(.request), response: values.decode(.response), timings: timings,
            serverIPAddress: values.decode(.serverIPAddress, or: nil), connection: values.decode(.connection, or: nil),
            securityDetails: values.decode(.securityDetails, or: nil), comment: values.decode(.comment, or: nil),
            requestID: values.decode(.requestID, or: nil), attempt: values.decode(.attempt, or: nil),
            retryReason: values.decode(.retryReason, or: nil), cacheState: values.decode(.cacheState, or: nil),
            error: values.decode(.error, or: nil))
    }
}

extension HTTPArchive.Timings {
    /// Reads timings. A missing or negative one is unknown.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func time(_ key: CodingKeys) throws -> Double? {
            try values.decodeIfPresent(Double.self, forKey: key).flatMap { $0 < 0 ? nil : $0 }
        }
        try self.init(
            blocked: time(.blocked), dns: time(.dns), connect: time(.connect), ssl: time(.ssl), send: time(.send),
            wait: time(.wait), receive: time(.receive))
    }
}
