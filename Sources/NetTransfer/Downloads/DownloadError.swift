public import NetCore

/// Why a download could not be completed, for a reason other than the network: what ``NetworkError/downloadFailed(_:)`` holds.
///
/// Branch on ``code``. After those that ``keepsBytes`` names, what has arrived is kept: make room, and resume.
public struct DownloadError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// What failed. The raw values never change.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The disk (or the user's share of it) is full.
        case diskFull = "disk_full"
        /// The file cannot be written there: no such folder, no permission, a folder in its place.
        case cannotWrite = "cannot_write"
        /// There is a file already, and it was not to be replaced.
        case destinationExists = "destination_exists"
        /// The bytes do not have the digest that the server or the caller named.
        case digestMismatch = "digest_mismatch"
        /// The server sent more bytes than it said, or a part that was not asked for.
        case contradictoryResponse = "contradictory_response"
        /// The server compressed what was asked for as it is.
        case contentCoding = "content_coding"
        /// The resume data cannot be read, or is of another version.
        case invalidResumeData = "invalid_resume_data"
        /// The same download runs already, here or in another process.
        case inUse = "in_use"
        /// The registry of unfinished downloads cannot be written.
        case registry = "registry"
    }

    /// What failed.
    public let code: Code
    /// What is wrong and what to do, without secrets.
    public let message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether what has arrived is kept for a later resumption.
    public var keepsBytes: Bool {
        switch code {
        case .diskFull, .cannotWrite, .destinationExists, .inUse, .registry: true
        case .digestMismatch, .contradictoryResponse, .contentCoding, .invalidResumeData: false
        }
    }

    /// The code and the message in one line.
    public var description: String { "\(code.rawValue): \(message)".onOneLine }
    /// The message.
    public var errorDescription: String? { message }
}

extension DownloadError: SecretFreeError {}

extension DownloadError {
    /// What became of a call to the system for a file at that path.
    init(_ error: SystemError, at path: String) {
        let reason = String(cString: strerror(error.code))
        switch error.code {
        case ENOSPC, EDQUOT, EFBIG:
            self.init(.diskFull, "\(path) cannot be written: \(reason). Make room, and resume the download.")
        default:
            self.init(.cannotWrite, "\(path) cannot be written: \(reason).")
        }
    }
}
