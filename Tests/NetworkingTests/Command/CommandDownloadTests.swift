import NetTesting
import Networking
import TestLab
import Testing

/// `download` of the command: names, existing files, interruption and resumption.
@Suite("quickstart download", .timeLimit(.minutes(5)), .startsProcesses)
struct CommandDownloadTests {
    private let lab: CommandLab
    private static let bytes = MockResponse.generatedBytes(count: 400_000)

    init() throws {
        lab = try CommandLab()
        lab.server.on("/files/report.bin", .data(Self.bytes))
    }

    @Test func withoutFileItGetsTheServersName() async throws {
        for name in ["report.bin", "report (2).bin"] {
            let result = try await lab.shell("exec \"$0\" download \"$1\"", lab.url("/files/report.bin"))
            #expect(result.termination == .exited(0) && result.output.isEmpty)
            #expect(result.errorText.contains("Saved 400000 bytes to") && result.errorText.contains(name))
            #expect(try lab.contents(name) == Self.bytes)
        }
        #expect(try lab.names == ["report (2).bin", "report.bin"])
    }

    /// The name comes from the server, and must not leave the folder.
    @Test(arguments: ["../../escaped.bin", "/tmp/escaped.bin", "..", ".hidden", "a/b.bin"])
    func theServersNameStaysInTheFolder(_ name: String) async throws {
        lab.server.on("/x", .data(Self.bytes).header("Content-Disposition", "attachment; filename=\"\(name)\""))
        let folder = lab.directory.file("inner")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let result = try await lab.shell("cd inner && exec \"$0\" download \"$1\"", lab.url("/x"))
        #expect(result.termination == .exited(0), "\(result.errorText)")
        let saved = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(saved.count == 1 && saved.first?.hasPrefix(".") == false)
        #expect(try lab.names == ["inner"])
    }

    @Test func anExistingFileIsReplacedAndThatIsSaid() async throws {
        try Data("old".utf8).write(to: lab.directory.file("file"))
        let result = try await lab.run("download", lab.url("/files/report.bin"), lab.path("file"))
        #expect(result.termination == .exited(0) && result.errorText.contains("in place of an older file"))
        #expect(try lab.contents("file") == Self.bytes)
        let fresh = try await lab.run("download", lab.url("/files/report.bin"), lab.path("new"))
        #expect(!fresh.errorText.contains("older file"))
    }

    @Test func anErrorStatusLeavesTheOldFile() async throws {
        try Data("old".utf8).write(to: lab.directory.file("file"))
        lab.server.on("/gone", .text("a page", status: 404))
        for file in [lab.path("file"), "-"] {
            let result = try await lab.run("download", lab.url("/gone"), file)
            #expect(result.termination == .exited(22) && result.output.isEmpty)
        }
        #expect(try lab.contents("file") == Data("old".utf8) && lab.names == ["file"])
    }

    @Test func headersQueryRetryAndRecording() async throws {
        lab.server.enqueue(.status(503))
        let result = try await lab.run(
            "download", lab.url("/files/report.bin"), lab.path("file"), "-H", "Authorization: Bearer sesame", "--query",
            "v=2", "--retry", "1", "--har", lab.path("a.har"), "--waterfall", "--verbose")
        #expect(result.termination == .exited(0) && result.errorText.contains("first byte"))
        #expect(lab.server.requests.map { $0.headers["Authorization"] } == ["Bearer sesame", "Bearer sesame"])
        #expect(lab.server.requests.last?.query == "v=2")
        #expect(!result.errorText.contains("sesame"))
        let archive = try HTTPArchive(contentsOf: lab.directory.file("a.har"))
        #expect(archive.log.entries.map(\.response.status) == [503, 200])
    }

    /// The server sends a part and holds the rest back. Ctrl-C keeps the part, and the next run asks for the rest.
    @Test func interruptedAndResumed() async throws {
        let part = 150_000
        lab.server.on("/big") { request in
            let headers: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]
            guard let range = request.headers["Range"] else {
                let pieces = [Self.bytes.prefix(part), Self.bytes.dropFirst(part)]
                return MockResponse(status: 200, headers: headers, body: .chunks(pieces, delay: 300))
                    .header("Content-Length", "\(Self.bytes.count)")
            }
            let first = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
            return MockResponse(status: 206, headers: headers, body: .data(Self.bytes[first...]))
                .header("Content-Range", "bytes \(first)-\(Self.bytes.count - 1)/\(Self.bytes.count)")
        }
        let process = try lab.start("download", lab.url("/big"), lab.path("file"))
        _ = try await waitUntil("the part is on disk") {
            try FileManager.default.contentsOfDirectory(atPath: lab.directory.url.path)
                .contains { $0.hasSuffix(".download") && (try? lab.contents($0).count) == part } ? true : nil
        }
        process.send(signal: SIGINT)
        #expect(try await process.end() == .exited(130))
        #expect(process.output.contains("The same command resumes it."), "\(process.output)")
        #expect(!FileManager.default.fileExists(atPath: lab.path("file")))
        let result = try await lab.run("download", lab.url("/big"), lab.path("file"))
        #expect(result.termination == .exited(0) && result.errorText.contains("Resuming an earlier download at byte"))
        #expect(lab.server.requests.last?.headers["Range"] == "bytes=\(part)-")
        #expect(try lab.contents("file") == Self.bytes && lab.names == ["file"])
    }

    /// Python gives it a terminal, which shows standard error.
    @Test(.requires(.python3)) func aProgressBarOnATerminal() async throws {
        let script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
        let result = try await ProcessRunner.run(
            "python3", ["-c", script, lab.program, "download", lab.url("/files/report.bin"), lab.path("file")],
            environment: lab.environment)
        #expect(result.termination == .exited(0))
        #expect(result.text.contains("100.0%") && result.text.contains("██████████"), "\(result.text)")
        #expect(result.text.contains("Saved 400000 bytes"))
    }
}
