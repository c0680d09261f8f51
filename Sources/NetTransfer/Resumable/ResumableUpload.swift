public import NetCore

/// The types of resumable uploads: see `NetworkClient.resumableUpload(file:to:protocol:options:)`.
public enum ResumableUpload {}

extension ResumableUpload {
    /// How a resumable upload goes about it.
    public struct Options: Sendable {
        /// The most bytes that one request carries; nil sends all the rest in one. Zero or less counts as nil.
        ///
        /// One request is fastest. Smaller ones are for servers (and proxies) that refuse large requests, and for those that store nothing of
        /// a request that breaks. A limit that the server announces holds in any case.
        public var chunkSize: Int64?
        /// How many times in a row it goes on after a failure (a lost connection, a timeout, 408, 423, 429, 5xx, an offset that the
        /// server does not share) before it gives up. What the server has stored in between begins a new count. A negative number counts as
        /// zero.
        public var maxRetries = 5
        /// How long to wait before each; a `Retry-After` of the server makes it longer, up to two minutes.
        public var delay = RetryDelay.exponential(base: 1, maximum: 60)
        /// What goes along as `Upload-Metadata` (tus), besides `filename` and `filetype`, which are the file's unless they are here.
        /// A key is printable ASCII without spaces and commas.
        public var metadata: [String: String] = [:]
        /// Names the user whose upload it is, so that another user's is never gone on with: see ``RequestContext/partition``.
        public var partition: String?
        /// Where it is kept on disk what a later process needs to go on.
        public var records = ResumableUpload.Records.standard

        /// The defaults, to be changed.
        public init() {}
    }
}

extension ResumableUpload {
    /// How client and server agree on going on with an upload.
    public enum WireProtocol: String, Codable, Hashable, Sendable, CaseIterable {
        /// tus 1.0.0 (tus.io): core, creation, expiration, termination, and checksum by SHA-256 where the server offers it.
        case tus
        /// *Resumable Uploads for HTTP*, a draft of the IETF's HTTP working group: draft-ietf-httpbis-resumable-upload-12, interop version 8.
        /// `Docs/Transfers.md` says what of it is used.
        case ietf

        func dialect(clock: any NetworkClock) -> any UploadDialect {
            switch self {
            case .tus: TusDialect(clock: clock)
            case .ietf: IETFDialect(clock: clock)
            }
        }
    }
}

extension ResumableUpload {
    /// What came of a resumable upload that is complete.
    public struct Receipt: Sendable {
        /// Where the upload lived on the server. With tus it names the stored file for good; with the IETF's draft it is temporary.
        public let uploadURL: URL
        /// The length of the file.
        public let byteCount: Int64
        /// The answer to the request that completed it; nil if that was lost with its connection, and the server said afterwards that it has
        /// everything. Neither protocol has a way to get it then.
        public let response: TransportResponse?
        /// The body of that answer: with the IETF's draft, what the target would have answered to a plain upload. Nil as ``response`` is.
        public var data: Data? { response?.body.data }
    }
}

/// Why a resumable upload was given up: the error inside of ``NetworkError/uploadFailed(_:)``.
public enum ResumableUploadError: Error, Hashable, Sendable {
    /// The file is not the one that the upload was begun with: another size, another time of change, or another start. What the server has
    /// is of the old one, and nothing more is sent. Drop the upload with `client.discardResumableUpload(_:)`, and begin anew.
    case fileChanged
    /// The file is larger than the server takes, in bytes; nil if it does not say how much that is.
    case fileTooLarge(limit: Int64?)
    /// The file is smaller than the server takes, in bytes.
    case fileTooSmall(minimum: Int64)
    /// A request was larger than the server, or a proxy before it, takes. Set a smaller ``ResumableUpload/Options/chunkSize``.
    case requestTooLarge
    /// The same upload is going on already, in this process or in another one.
    case alreadyRunning
    /// The server does not keep to the protocol. The text says where.
    case protocolViolation(String)
    /// The record on disk cannot be written, without which nobody could go on. The text says why.
    case recordNotWritable(String)
}

extension ResumableUploadError: SecretFreeError, LocalizedError {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .fileChanged:
            "The file was changed since the upload was begun. Discard the upload, and begin anew."
        case .fileTooLarge(let limit?): "The file is larger than the \(limit) bytes that the server takes."
        case .fileTooLarge(nil): "The file is larger than the server takes."
        case .fileTooSmall(let minimum): "The file is smaller than the \(minimum) bytes that the server wants."
        case .requestTooLarge:
            "The server, or a proxy before it, does not take a request of that size. Set a smaller chunkSize."
        case .alreadyRunning: "This file is being uploaded to that URL already. Wait for that upload, or cancel it."
        case .protocolViolation(let text): "The server does not keep to the protocol: \(text)"
        case .recordNotWritable(let text): "The record of the upload cannot be written: \(text)"
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// As the pipeline throws it.
    var failure: NetworkError { .uploadFailed(self) }
}
