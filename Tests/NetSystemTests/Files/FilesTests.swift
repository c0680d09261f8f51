import Foundation
import TestLab
import Testing

@testable import NetSystem

@Suite struct FilesTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func link(_ name: String, to target: String) { #expect(symlink(target, folder.file(name).path) == 0) }

    private func target(_ name: String) throws -> FileTarget { try FileTarget(folder.file(name).path) }

    @Test func fileTargetFollowsLinks() throws {
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

    @Test func moveReplacesAFile() throws {
        let (new, old) = (folder.file("new"), folder.file("old"))
        // The second time there is nothing to replace.
        for isThere in [true, false] {
            try Data("new".utf8).write(to: new)
            if isThere { try Data("old".utf8).write(to: old) }
            try Directory.replace(old.path, by: new.path)
            #expect(try Data(contentsOf: old) == Data("new".utf8) && Directory.status(of: new.path) == nil)
            Directory.remove(old.path)
        }
        #expect(throws: SystemError.self) { try Directory.replace(old.path, by: new.path) }
    }

    /// On tvOS an app can write to *Caches* only.
    @Test func recordsFolderIsInTheUsersDataOrInCachesOnTVs() {
        func first(_ directory: FileManager.SearchPathDirectory) -> URL? {
            FileManager.default.urls(for: directory, in: .userDomainMask).first
        }
        #expect(RecordsFolder.url(isLimitedToCaches: false) == first(.applicationSupportDirectory))
        #expect(RecordsFolder.url(isLimitedToCaches: true) == first(.cachesDirectory))
        #if os(tvOS)
            #expect(RecordsFolder.isLimitedToCaches)
        #else
            #expect(!RecordsFolder.isLimitedToCaches)
        #endif
    }

    @Test func bytesAreReadAsWritten() throws {
        var writer = ByteWriter()
        writer.write(UInt16(0xABCD))
        writer.write("Füße 🦶")
        writer.write("\u{FEFF}\u{FFFD}e\u{301}\r\n")
        writer.write("")
        writer.write(Date(timeIntervalSinceReferenceDate: 1.25))
        writer.write("there" as String?) { $0.write($1) }
        writer.write(nil as String?) { $0.write($1) }
        writer.append(Data([1, 2, 3]))
        // A slice, whose indices do not start at zero.
        var reader = ByteReader((Data([9, 9]) + writer.data).dropFirst(2))
        #expect(try reader.number(UInt16.self) == 0xABCD)
        #expect(try reader.text() == "Füße 🦶")
        #expect(try Array(reader.text().utf8) == Array("\u{FEFF}\u{FFFD}e\u{301}\r\n".utf8))
        #expect(try reader.text() == "")
        #expect(try reader.date() == Date(timeIntervalSinceReferenceDate: 1.25))
        #expect(try reader.optional { (reader) throws(ByteReader.Malformed) in try reader.text() } == "there")
        #expect(try reader.optional { (reader) throws(ByteReader.Malformed) in try reader.text() } == nil)
        #expect(try reader.data(reader.remaining) == Data([1, 2, 3]))
    }

    @Test func readingPastTheEndThrows() {
        let cases: [(bytes: [UInt8], read: (inout ByteReader) throws -> Any)] = [
            ([1, 2, 3], { try $0.number(UInt32.self) }), ([0xFF, 0xFF, 0xFF, 0xFF, 65], { try $0.text() }),
            ([0xFF, 0xFF, 0xFF, 0x7F, 0], { try $0.count(elementSize: 8) }), ([1, 0, 0, 0, 0xFF], { try $0.text() }),
            // Decoded, these bytes have the length of one replacement character.
            ([3, 0, 0, 0, 0xF0, 0x9F, 0xA6], { try $0.text() }), ([1], { try $0.data(-1) }),
        ]
        for (bytes, read) in cases {
            var reader = ByteReader(Data(bytes))
            #expect(throws: ByteReader.Malformed.self, "\(bytes)") { _ = try read(&reader) }
        }
    }
}
