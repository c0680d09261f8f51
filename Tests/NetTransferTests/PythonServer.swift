import NetCore
import TestLab

/// A program with Python's `http.server`, which prints its port as its first line.
final class PythonServer: Sendable {
    let url: URL
    private let process: BackgroundProcess

    init(_ program: String) async throws {
        let process = try BackgroundProcess("python3", ["-u", "-c", program], environment: ["PYTHONUTF8": "1"])
        let port = try await waitUntil("Python's server listens") {
            if process.termination != nil { throw LabError(process.output) }
            let lines = process.output.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.count > 1 ? lines.first : nil
        }
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw LabError("No URL for port \(port)") }
        (self.process, self.url) = (process, url)
    }

    func url(_ path: String) -> URL { url.appendingPathComponent(path) }
    func stop() { process.stop() }
}
