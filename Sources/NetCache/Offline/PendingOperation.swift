public import NetCore

/// A request that waits in a ``PendingOperationsQueue``.
public struct PendingOperation: Identifiable, Hashable, Sendable, Codable {
    /// The state of an operation in its queue.
    public enum State: String, Hashable, Sendable, Codable {
        /// The queue will send it.
        case waiting
        /// The queue is sending it.
        case sending
        /// The server reported a conflict (409, 412), and the conflict hook kept the operation. The queue will send it again.
        case conflicted
        /// The server refused the operation permanently, or it failed too often. It stays, unsent, until
        /// ``PendingOperationsQueue/retry(_:)`` or ``PendingOperationsQueue/remove(_:)``.
        case failed
    }

    /// The identifier, which survives a restart.
    public let id: UUID
    /// The URL, without user name and password unless the queue keeps credentials.
    public internal(set) var url: URL
    public internal(set) var method: HTTPMethod
    /// The header fields, without withheld credentials: see ``PendingOperationsQueue``.
    public internal(set) var headers: HTTPHeaders
    public internal(set) var body: Data?
    /// The `Idempotency-Key` of every attempt. The server can tell a repetition from a second request by it.
    public internal(set) var idempotencyKey: String
    /// The time when the operation was added.
    public let createdAt: Date
    /// The time from which the queue drops the operation instead of sending it; nil for never.
    public let expiresAt: Date?
    /// The user of the operation, as the caller named it: see ``RequestContext/partition``. Nil if the caller named none.
    public let partition: String?
    /// The client's name for the user who was signed in when the operation was added; nil if it had none.
    public let owner: String?
    public internal(set) var state = State.waiting
    /// The number of attempts. An attempt while the device is offline does not count. One that was running when the process ended
    /// may not count.
    public internal(set) var attempts = 0
    /// The ``NetworkError/code`` of the last failure, or nil.
    public internal(set) var lastFailure: String?
    /// The status code of the last failure, if it was a response.
    public internal(set) var lastStatusCode: Int?

    /// The place in the queue: the microseconds since 1970, or one more than the place before.
    var sequence: Int64
    /// The names of the fields that were not stored.
    var withheldHeaders: [String]

    /// The request with its body.
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

    /// The field of draft-ietf-httpapi-idempotency-key-header. The key is sent without quotes, as existing services do.
    static let idempotencyField = "Idempotency-Key"

    var place: PendingOrder.Place { PendingOrder.Place(sequence: sequence, id: id) }

    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

extension PendingOperation {
    /// The stored part of a request: see ``PendingOperationsQueue/add(_:expiresIn:partition:)-(URLRequest,_,_)``.
    struct Content {
        var url: URL
        var method: HTTPMethod
        var headers: HTTPHeaders
        var body: Data?
        var withheldHeaders: [String]
        var idempotencyKey: String

        /// - Throws: ``NetworkError/invalidURL``, an error that describes the problem, ``PendingOperationsQueue/Failure``.
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

    init(_ content: Content, sequence: Int64, createdAt: Date, expiresAt: Date?, partition: String?, owner: String?) {
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

    /// Whether the operation may be sent while that user is signed in.
    ///
    /// - Parameter name: the client's name for its present user; nil if it has none.
    func belongs(to name: String?) -> Bool {
        if let partition { return name == nil || name == partition }
        return owner == nil || name == owner
    }

    /// Replaces the request. It gets a new key: with the old one, the server would refuse it or treat it as done.
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
    /// The identifier, the request and the state, without secrets and without the body.
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
            /// Sends this request now, in place of the operation, with a new idempotency key. The queue keeps the operation after
            /// three replacements in a row.
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

/// The operations of a queue, by ID and in the order in which they were added.
struct PendingOrder {
    struct Place: Comparable {
        let sequence: Int64
        let id: UUID

        /// Two processes may use a sequence at the same time.
        static func < (one: Place, other: Place) -> Bool {
            one.sequence == other.sequence ? one.id.uuidString < other.id.uuidString : one.sequence < other.sequence
        }
    }

    private var byID: [UUID: PendingOperation] = [:]
    /// Sorted. Removed operations stay until they are more than half.
    private var places: [Place] = []
    /// The operations that were changed since ``beginMerge()``.
    private var changed: Set<UUID> = []
    /// The number of places that were visited, for tests: a pass over the queue visits each place a few times.
    private(set) var visits = 0

    subscript(id: UUID) -> PendingOperation? { byID[id] }

    /// All operations, in order.
    var all: [PendingOperation] { places.compactMap { byID[$0.id] } }

    mutating func insert(_ operation: PendingOperation) {
        changed.insert(operation.id)
        guard byID.updateValue(operation, forKey: operation.id) == nil else { return }
        // Operations that were added at the same time, or by two processes, may come in reverse order.
        places.insert(
            operation.place,
            at: places.last.map { $0 < operation.place } ?? true ? places.count : firstIndex(after: operation.place))
    }

    /// Replaces an operation, unless it was removed.
    mutating func update(_ operation: PendingOperation) {
        guard byID[operation.id] != nil else { return }
        changed.insert(operation.id)
        byID[operation.id] = operation
    }

    /// Begins to read the stored operations again, for ``merge(_:)``.
    mutating func beginMerge() { changed = [] }

    /// Takes over the stored operations, except for those that were changed while they were read.
    mutating func merge(_ stored: [PendingOperation]) {
        let unchanged = Set(byID.keys).subtracting(changed)
        for id in unchanged.subtracting(stored.map(\.id)) { remove(id) }
        for operation in stored where !changed.contains(operation.id) { insert(operation) }
    }

    mutating func remove(_ id: UUID) {
        changed.insert(id)
        guard byID.removeValue(forKey: id) != nil, places.count > 2 * byID.count + 16 else { return }
        visits += places.count
        places.removeAll { byID[$0.id] == nil }
    }

    /// Returns the first operation to send behind a place.
    ///
    /// - Parameter place: nil for the start of the queue.
    mutating func next(after place: Place?) -> PendingOperation? {
        var index = place.map(firstIndex(after:)) ?? 0
        while index < places.count {
            visits += 1
            if let operation = byID[places[index].id], operation.state != .failed { return operation }
            index += 1
        }
        return nil
    }

    private func firstIndex(after place: Place) -> Int {
        var range = 0..<places.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = places[middle] > place ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
