import NetCore
import TestLab
import Testing

@Suite(.startsProcesses) struct ProcessRunnerTests {
    @Test func capturesBothOutputsAndTheStatus() async throws {
        let result = try await ProcessRunner.run("sh", ["-c", "echo out; echo err >&2; exit 3"])
        #expect((result.text, result.errorText, result.termination) == ("out\n", "err\n", .exited(3)))
        #expect(throws: LabError.self) { try result.checked() }
    }

    @Test func killsWhatTakesTooLong() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("pid")
        // A busy machine may not have begun it by then.
        for limit in [0.5, 5, 50] where !FileManager.default.fileExists(atPath: file.path) {
            await #expect(throws: LabError.self) {
                try await ProcessRunner.run(
                    "sh", ["-c", #"sleep 1000 & echo $! > "$0".new; mv "$0".new "$0"; wait"#, file.path],
                    timeLimit: limit)
            }
        }
        // The grandchild, too. It is init's to reap, which takes a moment.
        let grandchild = try #require(Int32(String(contentsOf: file, encoding: .utf8).dropLast()))
        try await waitUntil("the grandchild is gone") { isAlive(grandchild) ? nil : () }
    }

    @Test func killsWhenCancelled() async throws {
        let task = Task { try await ProcessRunner.run("sleep", ["1000"]) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func saysWhatInstallsAMissingProgram() async throws {
        let error = await #expect(throws: LabError.self) { try await ProcessRunner.run("no-such-program-anywhere") }
        #expect(error?.description.contains("Scripts/install-test-tools") == true)
        #expect(throws: LabError.self) { try BackgroundProcess("/no/such/program") }
    }

    @Test func givesTheChildNoDescriptorsOfOurs() async throws {
        let pipe = Pipe()
        // Pipe's own descriptors close on exec; a duplicate does not.
        let leak = dup(pipe.fileHandleForReading.fileDescriptor)
        defer { close(leak) }
        let result = try await ProcessRunner.run("ls", ["/dev/fd/"])
        #expect(!result.text.split(separator: "\n").contains("\(leak)"), "The child has our descriptor \(leak)")
    }
}

@Suite(.startsProcesses) struct BackgroundProcessTests {
    @Test func runsUntilItIsStopped() async throws {
        let process = try BackgroundProcess("sh", ["-c", "echo ready; exec sleep 1000"])
        try await waitUntil("it says ready") { process.output == "ready\n" ? () : nil }
        #expect((process.termination, process.stop()) == (nil, .signalled(SIGTERM)))
        #expect((process.termination, process.stop()) == (.signalled(SIGTERM), .signalled(SIGTERM)))
        #expect(!isAlive(process.identifier))
    }

    @Test func processThatDoesNotListenIsKilled() async throws {
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

        @Test(.ownProcess) func endedProcessesAndDirectoriesLeaveNoDescriptors() async throws {
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

/// Whether a process runs. One that has ended but was not reaped does not count.
private func isAlive(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 else { return false }
    guard let file = FileHandle(forReadingAtPath: "/proc/\(process)/stat") else { return true }
    let fields = String(decoding: file.readDataToEndOfFile(), as: UTF8.self).split(separator: " ")
    return fields.count < 3 || fields[2] != "Z"
}
