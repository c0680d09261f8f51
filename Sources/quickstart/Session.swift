import Networking

/// One command: its client, and what watches its calls.
struct Session {
    private let arguments: Arguments
    private let url: URL
    private let headers: HTTPHeaders
    private let client: NetworkClient
    private let retries: Int?
    private let timeout: TimeInterval?
    private let recorder: TrafficRecorder?
    private let logger: NetworkLogger?

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        url = try Self.url(arguments)
        headers = try arguments.headers()
        retries = try arguments.number(.retry, in: 0...1000)
        timeout = try arguments.number(.timeout, in: 0.001...1_000_000)
        recorder = arguments.has(.har) || arguments.has(.waterfall) ? TrafficRecorder() : nil
        logger = arguments.has(.verbose) ? NetworkLogger(sinks: [StandardErrorSink()]) : nil
        if arguments.has(.json), arguments.has(.form) { throw CommandError.usage("Use either --json or --form.") }
        let body = arguments.verb == .download ? arguments.operands.dropFirst().first : arguments.last(.output) ?? "-"
        if let har = arguments.last(.har), Output.isStandard(har), body.map(Output.isStandard) == true {
            throw CommandError.usage("The HAR file and the body would mix on standard output. Name a file for one.")
        }
        var configuration = NetworkClient.Configuration()
        configuration.cookies = .private
        if let retries { configuration.retryPolicy = RetryPolicy(maxRetries: retries) }
        if let timeout {
            configuration.timeoutInterval = timeout
            configuration.transportConfiguration.timeouts.connect = timeout
        }
        if let folder = arguments.last(.cache) {
            configuration.cache = ResponseCache(store: DiskCache(directory: Self.cacheFolder(folder)))
        }
        if let recorder { configuration.callInterceptors.append(recorder) }
        if let logger {
            configuration.callInterceptors.append(LoggingInterceptor(level: .verbose, logger: logger))
        }
        client = NetworkClient(configuration: configuration)
    }

    func run() async throws {
        var failure: (any Error)?
        do {
            switch arguments.verb {
            case .get: try await fetch("GET", into: arguments.last(.output) ?? "-")
            case .post: try await fetch("POST", into: arguments.last(.output) ?? "-")
            case .download: try await download()
            }
        } catch {
            failure = error
        }
        // A recording is worth most if the call failed.
        do { try report() } catch { failure = failure ?? error }
        await logger?.flush()
        await client.shutdown(.cancel)
        if let failure { throw failure }
    }

    // MARK: get and post

    private func fetch(_ method: String, into path: String) async throws {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for header in headers { request.addValue(header.value, forHTTPHeaderField: header.name) }
        let body = try method == "POST" ? body(for: &request) : nil
        let response = try await client.send(request, body: body)
        if arguments.has(.verbose), let status = response.headers["Cache-Status"] {
            noteCache(CallMetrics.CacheState(cacheStatus: status))
        }
        // A download to a pipe must not take the page of an error for the file.
        if arguments.has(.fail) || arguments.verb == .download, response.status >= 400 {
            throw CommandError(.errorStatus, "The server answered with status \(response.status).")
        }
        let output = try Output(path)
        if arguments.has(.include) { try output.write(Self.head(of: response)) }
        var indenter = output.isTerminal && Self.isJSON(response) ? JSONIndenter() : nil
        for try await chunk in response.body { try output.write(indenter?.indent(chunk) ?? chunk) }
        if indenter?.isAtLineStart == false { try output.write("\n") }
        try output.close()
    }

    private func body(for request: inout URLRequest) throws -> HTTPBody {
        func setDefault(_ name: String, _ value: String) {
            if request.value(forHTTPHeaderField: name) == nil { request.setValue(value, forHTTPHeaderField: name) }
        }
        if let json = arguments.last(.json) {
            setDefault("Content-Type", "application/json")
            setDefault("Accept", "application/json")
            return json.hasPrefix("@") ? try Self.body(reading: String(json.dropFirst())) : HTTPBody(json)
        }
        let fields = try arguments.pairs(.form)
        guard !fields.isEmpty else { return .empty }
        guard fields.contains(where: { $0.value?.hasPrefix("@") == true }) else {
            setDefault("Content-Type", "application/x-www-form-urlencoded")
            return HTTPBody(Self.encoded(fields))
        }
        let form = MultipartFormData()
        for field in fields {
            let value = field.value ?? ""
            if value.hasPrefix("@") {
                try form.append(fileURL: URL(fileURLWithPath: String(value.dropFirst())), name: field.name)
            } else {
                form.append(value: value, name: field.name)
            }
        }
        setDefault("Content-Type", form.contentType)
        return try form.makeBody()
    }

    private static func body(reading path: String) throws -> HTTPBody {
        do {
            // Standard input is collected, so that a retry or a redirect can send it again.
            if path == "-" { return HTTPBody(try FileHandle.standardInput.readToEnd() ?? Data()) }
            return try HTTPBody(file: URL(fileURLWithPath: path))
        } catch {
            throw CommandError(.readError, "\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    private static func head(of response: TransportResponse) -> String {
        let fields = response.headers.map { "\($0.name): \($0.value)\r\n" }
        return "\(response.version) \(response.status)\r\n\(fields.joined())\r\n"
    }

    private static func isJSON(_ response: TransportResponse) -> Bool {
        let type = response.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        return type.hasPrefix("application/") && type.trimmingCharacters(in: .whitespaces).hasSuffix("json")
    }

    // MARK: download

    private func download() async throws {
        let path = arguments.operands.dropFirst().first
        if let path, Output.isSpecial(path) { return try await fetch("GET", into: path) }
        let file = URL(fileURLWithPath: path ?? FileManager.default.currentDirectoryPath, isDirectory: path == nil)
        let destination = path == nil ? .folder(file) : DownloadDestination(file)
        var options = DownloadOptions()
        if case .folder = destination { options.existingFile = .keepBoth }
        if let retries { options.maxResumptions = retries }
        if let timeout { options.stallTimeout = timeout }
        let downloader = Downloader(client: client)
        let earlier = downloader.unfinishedDownloads().first {
            $0.url == url && $0.destination.path == destination.path
        }
        if let earlier { note("Resuming an earlier download at byte \(earlier.bytesCompleted).") }
        let isReplaced = options.existingFile == .replace && FileManager.default.fileExists(atPath: file.path)
        let saved = try await Download(downloader: downloader).save(
            earlier.map { .resumeData($0.resumeData, headers: headers) } ?? .url(url, headers: headers),
            to: destination, options: options, bar: ProgressBar(.standardError))
        let size = try saved.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        note("Saved \(size) bytes to \(saved.path)\(isReplaced ? ", in place of an older file" : "")")
    }

    // MARK: Settings and reports

    private static func url(_ arguments: Arguments) throws -> URL {
        let text = arguments.operands.first ?? ""
        guard var url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), url.host?.isEmpty == false
        else {
            throw CommandError(.malformedURL, "'\(text)' is not a URL. Write it in full, as in https://example.com/")
        }
        guard ["http", "https"].contains(scheme) else {
            throw CommandError(.otherFailure, "The scheme '\(scheme)' is not supported. Use http or https.")
        }
        let items = try arguments.pairs(.query)
        if !items.isEmpty {
            url.percentEncodedQuery = [url.percentEncodedQuery ?? "", encoded(items)].filter { !$0.isEmpty }
                .joined(separator: "&")
        }
        guard let url = url.url else { throw NetworkError.invalidURL }
        return url
    }

    /// Returns the items as a query or a form. A plus sign would be read as a space.
    private static func encoded(_ items: [URLQueryItem]) -> String {
        var components = URLComponents()
        components.queryItems = items
        return (components.percentEncodedQuery ?? "").replacingOccurrences(of: "+", with: "%2B")
    }

    private static func cacheFolder(_ path: String) -> URL {
        guard path.isEmpty else { return URL(fileURLWithPath: path, isDirectory: true) }
        let folder = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return (folder ?? FileManager.default.temporaryDirectory)
            .appendingPathComponent("networking-quickstart", isDirectory: true)
    }

    private func noteCache(_ state: CallMetrics.CacheState?) {
        switch state {
        case .hit: note("cache: hit")
        case .revalidated: note("cache: hit, revalidated by the server")
        case .forwarded(let reason): note("cache: miss (\(reason))")
        case nil: break
        }
    }

    private func report() throws {
        guard let recorder else { return }
        if arguments.has(.waterfall) { for call in recorder.calls { note(call.timings) } }
        guard let path = arguments.last(.har) else { return }
        do {
            if Output.isSpecial(path) {
                let output = try Output(path)
                try output.write(recorder.archive.jsonData())
                try output.close()
            } else {
                try recorder.archive.write(to: URL(fileURLWithPath: path))
            }
        } catch let error as FileSink.FileError {
            throw CommandError(.writeError, error.localizedDescription)
        }
    }
}

