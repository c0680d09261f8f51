public import NetCore

/// The types of resumable uploads: see `NetworkClient.resumableUpload(file:to:protocol:options:)`.
public enum ResumableUpload {
    /// Options of a resumable upload.
    public struct Options: Sendable {
        /// The largest number of bytes in one request, or nil (the default) to send the rest in one request. Zero or less counts as nil.
        ///
        /// One request is fastest. Smaller ones are for servers and proxies that refuse large requests, and for servers that store nothing
        /// of an interrupted request. A limit that the server announces always applies.
        public var chunkSize: Int64?
        /// How many times in a row the upload continues after a failure (a lost connection, a timeout, 408, 423, 429, 5xx, a different
        /// offset). Each byte that the server stores resets the count. A negative number counts as zero.
        public var maxRetries = 5
        /// The pause before each retry. A `Retry-After` of the server makes it longer, up to two minutes.
        public var delay = RetryPolicy.Delay.exponential(base: 1, maximum: 60)
        /// The `Upload-Metadata` of tus. `filename` and `filetype` come from the file unless set. A key is printable ASCII without space or comma.
        public var metadata: [String: String] = [:]
        /// Names the user, so that no other user resumes the upload: see ``RequestContext/partition``.
        public var partition: String?
        /// The folder for what a later process needs to resume the upload.
        public var records = Records.standard

        public init() {}
    }

    /// The protocol of a server for resumable uploads.
    public enum WireProtocol: String, Codable, Hashable, Sendable, CaseIterable {
        /// tus 1.0.0 (tus.io): core, creation, expiration, termination, and checksum by SHA-256 where the server offers it.
        case tus
        /// *Resumable Uploads for HTTP*, a draft of the IETF's HTTP working group: draft-ietf-httpbis-resumable-upload-12, interop version
        /// 8. [Transfers](doc:/Guides/Transfers) tells which parts are used.
        case ietf

        func dialect(clock: any NetworkClock) -> any UploadDialect {
            switch self {
            case .tus: TusDialect(clock: clock)
            case .ietf: IETFDialect(clock: clock)
            }
        }
    }

    /// The result of a completed resumable upload.
    public struct Receipt: Sendable {
        /// The upload's resource on the server. With tus it names the stored file; with the IETF's draft it is temporary.
        public let uploadURL: URL
        public let byteCount: Int64
        /// The response that completed the upload, or nil if it was lost with its connection. Neither protocol can ask for it again.
        public let response: TransportResponse?
        /// The body of the response, or nil without one. With the IETF's draft it is the target's response to the whole upload.
        public var data: Data? { response?.body.data }
    }
}

extension ResumableUpload {
    /// An error of a resumable upload. ``NetworkError/uploadFailed(_:)`` contains it.
    public enum Failure: Error, Hashable, Sendable {
        /// The file differs from the one that the upload began with: in size, modification date or start. Nothing more is sent. Discard the
        /// upload with `client.discardResumableUpload(_:)`, and start again.
        case fileChanged
        /// The file is larger than the server's limit, in bytes; nil if the server does not tell it.
        case fileTooLarge(limit: Int64?)
        /// The file is smaller than the server's minimum, in bytes.
        case fileTooSmall(minimum: Int64)
        /// A request was too large for the server or a proxy. Set a smaller ``ResumableUpload/Options/chunkSize``.
        case requestTooLarge
        /// The same upload is running, in this process or another.
        case alreadyRunning
        /// The server violates the protocol. The text tells how.
        case protocolViolation(String)
        /// The record cannot be written, so the upload could not be resumed. The text tells why.
        case recordNotWritable(String)
    }
}

extension ResumableUpload.Failure: SecretFreeError, LocalizedError {
    public var description: String {
        switch self {
        case .fileChanged: "The file has changed since the upload began. Discard the upload, and start again."
        case .fileTooLarge(let limit?): "The file is larger than the server's limit of \(limit) bytes."
        case .fileTooLarge(nil): "The file is larger than the server's limit."
        case .fileTooSmall(let minimum): "The file is smaller than the server's minimum of \(minimum) bytes."
        case .requestTooLarge: "The request is too large for the server or a proxy. Set a smaller chunkSize."
        case .alreadyRunning: "This file is being uploaded to that URL already. Wait for that upload, or cancel it."
        case .protocolViolation(let text): "The server violates the protocol: \(text)"
        case .recordNotWritable(let text): "The record of the upload cannot be written: \(text)"
        }
    }

    public var errorDescription: String? { description }
}
