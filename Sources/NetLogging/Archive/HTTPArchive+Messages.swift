public import NetCore

extension HTTPArchive {
    /// A name and a value: a header field, a query item.
    public struct Pair: Sendable, Hashable, Codable {
        public var name: String
        public var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public struct Request: Sendable, Hashable, Codable {
        public var method: String
        /// The whole URL, without its fragment.
        public var url: String
        public var httpVersion: String
        /// The cookies that were sent.
        public var cookies: [Pair]
        /// The header fields, with duplicates.
        public var headers: [Pair]
        /// The decoded query items.
        public var queryString: [Pair]
        /// The body, or nil.
        public var postData: PostData?
        /// The bytes of the head; -1 if unknown.
        public var headersSize: Int64
        /// The bytes of the body; -1 if unknown.
        public var bodySize: Int64

        package init(
            method: String, url: String, httpVersion: String = "HTTP/1.1", headers: [Pair] = [],
            queryString: [Pair] = [],
            cookies: [Pair] = [], postData: PostData? = nil, bodySize: Int64 = -1
        ) {
            self.method = method
            self.url = url
            self.httpVersion = httpVersion
            self.cookies = cookies
            self.headers = headers
            self.queryString = queryString
            self.postData = postData
            headersSize = -1
            self.bodySize = bodySize
        }

        /// Reads a request. Lists and sizes may be missing.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            method = try values.decode(String.self, forKey: .method)
            url = try values.decode(String.self, forKey: .url)
            httpVersion = try values.decodeIfPresent(String.self, forKey: .httpVersion) ?? "HTTP/1.1"
            cookies = try values.decodeIfPresent([Pair].self, forKey: .cookies) ?? []
            headers = try values.decodeIfPresent([Pair].self, forKey: .headers) ?? []
            queryString = try values.decodeIfPresent([Pair].self, forKey: .queryString) ?? []
            postData = try values.decodeIfPresent(PostData.self, forKey: .postData)
            headersSize = try values.decodeIfPresent(Int64.self, forKey: .headersSize) ?? -1
            bodySize = try values.decodeIfPresent(Int64.self, forKey: .bodySize) ?? -1
        }
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

        package init(
            mimeType: String, text: String? = nil, encoding: String? = nil, params: [Parameter]? = nil,
            comment: String? = nil
        ) {
            self.mimeType = mimeType
            self.params = params
            self.text = text
            self.encoding = encoding
            self.comment = comment
        }

        private enum CodingKeys: String, CodingKey {
            case mimeType, params, text, comment
            case encoding = "_encoding"
        }
    }

    /// A field of a form.
    public struct Parameter: Sendable, Hashable, Codable {
        public var name: String
        /// The value; nil for a file.
        public var value: String?
        public var fileName: String?
        /// The media type of a file.
        public var contentType: String?

        package init(name: String, value: String? = nil, fileName: String? = nil, contentType: String? = nil) {
            self.name = name
            self.value = value
            self.fileName = fileName
            self.contentType = contentType
        }
    }

    public struct Response: Sendable, Hashable, Codable {
        /// The status code; 0 if there was no response.
        public var status: Int
        /// The reason phrase; empty for HTTP/2.
        public var statusText: String
        public var httpVersion: String
        /// The cookies that were set.
        public var cookies: [Pair]
        /// The header fields, with duplicates.
        public var headers: [Pair]
        public var content: Content
        /// The `Location` of a redirect; otherwise empty.
        public var redirectURL: String
        /// The bytes of the head; -1 if unknown.
        public var headersSize: Int64
        /// The bytes of the body on the wire; -1 if unknown.
        public var bodySize: Int64

        package init(
            status: Int, statusText: String = "", httpVersion: String = "HTTP/1.1", headers: [Pair] = [],
            cookies: [Pair] = [], content: Content = Content(), redirectURL: String = "", bodySize: Int64 = -1
        ) {
            self.status = status
            self.statusText = statusText
            self.httpVersion = httpVersion
            self.cookies = cookies
            self.headers = headers
            self.content = content
            self.redirectURL = redirectURL
            headersSize = -1
            self.bodySize = bodySize
        }

        /// Reads a response. Only the status is required.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            status = try values.decode(Int.self, forKey: .status)
            statusText = try values.decodeIfPresent(String.self, forKey: .statusText) ?? ""
            httpVersion = try values.decodeIfPresent(String.self, forKey: .httpVersion) ?? "HTTP/1.1"
            cookies = try values.decodeIfPresent([Pair].self, forKey: .cookies) ?? []
            headers = try values.decodeIfPresent([Pair].self, forKey: .headers) ?? []
            content = try values.decodeIfPresent(Content.self, forKey: .content) ?? Content()
            redirectURL = try values.decodeIfPresent(String.self, forKey: .redirectURL) ?? ""
            headersSize = try values.decodeIfPresent(Int64.self, forKey: .headersSize) ?? -1
            bodySize = try values.decodeIfPresent(Int64.self, forKey: .bodySize) ?? -1
        }
    }

    /// The body of a response.
    public struct Content: Sendable, Hashable, Codable {
        /// The decoded bytes; -1 if unknown.
        public var size: Int64
        /// The media type; `x-unknown` if the server sent none.
        public var mimeType: String
        /// The body, or nil if it was not recorded.
        public var text: String?
        /// `base64` for bytes.
        public var encoding: String?
        /// A comment, such as the reason why there is no text.
        public var comment: String?

        package init(
            size: Int64 = 0, mimeType: String = "x-unknown", text: String? = nil, encoding: String? = nil,
            comment: String? = nil
        ) {
            self.size = size
            self.mimeType = mimeType
            self.text = text
            self.encoding = encoding
            self.comment = comment
        }

        /// Reads a body. Everything may be missing.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            size = try values.decodeIfPresent(Int64.self, forKey: .size) ?? -1
            mimeType = try values.decodeIfPresent(String.self, forKey: .mimeType) ?? "x-unknown"
            text = try values.decodeIfPresent(String.self, forKey: .text)
            encoding = try values.decodeIfPresent(String.self, forKey: .encoding)
            comment = try values.decodeIfPresent(String.self, forKey: .comment)
        }
    }
}

extension HTTPArchive.Content {
    /// The decoded bytes. Nil if they were not recorded, or the text does not match ``encoding``.
    public var data: Data? { text.flatMap { encoding == "base64" ? Data(base64Encoded: $0) : Data($0.utf8) } }
}

extension HTTPArchive.PostData {
    /// The decoded bytes, or nil if they were not recorded as text.
    public var data: Data? { text.flatMap { encoding == "base64" ? Data(base64Encoded: $0) : Data($0.utf8) } }
}
