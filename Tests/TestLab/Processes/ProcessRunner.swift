package import NetCore

/// Runs a program to its end.
package enum ProcessRunner {
    /// Runs a program and gives back what it wrote and how it ended.
    ///
    /// - Parameters:
    ///   - command: a path, or a name to look for as ``Executable/find(_:)`` does.
    ///   - input: what it reads from its standard input.
    ///   - environment: variables to set besides those of this process.
    ///   - timeLimit: in seconds.
    /// - Throws: ``LabError`` if it cannot be started or did not end in time, and `CancellationError`. It, and what it
    ///   started, has then been killed.
    package static func run(
        _ command: String, _ arguments: [String] = [], input: Data = Data(), environment: [String: String] = [:],
        timeLimit: TimeInterval = 60
    ) async throws -> ProcessResult {
        let source = try CaptureFile(containing: input)
        let output = try CaptureFile()
        let error = try CaptureFile()
        let child = try ChildProcess(
            Executable.require(command), arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, new in new },
            input: source.descriptor, output: output.descriptor, error: error.descriptor)
        let termination: Termination
        do {
            let line = ([command] + arguments).joined(separator: " ")
            termination = try await waitUntil("\(line) has ended", within: timeLimit) { child.poll() }
        } catch {
            child.end(within: 0)
            throw error
        }
        return ProcessResult(termination: termination, output: output.contents, errorOutput: error.contents)
    }
}

/// What a program wrote, and how it ended.
package struct ProcessResult: Sendable {
    package let termination: Termination
    /// What it wrote to its standard output.
    package let output: Data
    /// What it wrote to its standard error.
    package let errorOutput: Data

    /// The output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
    /// The error output as text.
    package var errorText: String { String(decoding: errorOutput, as: UTF8.self) }

    /// Itself, if the program ended with status 0.
    ///
    /// - Throws: ``LabError`` with what it wrote to its standard error.
    @discardableResult
    package func checked() throws -> ProcessResult {
        guard termination == .exited(0) else { throw LabError("\(termination): \(errorText)") }
        return self
    }
}

/// A program that runs beside the tests, a server for example. It ends when its owner does, and when this process does,
/// even if that crashes.
package final class BackgroundProcess: Sendable {
    private let child: ChildProcess
    private let captured: CaptureFile

    /// Starts a program: a path, or a name to look for as ``Executable/find(_:)`` does.
    package init(_ command: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        captured = try CaptureFile()
        let nothing = try CaptureFile()
        child = try ChildProcess(
            Executable.require(command), arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, new in new },
            input: nothing.descriptor, output: captured.descriptor, error: captured.descriptor)
    }

    deinit { child.end(within: 0) }

    /// The number of the process.
    package var identifier: Int32 { child.identifier }
    /// How it ended, or nil while it runs.
    package var termination: Termination? { child.poll() }
    /// What it has written so far, to standard output and standard error.
    package var output: String { String(decoding: captured.contents, as: UTF8.self) }

    /// Sends a signal to it, and to what it started.
    package func send(signal: Int32) { child.send(signal) }

    /// Asks it to end (SIGTERM), kills it if it does not within that many seconds, and returns when it is gone. Twice is
    /// fine.
    @discardableResult
    package func stop(within grace: TimeInterval = 5) -> Termination { child.end(within: grace) }
}
