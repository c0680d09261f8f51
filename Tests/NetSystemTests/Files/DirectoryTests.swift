import Foundation
import NetSystem
import TestLab
import Testing

@Suite("Directory") struct DirectoryTests {
    @Test func moveReplacesAFile() throws {
        let directory = try TemporaryDirectory()
        let (new, old) = (directory.file("new"), directory.file("old"))
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
}
