import NetTesting
import Networking

/// A download with a live progress bar.
struct Download {
    let client: NetworkClient

    /// - Returns: where the file is.
    func save(_ url: URL, to file: URL, bar: ProgressBar = ProgressBar()) async throws -> URL {
        defer { bar.finish() }
        let (progress, task) = client.download(from: url, to: file)
        var attempt = 0
        for await state in progress {
            if state.attempt > attempt {
                attempt = state.attempt
                bar.note("the connection dropped: going on at byte \(state.bytesCompleted)")
            }
            bar.show(state.bytesCompleted, of: state.totalBytes)
        }
        return try await task.value
    }
}

extension MockServer {
    /// Serves a file with ranges (RFC 9110, section 14), and cuts the connection in the middle of the first answer.
    func serveFileThatBreaksOff(at path: String, size: Int, bytesPerSecond: Int) {
        let file = MockResponse.generatedBytes(count: size)
        on(.get, path) { request in
            let headers: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]
            guard let range = request.headers["Range"], request.headers["If-Range"] == headers["ETag"],
                let first = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }), first < size
            else {
                return MockResponse(status: 200, headers: headers, body: .data(file)).fault(.truncatedBody)
                    .throttled(bytesPerSecond: bytesPerSecond)
            }
            return MockResponse(status: 206, headers: headers, body: .data(file[first...]))
                .header("Content-Range", "bytes \(first)-\(size - 1)/\(size)")
                .throttled(bytesPerSecond: bytesPerSecond)
        }
    }
}
