package import NetCore

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
