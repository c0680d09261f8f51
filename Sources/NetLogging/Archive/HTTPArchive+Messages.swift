public import NetCore

extension HTTPArchive {
    /// A name and a value: a header field, a query item.
    public struct Pair: Sendable, Hashable, Codable {
        public var name: String
        public var value: String
    }

    /// A request of the archive.
    public struct Request: Sendable, Hashable, Codable {
        public var method: String
        /// The whole URL, without its fragment.
        public var url: String
        public var httpVersion = "HTTP/1.1"
        /// The cookies that were sent.
        public var cookies: [Pair] = []
        /// The header fields, with duplicates.
        public var headers: [Pair] = []
        /// The decoded query items.
        public var queryString: [Pair] = []
        /// The body, or nil.
        public var postData: PostData?
        /// The bytes of the head; -1 if unknown.
        public var headersSize: Int64 = -1
        /// The bytes of the body; -1 if unknown.
        public var bodySize: Int64 = -1
    }

    /// The body of a request.
    public struct PostData: Sendable, Hashable, Codable {
        /// The media type.
        public var mimeType: String
        /// The fields of a form.
        public var params: [Parameter]?
        /// The body as text.
        public var text: String?
        /// `base64` for bytes. Not part of HAR 1.2, where a request's body is always text: `_encoding`.
        public var encoding: String?
        /// A comment, such as the reason why there is no text.
        public var comment: String?

        private enum CodingKeys: String, CodingKey {
            case mimeType, params, text, comment
            case encoding = "_encoding"
        }

        /// The decoded bytes, or nil if they were not recorded as text.
        public var data: Data? { HTTPArchive.data(text, encoding) }
    }

    /// A field of a form.
    public struct Parameter: Sendable, Hashable, Codable {
        public var name: String
        /// The value; nil for a file.
        public var value: String?
        public var fileName: String?
        /// The media type of a file.
        public var contentType: String?
    }

    /// A response of the archive.
    public struct Response: Sendable, Hashable, Codable {
        /// The status code; 0 if there was no response.
        public var status: Int
        /// The reason phrase; empty for HTTP/2.
        public var statusText = ""
        public var httpVersion = "HTTP/1.1"
        /// The cookies that were set.
        public var cookies: [Pair] = []
        /// The header fields, with duplicates.
        public var headers: [Pair] = []
        public var content = Content()
        /// The `Location` of a redirect; otherwise empty.
        public var redirectURL = ""
        /// The bytes of the head; -1 if unknown.
        public var headersSize: Int64 = -1
        /// The bytes of the body on the wire; -1 if unknown.
        public var bodySize: Int64 = -1
    }

    /// The body of a response.
    public struct Content: Sendable, Hashable, Codable {
        /// The decoded bytes; -1 if unknown.
        public var size: Int64 = 0
        /// The media type; `x-unknown` if the server sent none.
        public var mimeType = "x-unknown"
        /// The body, or nil if it was not recorded.
        public var text: String?
        /// `base64` for bytes.
        public var encoding: String?
        /// A comment, such as the reason why there is no text.
        public var comment: String?

        /// The decoded bytes. Nil if they were not recorded, or the text does not match ``encoding``.
        public var data: Data? { HTTPArchive.data(text, encoding) }
    }

    private static func data(_ text: String?, _ encoding: String?) -> Data? {
        text.flatMap { encoding == "base64" ? Data(base64Encoded: $0) : Data($0.utf8) }
    }
}

extension HTTPArchive.Request {
    /// Reads a request. Lists and sizes may be missing.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            method: values.decode(.method), url: values.decode(.url),
            httpVersion: values.decode(.httpVersion, or: "HTTP/1.1"), cookies: values.decode(.cookies, or: []),
            headers: values.decode(.headers, or: []), queryString: values.decode(.queryString, or: []),
            postData: values.decode(.postData, or: nil), headersSize: values.decode(.headersSize, or: -1),
            bodySize: values.decode(.bodySize, or: -1))
    }
}

extension HTTPArchive.Response {
    /// Reads a response. Only the status is required.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            status: values.decode(.status), statusText: values.decode(.statusText, or: ""),
            httpVersion: values.decode(.httpVersion, or: "HTTP/1.1"), cookies: values.decode(.cookies, or: []),
            headers: values.decode(.headers, or: []), content: values.decode(.content, or: HTTPArchive.Content()),
            redirectURL: values.decode(.redirectURL, or: ""), headersSize: values.decode(.headersSize, or: -1),
            bodySize: values.decode(.bodySize, or: -1))
    }
}

extension HTTPArchive.Content {
    /// Reads a body. Everything may be missing.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            size: values.decode(.size, or: -1), mimeType: values.decode(.mimeType, or: "x-unknown"),
            text: values.decode(.text, or: nil), encoding: values.decode(.encoding, or: nil),
            comment: values.decode(.comment, or: nil))
    }
}

extension KeyedDecodingContainer {
    func decode<Value: Decodable>(_ key: Key) throws -> Value { try decode(Value.self, forKey: key) }

    /// Decodes a value that may be missing or null.
    func decode<Value: Decodable>(_ key: Key, or missing: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? missing
    }
}
