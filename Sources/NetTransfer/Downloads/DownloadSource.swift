internal import NetClient
public import NetCore

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
    ///   - data: as ``DownloaderProtocol/pauseDownload(task:)`` or ``UnfinishedDownload/resumeData`` gave it.
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
