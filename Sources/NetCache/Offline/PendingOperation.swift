public import NetCore

/// A request that waits to be sent, in a ``PendingOperationsQueue``.
public struct PendingOperation: Identifiable, Hashable, Sendable, Codable {
    /// Where an operation stands.
    public enum State: String, Hashable, Sendable, Codable {
        /// It will be sent.
        case waiting
        /// It is being sent.
        case sending
        /// The server said that it is in conflict (409, 412), and the conflict hook kept it. It will be sent again.
        case conflicted
        /// The server refused it in a way that sending it again will not change, or it failed too often. It stays, unsent, until
        /// ``PendingOperationsQueue/retry(_:)`` or ``PendingOperationsQueue/remove(_:)``.
        case failed
    }

    /// Names the operation, also after a restart.
    public let id: UUID
    /// The URL, without a user name and a password unless the queue keeps credentials.
    public internal(set) var url: URL
    /// The method.
    public internal(set) var method: HTTPMethod
    /// The header fields, without those that are not stored: see ``PendingOperationsQueue``.
    public internal(set) var headers: HTTPHeaders
    /// The body; nil for none.
    public internal(set) var body: Data?
    /// What `Idempotency-Key` has each time that it is sent: the server can tell a repetition from a second request.
    public internal(set) var idempotencyKey: String
    /// When it was added.
    public let createdAt: Date
    /// From when on it is not sent any more, but dropped; nil for never.
    public let expiresAt: Date?
    /// The user whose operation it is, as its caller said: see ``RequestContext/partition``. Nil if the caller said nothing.
    public let partition: String?
    /// The name that the client gave to the user who was signed in when it was added; nil if it had none.
    public let owner: String?
    /// Where it stands.
    public internal(set) var state = State.waiting
    /// How many times it was sent. What could not leave the device does not count; what was under way when the process ended may
    /// not.
    public internal(set) var attempts = 0
    /// The ``NetworkError/code`` of the last failure; nil if there was none.
    public internal(set) var lastFailure: String?
    /// The status of the last failure, if it was one.
    public internal(set) var lastStatusCode: Int?

    /// Its place in the queue.
    var sequence: Int
    /// The names of the fields that were left out when it was stored.
    var withheldHeaders: [String]

    /// What is to be sent, as a request with a body.
    public var urlRequest: URLRequest {
        var request = urlRequestWithoutBody
        request.httpBody = body
        return request
    }

    var urlRequestWithoutBody: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        var fields = headers
        fields.add(name: Self.idempotencyField, value: idempotencyKey)
        request.allHTTPHeaderFields = fields.dictionary
        return request
    }

    /// The field of draft-ietf-httpapi-idempotency-key-header. The key is sent bare, as the services do that are in use.
    static let idempotencyField = "Idempotency-Key"

    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

extension PendingOperation {
    /// What is taken of a request: see ``PendingOperationsQueue/add(_:expiresIn:partition:)-(URLRequest,_,_)``.
    struct Content {
        var url: URL
        var method: HTTPMethod
        var headers: HTTPHeaders
        var body: Data?
        var withheldHeaders: [String]
        var idempotencyKey: String

        /// - Throws: ``NetworkError/invalidURL``, ``RequestBuildingError``, ``PendingOperationsQueue/Failure``.
        init(_ request: URLRequest, body: Data?, keepsCredentials: Bool) throws {
            guard let url = request.url, url.isHTTP else { throw NetworkError.invalidURL }
            guard request.httpBodyStream == nil else { throw PendingOperationsQueue.Failure.bodyIsStream }
            let method = request.httpMethod ?? "GET"
            guard method.isHTTPToken else { throw RequestBuildingError.invalidMethod(method) }
            var headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
            if let invalid = headers.firstInvalid { throw RequestBuildingError.invalidHeader(invalid.name) }
            let body = body ?? request.httpBody
            guard body?.count ?? 0 <= Self.maximumBodySize else {
                throw PendingOperationsQueue.Failure.bodyTooLarge(limit: Self.maximumBodySize)
            }
            withheldHeaders = keepsCredentials ? [] : headers.map(\.name).filter(CredentialFields.namesSecret)
            for name in withheldHeaders { headers.remove(name: name) }
            idempotencyKey = headers[PendingOperation.idempotencyField] ?? UUID().uuidString.lowercased()
            headers.remove(name: PendingOperation.idempotencyField)
            self.url = keepsCredentials ? url : url.withoutUserInformation
            self.method = HTTPMethod(rawValue: method)
            self.headers = headers
            self.body = body
        }

