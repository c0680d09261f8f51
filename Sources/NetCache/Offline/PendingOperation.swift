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
        /// Refused permanently, or failed too often. It stays, unsent, until ``PendingOperationsQueue/retry(_:)`` or
        /// ``PendingOperationsQueue/remove(_:)``.
        case failed
    }

    /// The identifier, which survives a restart.
    public let id: UUID
    /// The URL, without user name and password unless the queue keeps credentials.
    public var url: URL { content.url }
    public var method: HTTPMethod { content.method }
    /// The header fields, without credentials: see ``PendingOperationsQueue``.
    public var headers: HTTPHeaders { content.headers }
    public var body: Data? { content.body }
    /// The `Idempotency-Key` of every attempt. The server can tell a repetition from a second request by it.
    public var idempotencyKey: String { content.idempotencyKey }
    /// The time when the operation was added.
    public let createdAt: Date
    /// The time from which the queue drops the operation instead of sending it; nil for never.
    public let expiresAt: Date?
    /// The user of the operation, as the caller named it: see ``RequestContext/partition``. Nil if the caller named none.
    public let partition: String?
    /// The client's name for the user who was signed in when the operation was added; nil if it had none.
    public let owner: String?
    public internal(set) var state = State.waiting
    /// The number of attempts. An attempt while the device is offline does not count. One that was running when the process ended may not count.
    public internal(set) var attempts = 0
    /// The ``NetworkError/code`` of the last failure, or nil.
    public internal(set) var lastFailure: String?
    /// The status code of the last failure, if it was a response.
    public internal(set) var lastStatusCode: Int?

    /// The place in the queue: the microseconds since 1970, or one more than the place before.
    let sequence: Int64
    var content: Content

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

    func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

extension PendingOperation {
    /// The stored part of a request: see ``PendingOperationsQueue/add(_:expiresIn:partition:)-(URLRequest,_,_)``.
    struct Content: Hashable, Sendable, Codable {
        var url: URL
        var method: HTTPMethod
        var headers: HTTPHeaders
        var body: Data?
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
            if !keepsCredentials {
                for name in headers.map(\.name) where CredentialFields.namesSecret(name) { headers.remove(name: name) }
            }
            idempotencyKey = headers[PendingOperation.idempotencyField] ?? UUID().uuidString.lowercased()
            headers.remove(name: PendingOperation.idempotencyField)
            self.url = keepsCredentials ? url : url.withoutUserInformation
            self.method = HTTPMethod(rawValue: method)
            self.headers = headers
            self.body = body
        }

        static let maximumBodySize = 64 << 20
    }

    /// Whether the operation may be sent while the client's user has that name; nil if it has none.
    func belongs(to name: String?) -> Bool {
        if let partition { return name == nil || name == partition }
        return owner == nil || name == owner
    }

    /// Replaces the request. It gets a new key: with the old one, the server would refuse it or treat it as done.
    mutating func replace(with content: Content) {
        let oldKey = idempotencyKey
        self.content = content
        if idempotencyKey == oldKey { self.content.idempotencyKey = UUID().uuidString.lowercased() }
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
            /// Sends this request now, in place of the operation, with a new idempotency key. After three in a row, the queue keeps the operation.
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

extension [PendingOperation.ID: PendingOperation] {
    /// All operations, in the order in which they were added.
    var inOrder: [PendingOperation] { values.sorted { $0.sequence < $1.sequence } }

    /// The identifiers of the operations that are not among these, in the order in which they were added. It is not inlined, since its caller is
    /// async: in an optimised build, an identifier that is hashed lies in its frame, and a pointer past its end is one past the frame, which
    /// `Scripts/check-frames` does not tell from a write.
    @inline(never) func identifiers(without visited: Set<UUID>) -> [UUID] {
        inOrder.map(\.id).filter { !visited.contains($0) }
    }
}
