internal import NetCore

/// Starts a server on free ports, and on others if somebody took those in the meantime, and returns when it listens.
///
/// - Parameters:
///   - log: where it writes what it does not write to its outputs.
///   - start: chooses ports each time.
///   - isListening: gets what the server has written so far.
func startServer(
    _ name: String, log: () -> URL? = { nil }, start: () throws -> BackgroundProcess, isListening: (String) -> Bool
) async throws -> BackgroundProcess {
    for _ in 0..<10 {
        let process = try start()
        let listens = try await waitUntil("\(name) listens") { () -> Bool? in
            let termination = process.termination
            let text = process.output + (log().map(logText) ?? "")
            guard let termination else { return isListening(text) ? true : nil }
            // The second is what tinyproxy says.
            if text.contains("Address already in use") || text.contains("listening sockets") { return false }
            throw LabError("\(name) did not start (\(termination)): \(text)")
        }
        if listens { return process }
    }
    throw LabError("\(name) found its ports taken, ten times in a row")
}

/// A log that is not there yet is an empty one.
func logText(_ url: URL) -> String {
    String(decoding: FileManager.default.contents(atPath: url.path) ?? Data(), as: UTF8.self)
}