        static let maximumBodySize = 64 << 20
    }

    init(_ content: Content, sequence: Int, createdAt: Date, expiresAt: Date?, partition: String?, owner: String?) {
        id = UUID()
        url = content.url
        method = content.method
        headers = content.headers
        body = content.body
        idempotencyKey = content.idempotencyKey
        withheldHeaders = content.withheldHeaders
        self.sequence = sequence
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.partition = partition
        self.owner = owner
    }

    /// Whether it may be sent while a user of that name is signed in.
    ///
    /// - Parameter name: the client's name for its present user; nil if it has none.
    func belongs(to name: String?) -> Bool {
        if let partition { return name == nil || name == partition }
        return owner == nil || name == owner
    }

    /// Takes another request in place of its own, which is a new one to the server: the key of this one, which a request made
    /// from it has too, would have it refused or taken for done.
    mutating func replace(with content: Content) {
        url = content.url
        method = content.method
        headers = content.headers
        body = content.body
        idempotencyKey =
            content.idempotencyKey == idempotencyKey ? UUID().uuidString.lowercased() : content.idempotencyKey
        withheldHeaders = content.withheldHeaders
        state = .waiting
    }
}

extension PendingOperation: RedactedReflectable {
    /// What names the operation and where it stands, without secrets and without the body.
    public var shownFields: KeyValuePairs<String, Any?> {
        [
            "id": id, "method": method.rawValue, "url": url.redactedText, "headers": headers.isEmpty ? nil : headers,
            "body": body.map { "\($0.count) bytes" }, "state": state, "attempts": attempts, "lastFailure": lastFailure,
        ]
    }
}

extension PendingOperation {
    /// A conflict that the server reported for an operation (409, 412): another client has changed the resource.
    public struct Conflict: Sendable {
        /// What the queue does about a conflict.
        public enum Resolution: Sendable {
            /// Keeps the operation, and sends it again in the next pass.
            case keep
            /// Removes the operation: the server's state stands.
            case drop
            /// Sends this request now, in place of the operation, with a new idempotency key. After three replacements in a row the queue
            /// keeps the operation.
            case replace(URLRequest)
        }

        /// The operation that was sent.
        public let operation: PendingOperation
        /// 409 or 412.
        public let statusCode: Int
        /// The header fields of the response, such as the current `ETag`.
        public let headers: HTTPHeaders
        /// The first 1 MiB of the response.
        public let body: Data
    }
}

extension PendingOperation.Conflict: RedactedReflectable {
    /// The operation, the status and the header fields, without the body.
    public var shownFields: KeyValuePairs<String, Any?> {
        ["operation": operation, "statusCode": statusCode, "headers": headers, "body": "\(body.count) bytes"]
    }
}

/// The operations of a queue by their names and in the order in which they were added.
struct PendingOrder {
    private var byID: [UUID: PendingOperation] = [:]
    /// By sequence. Removed operations stay until they are more than half.
    private var places: [(sequence: Int, id: UUID)] = []
    /// How many places were looked at since the beginning. Tests read it: a pass over the queue looks at each a few times.
    private(set) var visits = 0

    subscript(id: UUID) -> PendingOperation? { byID[id] }

    /// All, in order.
    var all: [PendingOperation] { places.compactMap { byID[$0.id] } }

    mutating func insert(_ operation: PendingOperation) {
        byID[operation.id] = operation
        let place = (operation.sequence, operation.id)
        if places.last.map({ $0.sequence < operation.sequence }) ?? true {
            places.append(place)
        } else {
            // Two that were added at the same time may be stored the other way round.
            places.insert(place, at: firstIndex(after: operation.sequence))
        }
    }

    /// Replaces an operation, unless it was removed.
    mutating func update(_ operation: PendingOperation) {
        if byID[operation.id] != nil { byID[operation.id] = operation }
    }

    mutating func remove(_ id: UUID) {
        guard byID.removeValue(forKey: id) != nil, places.count > 2 * byID.count + 16 else { return }
        visits += places.count
        places.removeAll { byID[$0.id] == nil }
    }

    /// The first operation behind a place that is to be sent.
    mutating func next(after sequence: Int) -> PendingOperation? {
        var index = firstIndex(after: sequence)
        while index < places.count {
            visits += 1
            if let operation = byID[places[index].id], operation.state != .failed { return operation }
            index += 1
        }
        return nil
    }

    private func firstIndex(after sequence: Int) -> Int {
        var range = 0..<places.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = places[middle].sequence > sequence ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
