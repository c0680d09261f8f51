import Logging
import NetClient
import NetCore
import NetLogging
import NetworkingObservability
import Testing

/// The code of README.md, compiled.
@Suite struct ReadmeTests {
    @Test func theBlocksCompile() {
        let logger = Logger(label: "readme")
        do {
            var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://api.example.com"))
            configuration.observe()
            let client = NetworkClient(configuration: configuration)
            #expect(client.configuration.callInterceptors.count == 1)
            let gauges = ConnectionGauges(of: client)  // one for the clients that share a transport
            let recording = Task { try await gauges.run(every: 10) }
            recording.cancel()
        }
        var configuration = NetworkClient.Configuration()
        var observability = Observability(logger: logger)  // nil logs nothing
        observability.tracer = .off  // no spans, no traceparent
        observability.urlTemplate = { request in  // names spans, and becomes url.template
            request.url?.path.hasPrefix("/users/") == true ? "/users/{id}" : nil
        }
        configuration.observe(with: observability)
        #expect(configuration.interceptors.count == 1)
        let network = NetworkLogger(sinks: [SwiftLogSink(logger: logger)])
        #expect(network.isEnabled)
    }

    /// Each line of a Swift block in README.md is in the test above.
    @Test func theBlocksAreThese() throws {
        let file = URL(fileURLWithPath: #filePath)
        let package = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: package.appendingPathComponent("README.md"), encoding: .utf8)
        let compiled = Set(try String(contentsOf: file, encoding: .utf8).lines)
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count == 4)
        for line in blocks.flatMap(\.lines) { #expect(compiled.contains(line), "README.md: \(line)") }
    }
}

extension String {
    /// The lines without white space, which swift-format may change.
    fileprivate var lines: [String] {
        components(separatedBy: "\n").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
    }
}
