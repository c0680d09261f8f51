import Foundation
import NetTesting
import Testing

@Suite struct ReadmeTests {
    /// README's example is ReadmeExample.swift, so that it compiles and runs.
    @Test func exampleIsTheOneOfThisTarget() throws {
        // Other targets have this folder by a symbolic link.
        let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let example = try String(contentsOf: tests.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8)
        let readme = try String(contentsOf: tests.appendingPathComponent("../../README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(example)```"))
    }

    @Test func exampleRuns() async throws {
        let server = try MockServer()
        server.on("/v1/cities/Troms%C3%B8/conditions", .json(text: #"{"city": "Tromsø", "temperature": -3.5}"#))
        let degrees = try await temperature(in: "Tromsø", at: server.url)
        #expect(degrees == -3.5)
        await server.stop()
    }
}
