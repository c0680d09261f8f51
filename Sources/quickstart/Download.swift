import Foundation
import NetTesting
import Networking

/// A download with a live progress bar.
struct Download {
    let client: NetworkClient

    /// - Returns: the URL of the file.
    func save(_ url: URL, to file: URL, bar: ProgressBar = ProgressBar()) async throws -> URL {
        defer { bar.finish() }
        let (progress, task) = client.download(from: url, to: file)
        var attempt = 0
        for await state in progress {
            if state.attempt > attempt {
                attempt = state.attempt
                bar.note("the connection dropped: continuing at byte \(state.bytesCompleted)")
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

/// A line that grows on a terminal, or a line for each quarter if the output is a file.
final class ProgressBar {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let width = 30
    private var shownQuarter: Int64 = 0
    private var shown = ""

    func show(_ received: Int64, of total: Int64?) {
        guard let total, total > 0 else { return draw("    \(received / 1024) KiB") }
        let filled = Int(min(received, total) * Int64(width) / total)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let line = "    \(bar) \(received * 100 / total) % of \(total / 1024) KiB"
        let quarter = received * 4 / total
        if isTerminal {
            draw(line)
        } else if quarter > shownQuarter {
            shownQuarter = quarter
            print(line)
        }
    }

    /// Prints a line. The bar continues below it.
    func note(_ text: String) {
        finish()
        print("    → \(text)")
    }

    /// Ends the line, if one was drawn. May be called repeatedly.
    func finish() {
        guard !shown.isEmpty else { return }
        shown = ""
        print("")
    }

    private func draw(_ line: String) {
        guard isTerminal, line != shown else { return }
        shown = line
        print("\r\(line)", terminator: "")
        // Flushes all streams, since Swift 6 does not allow `stdout`.
        fflush(nil)
    }
}
