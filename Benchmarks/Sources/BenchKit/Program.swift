import Foundation

/// A program that prints numbers.
package struct Program {
    private let process = Process()
    private let output = Pipe()

    package init(_ path: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    /// What it has printed by its end.
    package func numbers() throws -> [Double] {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = Self.numbers(in: text)
        guard process.terminationStatus == 0, !numbers.isEmpty else {
            throw Failure("\(process.arguments ?? []): \(text)")
        }
        return numbers
    }

    /// What it prints first, while it runs.
    package func line() throws -> [Double] {
        Self.numbers(in: String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
    }

    package func end() {
        process.terminate()
        process.waitUntilExit()
    }

    private static func numbers(in text: String) -> [Double] {
        text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    }
}
