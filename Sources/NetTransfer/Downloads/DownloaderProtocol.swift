import NetClient
public import NetCore

/// Something that downloads to files (seed 000): ``Downloader``, the facade `Networking`, or a double of yours in a test.
///
/// All the methods of the seed, in the styles with a completion and with `async`, are made from
/// ``download(_:to:options:)``.
public protocol DownloaderProtocol: Sendable {
    /// Starts a download.
    ///
    /// The file appears at its destination in one step, when it is whole: of the length that the server said, and with the digest that the
    /// server (`Repr-Digest` or `Content-Digest`, RFC 9530) or the caller named. When the connection drops, it goes on by
    /// itself with what is missing (RFC 9110, section 14), if the server named a strong validator; otherwise from the start.
    ///
    /// - Parameters:
    ///   - source: a URL, or resume data.
    ///   - destination: where it goes; nil for a temporary place, or for resume data where it was to go before.
    ///   - options: how it is to be done.
    /// - Returns: `progress` keeps the newest value only, and ends with the transfer: with one that is complete if the response is a
    ///   success. `task` has the response with the file or the error, also after a cancellation. It can be paused.
    func download(
        _ source: DownloadSource, to destination: DownloadDestination?, options: DownloadOptions
    ) -> (progress: AsyncStream<TransferProgress>, task: TransferTask<NetworkResponse<URL>>)

    /// Stops a download in such a way that it can be resumed later, in this process or another.
    ///
    /// Its task then ends with ``NetworkError/cancelled``. (To hold it for a moment, use ``TransferTask/pause()``: there is no end then.)
    ///
    /// - Parameter task: as the download's start gave it.
    /// - Returns: what to resume it with; nil if it has ended already, was not started here, or cannot be resumed since it is no GET.
    func pauseDownload(task: TransferTask<NetworkResponse<URL>>) async -> Data?

    /// Ends a download for good, and removes what has arrived of it.
    func cancelDownload(task: TransferTask<NetworkResponse<URL>>)

    /// Ends all downloads that were started here, and removes what has arrived of them.
    func cancelAllDownloads()
}

extension DownloaderProtocol {
    /// The same as ``pauseDownload(task:)``, with a completion on the main actor.
    public func pauseDownload(
        task: TransferTask<NetworkResponse<URL>>, completion: @escaping @MainActor @Sendable (Data?) -> Void
    ) {
        Task {
            let data = await pauseDownload(task: task)
            await completion(data)
        }
    }

    /// Ends a download for good.
    public func cancelDownload(task: TransferTask<NetworkResponse<URL>>) {
        task.cancel()
    }
}

/// What is downloaded: a URL, or what is missing of an earlier download.
public struct DownloadSource: Sendable {
    enum Kind: Sendable {
        /// Everything of the request but what is about ranges.
        case request(CallOptions, @Sendable () throws -> RequestBuilder)
        case resumption(Data, HTTPHeaders)
    }

    let kind: Kind

    /// A file behind a URL.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - headers: of the request. `Range`, `If-Range` and `Accept-Encoding` are made here.
    public static func url(_ url: URL, headers: HTTPHeaders = HTTPHeaders()) -> DownloadSource {
        DownloadSource(
            kind: .request(CallOptions()) {
                var builder = RequestBuilder(url: url)
                builder.headers = headers
                return builder
            })
    }

    /// What is missing of a download.
    ///
    /// - Parameters:
    ///   - data: as ``DownloaderProtocol/pauseDownload(task:)`` or ``DownloadRegistry/Entry/resumeData`` gave it.
    ///   - headers: of the request, as they were in the beginning: they are not in the resume data, since they may be secrets.
    public static func resumeData(_ data: Data, headers: HTTPHeaders = HTTPHeaders()) -> DownloadSource {
        DownloadSource(kind: .resumption(data, headers))
    }

    static func request(
        _ options: CallOptions = CallOptions(), _ lower: @escaping @Sendable () throws -> RequestBuilder
    ) -> DownloadSource {
        DownloadSource(kind: .request(options, lower))
    }
}

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
