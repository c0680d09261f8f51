extension RequestOptions {
    /// The compression of request bodies (RFC 9110, section 8.4).
    ///
    /// ```swift
    /// var configuration = NetworkClient.Configuration()
    /// configuration.requestCompression = .gzip
    /// var config = RequestConfig(url: url)
    /// config.options.requestCompression = .init(.gzip, minimumSize: 16 << 10, level: 9)  // for one request; .off for none
    /// ```
    ///
    /// A body in memory is compressed as a whole, and sent as it is if that does not make it smaller. Files and streams are compressed while
    /// they are sent, in constant memory: their compressed length is unknown, so that HTTP/1.1 sends them in chunks.
    ///
    /// Some bodies are never compressed: media types that are compressed already (images, video, audio, archives), parts of a resource
    /// (`Content-Range`, resumable uploads), and requests with a `Content-Encoding` or a digest of their own.
    ///
    /// If the server answers 415 (RFC 9110, section 15.5.16), the body is sent once more without compression, and later requests to that
    /// server are not compressed.
    public struct Compression: Hashable, Sendable, Codable {
        /// A content coding.
        public enum Coding: String, Hashable, Sendable, Codable, CaseIterable {
            /// RFC 1952, by the system's zlib.
            case gzip
            /// RFC 8878, by libzstd, which Apple platforms lack. A request with a body fails with ``NetworkError/unsupported(_:)`` if the
            /// library cannot be loaded.
            case zstd
        }

        /// No compression.
        public static let off = Compression(coding: nil, minimumSize: 0, level: nil)
        /// gzip, for bodies from 1 KiB on.
        public static let gzip = Compression(.gzip)
        /// zstd, for bodies from 1 KiB on.
        public static let zstd = Compression(.zstd)

        /// The coding; nil for no compression.
        public let coding: Coding?
        /// The size from which on bodies are compressed, in bytes. A body of unknown length is always compressed.
        public let minimumSize: Int
        /// 1 (fast) to 9 (small); for zstd 1 to 19. Nil for the library's default. Levels beyond that count as the nearest.
        public let level: Int?
    }
}

extension RequestOptions.Compression {
    public init(_ coding: Coding, minimumSize: Int = 1 << 10, level: Int? = nil) {
        self.init(coding: coding, minimumSize: minimumSize, level: level)
    }
}
