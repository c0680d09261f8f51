import NetCore
import TestLab
import Testing

@Suite(.startsProcesses) struct ProcessRunnerTests {
    @Test func capturesBothOutputsAndTheStatus() async throws {
        let result = try await ProcessRunner.run("sh", ["-c", "echo out; echo err >&2; exit 3"])
        #expect((result.text, result.errorText, result.termination) == ("out\n", "err\n", .exited(3)))
        #expect(throws: LabError.self) { try result.checked() }
    }

    @Test func passesArgumentsInputAndEnvironment() async throws {
        let result = try await ProcessRunner.run(
            "sh", ["-c", #"printf '%s|' "$@" "$LAB_VARIABLE"; cat"#, "sh", "two words", "*"],
            input: Data("input".utf8), environment: ["LAB_VARIABLE": "value"])
        #expect(result.text == "two words|*|value|input")
    }

    @Test func takesMoreOutputThanAPipeHolds() async throws {
        let result = try await ProcessRunner.run("sh", ["-c", "head -c 3000000 /dev/zero"]).checked()
        #expect(result.output == Data(count: 3_000_000))
    }

    @Test func tellsOfSignals() async throws {
        #expect(try await ProcessRunner.run("sh", ["-c", "kill -9 $$"]).termination == .signalled(SIGKILL))
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

/// Whether a process runs. One that has ended but was not reaped does not count.
func isAlive(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 else { return false }
    guard let file = FileHandle(forReadingAtPath: "/proc/\(process)/stat") else { return true }
    let fields = String(decoding: file.readDataToEndOfFile(), as: UTF8.self).split(separator: " ")
    return fields.count < 3 || fields[2] != "Z"
}
