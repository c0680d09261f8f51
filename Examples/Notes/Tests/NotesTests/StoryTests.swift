import NetClient
import Testing

@testable import notes

struct StoryTests {
    @Test func theDemoTellsTheTruth() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("story-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let lines = try await Story.tell(in: folder)
        #expect(lines.contains("  milk, bread (from the server, 0 changes to be sent)"))
        #expect(lines.filter { $0 == "  bread, coffee (from this device, 2 changes to be sent)" }.count == 2)
        #expect(lines.contains("  bread, coffee (from the server, 0 changes to be sent)"))
        #expect(lines.last == "\nWhat the server was told: +milk +bread +coffee -milk")
    }
}
