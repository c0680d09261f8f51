import Networking

/// Saves a response to a file chunk by chunk: memory stays flat whatever the size.
struct Download {
    let client: NetworkClient

    /// The file cannot be written there.
    struct CannotSave: LocalizedError {
        let file: URL
        let reason: String

        var errorDescription: String? { "Cannot save to \(file.path): \(reason)" }
    }

    /// - Parameter progress: called with the bytes so far, and with their total if the server names it.
    /// - Returns: the number of bytes saved.
    func save(_ url: URL, to file: URL, progress: (Int64, Int64?) -> Void) async throws -> Int64 {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory), isDirectory.boolValue {
            throw CannotSave(file: file, reason: "that is a folder; name a file in it.")
        }
        let response = try await client.send(URLRequest(url: url))
        guard (200..<300).contains(response.status) else {
            throw NetworkError.requestFailed(
                statusCode: response.status, data: try await response.body.prefix(upTo: 4096))
        }
        // A sibling first: the file is there whole, or not at all.
        let partial = file.appendingPathExtension("partial")
        do {
            let received = try await write(response.body, to: partial, progress: progress)
            // In one step, and in place of an older file.
            guard rename(partial.path, file.path) == 0 else { throw CannotSave(file: file, reason: systemError()) }
            return received
        } catch {
            unlink(partial.path)
            throw error
        }
    }

    private func write(_ body: HTTPBody, to file: URL, progress: (Int64, Int64?) -> Void) async throws -> Int64 {
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw CannotSave(file: file.deletingPathExtension(), reason: systemError())
        }
        let handle = try FileHandle(forWritingTo: file)
        var received: Int64 = 0
        for try await chunk in body {
            try handle.write(contentsOf: chunk)
            received += Int64(chunk.count)
            progress(received, body.length)
        }
        try handle.close()
        return received
    }

    private func systemError() -> String { String(cString: strerror(errno)) }
}
