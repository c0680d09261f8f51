public import NetCore

/// Why a resumable upload was given up: the error inside of ``NetworkError/uploadFailed(_:)``.
public enum ResumableUploadError: Error, Hashable, Sendable {
    /// The file is not the one that the upload was begun with: another size, another time of change, or another start. What the server has
    /// is of the old one, and nothing more is sent. Drop the upload with `client.discardResumableUpload(_:)`, and begin anew.
    case fileChanged
    /// The file is larger than the server takes, in bytes; nil if it does not say how much that is.
    case fileTooLarge(limit: Int64?)
    /// The file is smaller than the server takes, in bytes.
    case fileTooSmall(minimum: Int64)
    /// A request was larger than the server, or a proxy before it, takes. Set a smaller ``ResumableUploadOptions/chunkSize``.
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
