import Networking

/// Saves a response to a file chunk by chunk: memory stays flat whatever the size.
struct Download {
    let client: NetworkClient

    /// - Parameter progress: called with the bytes so far, and with their total if the server names it.
    /// - Returns: the number of bytes saved.
    func save(_ url: URL, to file: URL, progress: (Int64, Int64?) -> Void) async throws -> Int64 {
        let response = try await client.send(URLRequest(url: url))
        guard (200..<300).contains(response.status) else {
            throw NetworkError.requestFailed(
                statusCode: response.status, data: try await response.body.prefix(upTo: 4096))
        }
        // A sibling first: the file is there whole, or not at all.
        let partial = file.appendingPathExtension("partial")
        guard FileManager.default.createFile(atPath: partial.path, contents: nil) else {
            throw NetworkError.downloadFailed(CocoaError(.fileWriteUnknown))
        }
        let handle = try FileHandle(forWritingTo: partial)
        var received: Int64 = 0
        for try await chunk in response.body {
            try handle.write(contentsOf: chunk)
            received += Int64(chunk.count)
            progress(received, response.body.length)
        }
        try handle.close()
        _ = try? FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: partial, to: file)
        return received
    }
}
