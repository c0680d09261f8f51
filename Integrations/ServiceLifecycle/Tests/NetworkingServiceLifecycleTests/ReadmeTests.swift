import Configuration
import Foundation
import ServiceLifecycle
import Testing

@Suite struct ReadmeTests {
    private struct Ends: Error {}

    private struct Server: Service {
        func run() async throws { throw Ends() }
    }

    /// README's example is ReadmeExample.swift, so that it compiles and runs.
    @Test func exampleIsTheOneOfThisTarget() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let example = try String(contentsOf: tests.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8)
        let readme = try String(contentsOf: tests.appendingPathComponent("../../README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(example)```"))
    }

    @Test func exampleRunsUntilAServiceFails() async {
        await #expect(throws: Ends.self) {
            try await NetworkingServiceLifecycleTests.run(
                Server(), reading: ConfigReader(provider: InMemoryProvider(values: [:])))
        }
    }
}
