import NetTesting
import NetTransfer
import TestLab

/// A server of one file, with ranges and `If-Range` as in RFC 9110. A test may change its responses.
final class FileServer: Sendable {
    let server: MockServer
    private let file: Locked<Data>
    private let tag: Locked<String?>
    /// Changes a response: gets the request, its number from 0, and the correct response.
    typealias Change = @Sendable (RecordedRequest, Int, MockResponse) -> MockResponse

    init(_ file: Data, tag: String? = "\"v1\"", change: @escaping Change = { $2 }) throws {
        let (file, tag, count) = (Locked(file), Locked(tag), Locked(UInt64(0)))
        (self.file, self.tag) = (file, tag)
        server = try MockServer { request in
            let number = Int(count.next()) - 1
            return change(request, number, Self.answer(request, file.withLock { $0 }, tag: tag.withLock { $0 }))
        }
    }

    var url: URL { server.url("/files/report.bin") }
    var ranges: [String?] { server.requests.map { $0.headers["Range"] } }

    func replace(_ data: Data, tag newTag: String?) {
        file.withLock { $0 = data }
        tag.withLock { $0 = newTag }
    }

    static func answer(_ request: RecordedRequest, _ file: Data, tag: String?) -> MockResponse {
        var headers: HTTPHeaders = ["Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"]
        if let tag { headers.add(name: "ETag", value: tag) }
        guard let range = request.headers["Range"], request.headers["If-Range"] == tag, tag?.hasPrefix("W/") != true
        else { return MockResponse(status: 200, headers: headers, body: .data(file)) }
        let bounds = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        guard let first = bounds.first, first < file.count else {
            headers.add(name: "Content-Range", value: "bytes */\(file.count)")
            return MockResponse(status: 416, headers: headers)
        }
        let last = min(bounds.count > 1 ? bounds[1] : .max, file.count - 1)
        headers.add(name: "Content-Range", value: "bytes \(first)-\(last)/\(file.count)")
        return MockResponse(status: 206, headers: headers, body: .data(file[first...last]))
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
