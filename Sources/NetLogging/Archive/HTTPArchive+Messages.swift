public import NetCore

extension HTTPArchive {
    /// A name and a value: a header field, a query item.
    public struct Pair: Sendable, Hashable, Codable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A request.
    public struct Request: Sendable, Hashable, Codable {
        /// The method.
        public var method: String
        /// The whole URL, without its fragment.
        public var url: String
        /// The version of HTTP.
        public var httpVersion: String
        /// Cookies that were sent.
        public var cookies: [Pair]
        /// Header fields, duplicates included.
        public var headers: [Pair]
        /// The query, decoded.
        public var queryString: [Pair]
        /// The body; nil for none.
        public var postData: PostData?
        /// Bytes of the head; -1 if not known.
        public var headersSize: Int64
        /// Bytes of the body; -1 if not known.
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

        /// Reads a request; lists and sizes may be missing.
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
        /// Its media type.
        public var mimeType: String
        /// The fields of a form.
        public var params: [Parameter]?
        /// The body as text.
        public var text: String?
        /// `base64` if the text is that of bytes. Not part of HAR 1.2, where a request's body is always text: `_encoding`.
        public var encoding: String?
        /// Why there is no text, for example.
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
        /// Its name.
        public var name: String
        /// Its value; nil for that of a file.
        public var value: String?
        /// The name of a file.
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

    /// A response.
    public struct Response: Sendable, Hashable, Codable {
        /// The status; 0 if there was none.
        public var status: Int
        /// The words behind the status; empty with HTTP/2.
        public var statusText: String
        /// The version of HTTP.
        public var httpVersion: String
        /// Cookies that were set.
        public var cookies: [Pair]
        /// Header fields, duplicates included.
        public var headers: [Pair]
        /// The body.
        public var content: Content
        /// The `Location` of a redirect; else empty.
        public var redirectURL: String
        /// Bytes of the head; -1 if not known.
        public var headersSize: Int64
        /// Bytes of the body on the wire; -1 if not known.
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

        /// Reads a response; only the status has to be there.
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
        /// Bytes, after decoding; -1 if not known.
        public var size: Int64
        /// Its media type; `x-unknown` if the server did not say.
        public var mimeType: String
        /// The body; nil if it was not recorded.
        public var text: String?
        /// `base64` if the text is that of bytes.
        public var encoding: String?
        /// Why there is no text, for example.
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

        /// Reads a body; all of it may be missing.
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
    /// The bytes, decoded; nil if they were not recorded, or the text is not what ``encoding`` says.
    public var data: Data? { text.flatMap { encoding == "base64" ? Data(base64Encoded: $0) : Data($0.utf8) } }
}

extension HTTPArchive.PostData {
    /// The bytes, decoded; nil if they were not recorded as text.
    public var data: Data? { text.flatMap { encoding == "base64" ? Data(base64Encoded: $0) : Data($0.utf8) } }
}
