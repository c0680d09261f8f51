import NetTesting
import Networking
import TestLab
import Testing

/// Devices, pipes and endless bodies: the command writes through, in flat memory, and ends when its reader does.
@Suite("quickstart and its output", .timeLimit(.minutes(5)), .startsProcesses) struct CommandOutputTests {
    private let lab: CommandLab
    private static let bytes = MockResponse.generatedBytes(count: 300_000)

    init() throws {
        lab = try CommandLab()
        lab.server.on("/bytes", .data(Self.bytes))
        lab.server.on("/endless", .fault(.endlessBody))
    }

    /// Between what others write there: a new file in its place, or a truncated one, would lack something.
    @Test(arguments: ["\"$1\"", "\"$1\" -o -", "\"$1\" -o /dev/stdout"])
    func sharedStandardOutputIsAppendedTo(_ words: String) async throws {
        let result = try await lab.shell("(printf 'a'; \"$0\" \(words); printf 'b') > all", lab.url("/bytes"))
        #expect(result.termination == .exited(0))
        #expect(try (lab.contents("all"), lab.names) == (Data("a".utf8) + Self.bytes + Data("b".utf8), ["all"]))
    }

    @Test func outputToANamedPipe() async throws {
        let (special, before) = try (SpecialFiles(in: lab.directory), lab.names)
        let result = try await lab.shell(
            "cat pipe > copy & \"$0\" \"$1\" -o pipe; code=$?; wait; exit $code", lab.url("/bytes"))
        #expect(result.termination == .exited(0), "\(result.errorText)")
        #expect(try lab.contents("copy") == Self.bytes && special.areUnchanged())
        #expect(try lab.names == (before + ["copy"]).sorted())
    }

    /// A file of another length is replaced, and a new one has the mode that the umask gives.
    @Test func outputToAFile() async throws {
        try Data(repeating: 1, count: 500_000).write(to: lab.directory.file("old"))
        for name in ["old", "new"] {
            let result = try await lab.shell(
                "umask 027; exec \"$0\" \"$1\" -o \(name) --har \(name).har", lab.url("/bytes"))
            #expect(try result.termination == .exited(0) && result.output.isEmpty && lab.contents(name) == Self.bytes)
        }
        for name in ["new", "new.har"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: lab.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o640)
        }
    }

    #if os(Linux)
        @Test func fullDeviceExitsWith23() async throws {
            let result = try await lab.run(lab.url("/bytes"), "-o", "/dev/full")
            #expect(result.termination == .exited(23) && result.errorText.contains("/dev/full"))
        }

        /// A pipe that is read slowly holds the body back: 256 MiB pass through a small process. When the reader goes, so does the command.
        @Test func endlessBodyNeedsConstantMemory() async throws {
            let pipe = try SpecialFiles(in: lab.directory).pipe.path
            // Keeps the pipe open between its readers.
            let keeper = open(pipe, O_RDWR | O_CLOEXEC)
            let process = try lab.start(lab.url("/endless"), "--output", pipe)
            func read(_ count: Int) async throws {
                let script = "head -c \(count) \"$0\" > /dev/null"
                try await ProcessRunner.run("sh", ["-c", script, pipe], timeLimit: 120).checked()
            }
            try await read(16 << 20)
            let early = try Self.peak(of: process)
            try await read(240 << 20)
            let late = try Self.peak(of: process)
            #expect(late - early < 16 << 10, "\(early) KiB, then \(late) KiB")
            print("quickstart: peak \(early) KiB after 16 MiB, \(late) KiB after 256 MiB")
            close(keeper)
            #expect(try await process.end() == .exited(23))
        }

        private static func peak(of process: BackgroundProcess) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
        }
    #endif

    @Test func closedPipeExitsWith23() async throws {
        for words in ["\"$1\"", "\"$1\" --include"] {
            let result = try await lab.shell(
                "{ \"$0\" \(words); echo \"ended with $?\" >&2; } | head -c 1", lab.url("/endless"))
            #expect(result.output.count == 1 && result.errorText.contains("ended with 23"), "\(result.errorText)")
        }
    }

    @Test func closedStandardOutputOrError() async throws {
        #expect(try await lab.shell("\"$0\" \"$1\" >&-", lab.url("/bytes")).termination == .exited(23))
        let error = try await lab.shell("\"$0\" \"$1\" --verbose 2>&-", lab.url("/bytes"))
        #expect(error.termination == .exited(0) && error.output == Self.bytes)
    }

    @Test func unwritableOutputFileExitsWith23() async throws {
        let result = try await lab.run(lab.url("/bytes"), "-o", lab.path("missing/file"))
        #expect(result.termination == .exited(23) && result.errorText.contains("missing/file"))
        let har = try await lab.run(lab.url("/bytes"), "--har", lab.path("missing/file"))
        #expect(har.termination == .exited(23) && har.output == Self.bytes)
    }

    // MARK: Ctrl-C

    @Test func interruptExitsWith130() async throws {
        let process = try lab.start(lab.url("/endless"), "-o", "/dev/null")
        _ = try await waitUntil("the request is there") { lab.server.requestCount > 0 ? true : nil }
        process.send(signal: SIGINT)
        #expect(try await process.end() == .exited(130) && process.output.contains("Interrupted"))
    }

    /// Opening the pipe waits for a reader, which nothing can cancel.
    @Test func secondInterruptEndsABlockedWrite() async throws {
        let pipe = try SpecialFiles(in: lab.directory).pipe.path
        let process = try lab.start(lab.url("/endless"), "-o", pipe)
        _ = try await waitUntil("the request is there") { lab.server.requestCount > 0 ? true : nil }
        process.send(signal: SIGINT)
        // Signals of one kind that arrive together are one.
        _ = try await waitUntil("the command has ended") {
            process.send(signal: SIGINT)
            return process.termination
        }
        #expect(process.termination == .exited(130))
    }
}
