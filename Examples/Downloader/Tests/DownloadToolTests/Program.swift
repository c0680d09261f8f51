import Foundation

/// A run of `download`, which was built with the tests.
final class Program: Sendable {
    struct NotBuilt: Error {}

    private let process = Process()
    private let reader: FileHandle
    private let ended: AsyncStream<Never>

    init(_ words: [String]) throws {
        let pipe = Pipe()
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        self.ended = ended
        reader = pipe.fileHandleForReading
        process.executableURL = try Self.url()
        process.arguments = words
        process.standardOutput = pipe
        process.standardError = pipe
        process.terminationHandler = { _ in end.finish() }
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// What it prints until that comes, or until its end.
    func output(upTo mark: String? = nil) async -> String {
        await withCheckedContinuation { continuation in
            // Reading blocks, which threads on which tasks run must not.
            DispatchQueue.global().async { [reader] in
                var text = Data()
                while mark.map({ !String(decoding: text, as: UTF8.self).contains($0) }) ?? true {
                    let data = reader.availableData
                    guard !data.isEmpty else { break }
                    text += data
                }
                continuation.resume(returning: String(decoding: text, as: UTF8.self))
            }
        }
    }

    /// Waits until it has ended.
    func end() async -> (output: String, status: Int32) {
        let output = await output()
        for await _ in ended {}
        return (output, process.terminationStatus)
    }

    private static func url() throws -> URL {
        let places = [Bundle.main.executableURL, URL(fileURLWithPath: CommandLine.arguments[0])].compactMap { $0 }
        for place in places + Bundle.allBundles.map(\.bundleURL) {
            let url = place.deletingLastPathComponent().appendingPathComponent("download")
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        throw NotBuilt()
    }
}
