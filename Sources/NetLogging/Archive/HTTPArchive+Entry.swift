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
        /// Milliseconds in all: the sum of the timings that are known.
        public var time: Double
        /// The request.
        public var request: Request
        /// The response; its status is 0 if there was none.
        public var response: Response
        /// What a browser's cache had. This SDK says it in ``cacheState``.
        package var cache: Cache
        /// Where the time went.
        public var timings: Timings
        /// The address of the server, an IP address without the port.
        public var serverIPAddress: String?
        /// Names the connection.
        public var connection: String?
        /// For readers.
        public var comment: String?
        /// The call it belongs to (`#42`). Ours: `_requestID`.
        public var requestID: String?
        /// How many times the request had been sent before. Ours: `_attempt`.
        public var attempt: Int?
        /// Why it was sent again, if this exchange was one of those. Ours: `_retryReason`.
        public var retryReason: String?
        /// What the SDK's cache did. Ours: `_cacheState`.
        public var cacheState: String?
        /// Why there is no response. Ours, and some browsers': `_error`.
        public var error: String?

        package init(
            startedDateTime: Date, request: Request, response: Response, timings: Timings = Timings(),
            serverIPAddress: String? = nil
        ) {
            started = ArchiveDate(startedDateTime)
            time = timings.total
            self.request = request
            self.response = response
            cache = Cache()
            self.timings = timings
            self.serverIPAddress = serverIPAddress
        }

        private enum CodingKeys: String, CodingKey {
            case started = "startedDateTime"
            case time, request, response, cache, timings, serverIPAddress, connection, comment
            case requestID = "_requestID"
            case attempt = "_attempt"
            case retryReason = "_retryReason"
            case cacheState = "_cacheState"
            case error = "_error"
        }

        /// Reads an entry; what is required there and missing all the same, such as `cache`, is taken as empty.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            started = try values.decode(ArchiveDate.self, forKey: .started)
            request = try values.decode(Request.self, forKey: .request)
            response = try values.decode(Response.self, forKey: .response)
            timings = try values.decodeIfPresent(Timings.self, forKey: .timings) ?? Timings()
            time = try values.decodeIfPresent(Double.self, forKey: .time) ?? timings.total
            cache = try values.decodeIfPresent(Cache.self, forKey: .cache) ?? Cache()
            serverIPAddress = try values.decodeIfPresent(String.self, forKey: .serverIPAddress)
            connection = try values.decodeIfPresent(String.self, forKey: .connection)
            comment = try values.decodeIfPresent(String.self, forKey: .comment)
            requestID = try values.decodeIfPresent(String.self, forKey: .requestID)
            attempt = try values.decodeIfPresent(Int.self, forKey: .attempt)
            retryReason = try values.decodeIfPresent(String.self, forKey: .retryReason)
            cacheState = try values.decodeIfPresent(String.self, forKey: .cacheState)
            error = try values.decodeIfPresent(String.self, forKey: .error)
        }
    }

    /// What a browser's cache had: not read, and written empty.
    package struct Cache: Sendable, Hashable, Codable {
        package init() {}
        /// Reads nothing.
        package init(from decoder: any Decoder) throws {}
    }

    /// Where the time of an exchange went, in milliseconds; nil (written as -1) where it did not happen or is not known.
    public struct Timings: Sendable, Hashable, Codable {
        /// Waiting in the client.
        public var blocked: Double?
        /// Looking up the address.
        public var dns: Double?
        /// Opening the connection, the TLS handshake included.
        public var connect: Double?
        /// The TLS handshake, which is part of ``connect``.
        public var ssl: Double?
        /// Sending the request.
        public var send: Double?
        /// Waiting for the first byte.
        public var wait: Double?
        /// Receiving the response.
        public var receive: Double?

        package init(
            blocked: Double? = nil, dns: Double? = nil, connect: Double? = nil, ssl: Double? = nil,
            send: Double? = 0, wait: Double? = 0, receive: Double? = 0
        ) {
            self.blocked = blocked
            self.dns = dns
            self.connect = connect
            self.ssl = ssl
            self.send = send
            self.wait = wait
            self.receive = receive
        }

        /// The sum of those that are known. ``ssl`` is in ``connect``.
        public var total: Double {
            [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max(0, $1 ?? 0) }
        }

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case blocked, dns, connect, ssl, send, wait, receive
        }

        /// Reads timings: what is missing or negative is not known.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            func time(_ key: CodingKeys) throws -> Double? {
                try values.decodeIfPresent(Double.self, forKey: key).flatMap { $0 < 0 ? nil : $0 }
            }
            self.init(
                blocked: try time(.blocked), dns: try time(.dns), connect: try time(.connect), ssl: try time(.ssl),
                send: try time(.send), wait: try time(.wait), receive: try time(.receive))
        }

        /// Writes all of them: what is not known as -1.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            for (key, time) in zip(CodingKeys.allCases, [blocked, dns, connect, ssl, send, wait, receive]) {
                try values.encode(time ?? -1, forKey: key)
            }
        }
    }
}
