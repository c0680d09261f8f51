import Foundation

/// A line that grows on a terminal; a line for each quarter where the output goes to a file.
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

    /// A line of its own. The bar goes on below.
    func note(_ text: String) {
        finish()
        print("    → \(text)")
    }

    /// Ends the line, if one was drawn. Twice is fine.
    func finish() {
        guard !shown.isEmpty else { return }
        shown = ""
        print("")
    }

    private func draw(_ line: String) {
        guard isTerminal, line != shown else { return }
        shown = line
        print("\r\(line)", terminator: "")
        // All streams, since Swift 6 does not let `stdout` itself be named.
        fflush(nil)
    }
}
