import NetSystem
import TestLab
import Testing

@Suite("AtomicFile", .timeLimit(.minutes(1)), .startsProcesses) struct AtomicFileTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test func replacesPrivately() throws {
        let file = folder.file("a")
        try Data("a longer old one".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let open = try AtomicFile.write(Data("new".utf8), to: file.path)
        #expect(try Data(contentsOf: file) == Data("new".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        // It is open for more.
        try open.write(Data("er".utf8))
        #expect(try Data(contentsOf: file) == Data("newer".utf8) && names() == ["a"])
    }

    @Test func keepsWhatIsThere() throws {
        let file = folder.file("a")
        try AtomicFile.write(Data("first".utf8), to: file.path, replaces: false)
        let error = #expect(throws: SystemError.self) {
            try AtomicFile.write(Data("second".utf8), to: file.path, replaces: false)
        }
        #expect(try error?.code == EEXIST && Data(contentsOf: file) == Data("first".utf8) && names() == ["a"])
    }

    @Test func failedWriteLeavesNoFile() throws {
        try FileManager.default.createDirectory(at: folder.file("a"), withIntermediateDirectories: false)
        #expect(throws: SystemError.self) { try AtomicFile.write(Data(), to: folder.file("a").path) }
        #expect(throws: SystemError.self) { try AtomicFile.write(Data(), to: folder.file("no/such").path) }
        #expect(try names() == ["a"])
    }

    @Test func replacesNothingButFiles() throws {
        let special = try SpecialFiles(in: folder)
        let link = folder.file("link")
        #expect(symlink("elsewhere", link.path) == 0)
        let before = try names()
        for file in special.all + [link] {
            let error = #expect(throws: SystemError.self) { try AtomicFile.write(Data("x".utf8), to: file.path) }
            #expect(error?.code == (file == link ? ELOOP : file == special.folder ? EISDIR : ENOTSUP))
        }
        #expect(try special.areUnchanged() && Directory.status(of: link.path)?.kind == .link && names() == before)
    }

    /// The temporary file of a writer that lives is left alone. When it was killed, the next write removes it.
    @Test func sweepsWhatAKilledProcessLeft() async throws {
        let temporary = folder.file(".networking-abc.new")
        let writer = try BackgroundProcess(
            "sh", ["-c", #"exec 9>"$0"; flock -x 9; echo locked; exec sleep 1000"#, temporary.path])
        _ = try await waitUntil("the file is locked") { writer.output.contains("locked") ? true : nil }
        try Data().write(to: folder.file(".networking-abc.old"))
        try AtomicFile.write(Data(), to: folder.file("a").path)
        #expect(try names() == [".networking-abc.new", ".networking-abc.old", "a"])
        writer.send(signal: SIGKILL)
        writer.stop()
        try AtomicFile.write(Data(), to: folder.file("a").path)
        #expect(try names() == [".networking-abc.old", "a"])
    }

    @Test func manyWritersAndSweepersAtOnce() async throws {
        let path = folder.file("a").path
        _ = try await atOnce(16) { number in
            for _ in 0..<25 { try AtomicFile.write(Data("\(number)".utf8), to: path) }
        }
        #expect(try names() == ["a"])
        #expect(Int(String(decoding: try Data(contentsOf: folder.file("a")), as: UTF8.self)) != nil)
    }
}
