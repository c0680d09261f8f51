import NetTesting
import Networking

/// A download with a live progress bar.
struct Download {
    let downloader: Downloader

    /// - Returns: the URL of the file.
    /// - Throws: the failure; `CancellationError` if this task is cancelled. The download can be resumed then.
    func save(
        _ source: DownloadSource, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions(),
        bar: ProgressBar = ProgressBar(.standard)
    ) async throws -> URL {
        defer { bar.finish() }
        let (progress, task) = downloader.download(source, to: destination, options: options)
        var attempt = 0
        for await state in progress {
            if state.attempt > attempt {
                attempt = state.attempt
                bar.note("the connection dropped: continuing at byte \(state.bytesCompleted)")
            }
            bar.show(state)
        }
        if Task.isCancelled {
            // In a task of its own, which is not cancelled.
            let resumeData = await Task { await downloader.pauseDownload(task: task) }.value
            if resumeData != nil { bar.note("The download is paused. The same command resumes it.") }
            throw CancellationError()
        }
        let response = try await task.value
        if let failure = response.failure { throw failure }
        return try response.get()
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

/// A line that grows on a terminal. On standard output that is a file, a line for each quarter.
final class ProgressBar {
    private let output: Output
    private let isTerminal: Bool
    private let width = 30
    private var shownQuarter = 0
    private var shown = ""

    init(_ output: Output) {
        self.output = output
        isTerminal = output.isTerminal
    }

    func show(_ progress: TransferProgress) {
        let fraction = progress.fractionCompleted ?? 0
        let filled = Int(fraction * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let line = "    \(bar) \(progress)"
        if isTerminal {
            draw(line)
        } else if output.descriptor == STDOUT_FILENO, Int(fraction * 4) > shownQuarter {
            shownQuarter = Int(fraction * 4)
            write(line + "\n")
        }
    }

    /// Writes a line. The bar continues below it.
    func note(_ text: String) {
        finish()
        write("    → \(text)\n")
    }

    /// Ends the line, if one was drawn. May be called repeatedly.
    func finish() {
        guard !shown.isEmpty else { return }
        shown = ""
        write("\n")
    }

    private func draw(_ line: String) {
        guard line != shown else { return }
        shown = line
        // Clears what an earlier, longer line has left.
        write("\r\(line)\u{1B}[K")
    }

    /// Behind what `print` has written. A closed output does not end the download.
    private func write(_ text: String) {
        fflush(nil)
        try? output.write(text)
    }
}
