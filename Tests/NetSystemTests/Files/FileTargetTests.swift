import NetSystem
import TestLab
import Testing

@Suite("FileTarget") struct FileTargetTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func link(_ name: String, to target: String) { #expect(symlink(target, folder.file(name).path) == 0) }

    private func target(_ name: String) throws -> FileTarget { try FileTarget(folder.file(name).path) }

    @Test func followsLinks() throws {
        try Data().write(to: folder.file("file"))
        #expect(try target("file").path == folder.file("file").path)
        link("relative", to: "file")
        link("absolute", to: folder.file("relative").path)
        for name in ["relative", "absolute"] {
            #expect(try FileManager.default.fileExists(atPath: target(name).path))
            #expect(try target(name).path.hasSuffix("/file") && target(name).obstacle == nil)
        }
        link("dangling", to: "not/there")
        #expect(try target("dangling").path == folder.file("not/there").path && target("dangling").kind == nil)
        #expect(try target("dangling").obstacle == nil)
        link("loop", to: "pool")
        link("pool", to: "loop")
        #expect(throws: SystemError.self) { try target("loop") }
    }

    @Test func specialFileIsAnObstacle() throws {
        let special = try SpecialFiles(in: folder)
        link("link", to: special.pipe.lastPathComponent)
        for name in special.all.map(\.lastPathComponent) + ["link"] {
            #expect(try target(name).obstacle?.contains(name) == true, "\(name)")
        }
        // A link of /proc that leads to no path.
        #expect(try FileTarget("/proc/self/fd/0").obstacle != nil || FileTarget("/proc/self/fd/0").kind == .regular)
    }
}
