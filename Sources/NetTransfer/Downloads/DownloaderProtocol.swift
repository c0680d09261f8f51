import NetClient
public import NetCore

/// A type that downloads files: ``Downloader``, the facade `Networking`, or a test double.
///
/// All other methods, in the completion and async styles, call ``download(_:to:options:)``.
public protocol DownloaderProtocol: Sendable {
    /// Starts a download.
    ///
    /// The file appears at its destination in one step, when it is complete: it has the length that the server announced, and the digests
    /// of the server (`Repr-Digest` or `Content-Digest`, RFC 9530) and the caller. After a lost connection the download requests the
    /// missing range (RFC 9110, section 14) if the server sent a strong validator, and else starts again.
    ///
    /// - Parameters:
    ///   - source: a URL, or resume data.
    ///   - destination: the file's destination, or nil for a temporary folder; for resume data, nil is the earlier destination.
    ///   - options: options of the download.
    /// - Returns: `progress` keeps only the newest value, and ends with the transfer; the last value is complete if the download succeeds.
    ///   `task` returns the response with the file's URL or the error, also after a cancellation. It can be paused.
    func download(
        _ source: Downloader.Source, to destination: Downloader.Destination?, options: Downloader.Options
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<URL>>)

    /// Stops a download so that it can be resumed later, in this process or another.
    ///
    /// Its task ends with ``NetworkError/cancelled``. (For a pause without an end, use ``TransferTask/pause()``.)
    ///
    /// - Parameter task: the task that the start of the download returned.
    /// - Returns: the resume data. Nil if the download has ended, was not started here, or is not a GET.
    func pauseDownload(task: TransferTask<NetworkResponse<URL>>) async -> Data?

    /// Cancels a download for good, and removes its bytes.
    func cancelDownload(task: TransferTask<NetworkResponse<URL>>)

    /// Cancels all downloads that were started here, and removes their bytes.
    func cancelAllDownloads()
}

extension DownloaderProtocol {
    /// Calls ``pauseDownload(task:)``, and passes its result to a completion on the main actor.
    public func pauseDownload(
        task: TransferTask<NetworkResponse<URL>>, completion: @escaping @MainActor @Sendable (Data?) -> Void
    ) { Task { await completion(pauseDownload(task: task)) } }

    /// Cancels the task.
    public func cancelDownload(task: TransferTask<NetworkResponse<URL>>) { task.cancel() }
}

extension Downloader {
    /// The source of a download: a URL, or the rest of an earlier download.
    public struct Source: Sendable {
        /// Returns the request without the fields of ranges, and the record of an earlier download that is resumed.
        let make: @Sendable () throws -> (call: Call, record: DownloadRecord?)

        /// A file at a URL.
        ///
        /// - Parameters:
        ///   - url: the URL of the file.
        ///   - headers: header fields of the request. `Range`, `If-Range` and `Accept-Encoding` are set by the download.
        public static func url(_ url: URL, headers: HTTPHeaders = HTTPHeaders()) -> Downloader.Source {
            Downloader.Source { (Call(url: url, headers: headers), nil) }
        }

        /// The missing rest of a download.
        ///
        /// - Parameters:
        ///   - data: the data from ``DownloaderProtocol/pauseDownload(task:)`` or ``DownloadRegistry/Entry/resumeData``.
        ///   - headers: header fields of the request. The resume data contains none, since they may be secret.
        public static func resumeData(_ data: Data, headers: HTTPHeaders = HTTPHeaders()) -> Downloader.Source {
            Downloader.Source {
                do {
                    let record = try DownloadRecord(data: data)
                    return (Call(url: record.url, headers: headers), record)
                } catch {
                    throw NetworkError.downloadFailed(error)
                }
            }
        }
    }
}

/// An error of a download that is not an error of the network. ``NetworkError/downloadFailed(_:)`` contains it.
///
/// Branch on ``code``. If ``keepsBytes`` is true, the download can be resumed.
public struct DownloadError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of the error. The raw values never change, and neither do the numbers of ``errorCode``, which follow the order of the cases.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The disk, or the user's share of it, is full.
        case diskFull = "disk_full"
        /// The destination cannot be written: its folder is missing, permission is denied, or it is a folder.
        case cannotWrite = "cannot_write"
        /// The destination exists, and must not be replaced.
        case destinationExists = "destination_exists"
        /// The file does not match the digest of the server or the caller.
        case digestMismatch = "digest_mismatch"
        /// The server sent more bytes than it announced, or a part that was not requested.
        case contradictoryResponse = "contradictory_response"
        /// The server sent the file in a content coding that was not requested.
        case contentCoding = "content_coding"
        /// The resume data cannot be read, or has another version.
        case invalidResumeData = "invalid_resume_data"
        /// The same download is running, here or in another process.
        case inUse = "in_use"
        /// The registry of unfinished downloads cannot be written.
        case registry = "registry"
        /// The text of a checksum is not one.
        case invalidChecksum = "invalid_checksum"
    }

    public let code: Code
    /// The problem and its remedy, without secrets.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the received bytes are kept for a resumption.
    public var keepsBytes: Bool {
        switch code {
        case .diskFull, .cannotWrite, .destinationExists, .inUse, .registry: true
        case .digestMismatch, .contradictoryResponse, .contentCoding, .invalidResumeData, .invalidChecksum: false
        }
    }

    public var description: String { "\(code.rawValue): \(message)".onOneLine }
    public var errorDescription: String? { message }
}

extension DownloadError: CustomNSError, SecretFreeError {
    public static var errorDomain: String { "NetTransfer.DownloadError" }

    /// A number from 1 on for each ``code-swift.property``. It never changes.
    public var errorCode: Int { (Code.allCases.firstIndex(of: code) ?? 0) + 1 }

    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}

extension DownloadError {
    init(_ error: SystemError, at path: String) {
        let reason = String(cString: strerror(error.code))
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(error.code)
        let advice = isFull ? " Free some space, and resume the download." : ""
        self.init(isFull ? .diskFull : .cannotWrite, "\(path) cannot be written: \(reason).\(advice)")
    }
}
