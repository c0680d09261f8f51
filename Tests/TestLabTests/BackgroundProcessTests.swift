import NetCore
import TestLab
import Testing

@Suite(.startsProcesses) struct BackgroundProcessTests {
    @Test func runsUntilItIsStopped() async throws {
        let process = try BackgroundProcess("sh", ["-c", "echo ready; exec sleep 1000"])
        try await waitUntil("it says ready") { process.output == "ready\n" ? () : nil }
        #expect((process.termination, process.stop()) == (nil, .signalled(SIGTERM)))
        #expect((process.termination, process.stop()) == (.signalled(SIGTERM), .signalled(SIGTERM)))
        #expect(!isAlive(process.identifier))
    }

    @Test func tellsHowItEndedByItself() async throws {
        let process = try BackgroundProcess("sh", ["-c", "exit 7"])
        #expect(try await waitUntil("it has ended") { process.termination } == .exited(7))
    }

    @Test func killsWhatDoesNotListen() async throws {
        let process = try BackgroundProcess("sh", ["-c", "trap '' TERM; echo deaf; while :; do sleep 0.01; done"])
        try await waitUntil("it is deaf") { process.output == "deaf\n" ? () : nil }
        #expect(process.stop(within: 0.1) == .signalled(SIGKILL))
    }

    @Test func endsWithItsOwner() async throws {
        var process: BackgroundProcess? = try BackgroundProcess("sleep", ["1000"])
        let identifier = try #require(process?.identifier)
        #expect(isAlive(identifier))
        process = nil
        #expect(!isAlive(identifier))
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        /// However this process ends, its children end and its directories go.
        @Test(.ownProcess) func endsWithThisProcess() async throws {
            let home = try TemporaryDirectory()
            let parent = home.file("it's a $HOME").path
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
            let crash = await #expect(
                processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
            ) { [parent = parent as String] in
                setenv("TMPDIR", parent, 1)
                let process = try BackgroundProcess("sleep", ["1000"])
                let directory = try TemporaryDirectory()
                try Data().write(to: directory.file("file"))
                try FileHandle.standardOutput.write(
                    contentsOf: Data("\n\(process.identifier)\n\(directory.url.path)\n".utf8))
                withExtendedLifetime((process, directory)) { _ = kill(getpid(), SIGKILL) }
            }
            let text = String(decoding: try #require(crash).standardOutputContent, as: UTF8.self)
            let lines = text.split(separator: "\n")
            let identifier = try #require(lines.compactMap { Int32($0) }.first)
            let path = try #require(lines.first { $0.hasPrefix(parent) })
            try await waitUntil("the child is gone") { isAlive(identifier) ? nil : () }
            try await waitUntil("the directory is gone") {
                FileManager.default.fileExists(atPath: String(path)) ? nil : ()
            }
        }

        @Test(.ownProcess) func leavesNothingBehind() async throws {
            await #expect(processExitsWith: .success) {
                let run = {
                    try await ProcessRunner.run("true").checked()
                    try BackgroundProcess("sleep", ["1000"]).stop()
                    _ = try TemporaryDirectory()
                }
                try await ResourceCensus.settle()
                try await run()
                let before = ResourceCensus()
                for _ in 0..<20 { try await run() }
                let after = ResourceCensus()
                #expect(after.descriptors.count <= before.descriptors.count, "\(after.growth(since: before))")
            }
        }
    #endif
}