extension DownloadDestination {
    fileprivate var path: String? {
        switch self {
        case .file(let url), .folder(let url): url.standardizedFileURL.path
        case .temporary: nil
        }
    }
}

extension CallMetrics {
    /// The steps of each exchange on a common time axis, for a terminal.
    fileprivate var timings: String {
        var lines = ["\(method) \(url): \(Self.text(duration)), \(bytesReceived) bytes received"]
        if exchanges.isEmpty { lines.append("  answered by the cache") }
        for exchange in exchanges {
            let result = exchange.status.map { "\($0)" } ?? exchange.errorCode ?? ""
            let reuse = exchange.isReusedConnection == true ? ", on an open connection" : ""
            lines.append("  \(exchange.method) \(exchange.url): \(result)\(reuse)")
            var start = max(0, exchange.start - exchange.queue)
            for (name, seconds) in exchange.steps {
                guard let seconds else { continue }
                let label = name.padding(toLength: 11, withPad: " ", startingAt: 0)
                lines.append("    \(label)\(Self.text(seconds))  \(bar(from: start, for: seconds))")
                start += seconds
            }
        }
        return lines.joined(separator: "\n")
    }

    private func bar(from start: TimeInterval, for seconds: TimeInterval) -> String {
        let width = 40.0
        func column(_ time: TimeInterval) -> Int { duration > 0 ? Int(min(1, max(0, time / duration)) * width) : 0 }
        let (first, last) = (min(column(start), Int(width) - 1), column(start + seconds))
        return String(repeating: " ", count: first) + String(repeating: "█", count: max(1, last - first))
    }

    private static func text(_ seconds: TimeInterval) -> String { String(format: "%9.1f ms", seconds * 1000) }
}

extension CallMetrics.Exchange {
    fileprivate var steps: [(name: String, seconds: TimeInterval?)] {
        [
            ("waiting", queue > 0 ? queue : nil), ("DNS", nameLookup), ("connect", connect), ("TLS", secureConnect),
            ("first byte", firstByte), ("transfer", transfer),
        ]
    }
}
