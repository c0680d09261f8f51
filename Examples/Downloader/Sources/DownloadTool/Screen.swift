import NetTransfer

/// Shows what is going on: as a bar that grows on a terminal, and as a line for each tenth elsewhere.
package struct Screen: Sendable {
    private let isTerminal: Bool
    private let write: @Sendable (String) -> Void
    private var tenthsShown = 0
    private var isBarOpen = false

    /// A screen.
    ///
    /// - Parameters:
    ///   - isTerminal: whether a line can be drawn over.
    ///   - write: takes text, line ends included.
    package init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    mutating func show(_ progress: TransferProgress) {
        if isTerminal {
            isBarOpen = true
            // Back to the beginning of the line, and off with what stands there.
            write("\r\u{1B}[K\(Self.bar(progress.fractionCompleted ?? 0)) \(progress)")
        } else if let fraction = progress.fractionCompleted, Int(fraction * 10) > tenthsShown {
            tenthsShown = Int(fraction * 10)
            write("\(progress)\n")
        }
    }

    mutating func note(_ text: String) {
        write((isBarOpen ? "\n" : "") + text + "\n")
        isBarOpen = false
    }

    /// - Parameter left: what a later run can go on with.
    mutating func end(_ outcome: DownloadTool.Outcome, left: DownloadRegistry.Entry?) {
        let advice = left.map { " \($0.bytesCompleted) bytes are kept: the same command goes on from there." } ?? ""
        switch outcome {
        case .finished(let file): note("Saved as \(file.path).")
        case .stopped: note("Stopped.\(advice)")
        case .failed(let error): note("\(error.localizedDescription)\(advice)")
        }
    }

    static func bar(_ fraction: Double, width: Int = 24) -> String {
        let filled = Int(Double(width) * min(max(fraction, 0), 1))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    }
}
