import Foundation

/// Where the numbers come from: without it they mean nothing.
enum Machine {
    static func description(notes: String) throws -> [String] {
        let date = ISO8601DateFormatter().string(from: Date())
        return ["\(date), \(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores, Linux \(kernel)"]
            + notes.split(separator: "\n").map(String.init)
            + [try ChildProcess.libcurlVersion()]
    }

    private static var processor: String {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
    }

    private static var kernel: String {
        let text = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? "unknown"
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
