import Networking

/// One request, and what is written of it.
struct Call {
    private let arguments: Arguments
    private let request: URLRequest
    private let client: NetworkClient
    private let recorder = TrafficRecorder()
    private let logger = NetworkLogger(sinks: [StandardErrorSink()])

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        let json = try arguments.json()
        var request = URLRequest(url: arguments.url)
        request.httpMethod = arguments.method ?? (json == nil ? "GET" : "POST")
        request.httpBody = json
        for header in try arguments.headers() { request.addValue(header.value, forHTTPHeaderField: header.name) }
        for (name, value) in json == nil ? [] : [("Content-Type", "application/json"), ("Accept", "application/json")]
        where request.value(forHTTPHeaderField: name) == nil { request.setValue(value, forHTTPHeaderField: name) }
        self.request = request
        if arguments.last("--har") == "-", arguments.last("--output") ?? "-" == "-" {
            throw CommandError.usage("The HAR file and the body would mix on standard output. Name a file for one.")
        }
        var configuration = arguments.configuration
        if arguments.has("--har") { configuration.callInterceptors.append(recorder) }
        if arguments.has("--verbose") {
            configuration.callInterceptors.append(LoggingInterceptor(level: .verbose, logger: logger))
        }
        client = NetworkClient(configuration: configuration)
    }

    func run() async throws {
        let result = await Result { try await send() }
        await logger.flush()
        await client.shutdown(.cancel)
        // A recording is worth most if the call failed.
        if let path = arguments.last("--har") {
            let output = try Output(path)
            try output.write(recorder.archive.jsonData())
            try output.close()
        }
        try result.get()
    }

    private func send() async throws {
        let response = try await client.send(request)
        if arguments.has("--fail"), response.status >= 400 {
            throw CommandError(22, "The server answered with status \(response.status).")
        }
        let output = try Output(arguments.last("--output") ?? "-")
        if arguments.has("--include") || request.httpMethod == "HEAD" {
            let fields = response.headers.map { "\($0.name): \($0.value)\r\n" }
            try output.write("\(response.version) \(response.status)\r\n\(fields.joined())\r\n")
        }
        let isOnTerminal = output.isTerminal && arguments.last("--output") == nil
        for try await chunk in response.body {
            if isOnTerminal, chunk.contains(0) {
                throw CommandError(23, "The body is binary. Write it to a file with -o FILE, or here with -o -.")
            }
            try output.write(chunk)
        }
        try output.close()
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
