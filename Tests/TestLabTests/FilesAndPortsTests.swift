import NetCore
import TestLab
import Testing

@Suite struct FilesAndPortsTests {
    @Test func directoryIsPrivateAndRemovedWithItsOwner() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let url = try #require(directory).url
        try Data("x".utf8).write(to: try #require(directory).file("file"))
        let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func portsAreDifferentAndFree() throws {
        let ports = try freePorts(20)
        #expect(Set(ports).count == 20 && !ports.contains(0))
        #expect(try freePort() > 0)
    }
}
