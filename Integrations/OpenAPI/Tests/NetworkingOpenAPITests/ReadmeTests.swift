import Foundation
import NetTesting
import Testing

@Suite struct ReadmeTests {
    /// README's example is ReadmeExample.swift, so that it compiles and runs.
    @Test func exampleIsTheOneOfThisTarget() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let example = try String(contentsOf: tests.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8)
        let readme = try String(contentsOf: tests.appendingPathComponent("../../README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(example)```"))
    }

    @Test func exampleRuns() async throws {
        let server = try MockServer()
        server.on("/v1/pets/7", .json(text: #"{"id": 7, "name": "Rex"}"#))
        #expect(try await pet("7", at: server.url("/v1")).name == "Rex")
        await server.stop()
    }
}
