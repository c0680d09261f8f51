import NetTesting
import NetTransfer
import TestLab

/// A server of one file, with ranges and `If-Range` as in RFC 9110. A test may change its responses.
final class FileServer: Sendable {
    let server: MockServer
    /// Changes a response: gets the request, its number from 0, and the correct response.
    typealias Change = @Sendable (RecordedRequest, Int, MockResponse) -> MockResponse

    init(_ file: Data, tag: String? = "\"v1\"", change: @escaping Change = { $2 }) throws {
        let count = Locked(UInt64(0))
        server = try MockServer { request in
            change(request, Int(count.next()) - 1, Self.answer(request, file, tag: tag))
        }
    }

    var url: URL { server.url("/files/report.bin") }
    var ranges: [String?] { server.requests.map { $0.headers["Range"] } }

    static func answer(_ request: RecordedRequest, _ file: Data, tag: String?) -> MockResponse {
        // A part only for who says of which version: without `If-Range` it is the whole file. `MockResource` would answer 405 to a POST.
        guard request.method == .get, request.headers["Range"] == nil || request.headers["If-Range"] != nil else {
            return .data(file).header("ETag", tag ?? "").header("Accept-Ranges", "bytes")
        }
        var resource = MockResource(file, etag: tag ?? "")
        resource.etag = tag
        return resource.response(to: request)
    }
}

extension MockResponse {
    /// Half of the body, then the connection is closed.
    var cut: MockResponse { fault(.truncatedBody) }
}

extension Downloader.Options {
    /// Options without a delay before a resumption.
    static var atOnce: Downloader.Options { atOnce { _ in } }

    static func atOnce(_ change: (inout Downloader.Options) throws -> Void) rethrows -> Downloader.Options {
        var options = Downloader.Options()
        options.resumptionDelay = .immediate
        try change(&options)
        return options
    }
}

extension NetworkError { var downloadCode: DownloadError.Code? { (embeddedError as? DownloadError)?.code } }

/// A downloader with a folder and a registry of its own.
struct DownloadBench {
    let directory: TemporaryDirectory
    let registry: DownloadRegistry
    let downloader: Downloader
    let client: NetworkClient

    init(client: NetworkClient = NetworkClient(), monitor: (any ConnectionMonitoring)? = nil) throws {
        directory = try TemporaryDirectory()
        registry = DownloadRegistry(folder: directory.file("registry"))
        self.client = client
        downloader = Downloader(client: client, registry: registry, connectionMonitor: monitor)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    var folder: URL { directory.url.appendingPathComponent("files", isDirectory: true) }
    var file: URL { folder.appendingPathComponent("report.bin") }
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() } }

    func download(_ url: URL, _ options: Downloader.Options = .atOnce) async throws(NetworkError) -> URL {
        try await downloader.download(from: url, destinationURL: file, options: options)
    }

    func outcome(of url: URL, _ options: Downloader.Options = .atOnce) async -> NetworkResponse<URL> {
        await downloader.download(from: url, destinationURL: file, options: options)
    }

    /// Starts a download, and returns when so many bytes have arrived.
    func start(
        _ url: URL, _ options: Downloader.Options = .atOnce, until count: Int64
    ) async -> TransferTask<NetworkResponse<URL>> {
        let (progress, task) = downloader.download(.url(url), to: .file(file), options: options)
        for await state in progress where state.bytesCompleted >= count { break }
        return task
    }

    func resume(_ data: Data?, to destination: Downloader.Destination? = nil) async throws -> NetworkResponse<URL> {
        let options = Downloader.Options()
        return try await downloader.download(.resumeData(data ?? Data()), to: destination, options: options).task.value
    }

    /// Whether the folder has only these files, and no download is unfinished.
    func isClean(with files: [String]) throws -> Bool { try names == files && registry.unfinished().isEmpty }
}
