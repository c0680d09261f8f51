import NetWebSocket
import TestLab
import Testing

/// The Autobahn test suite's cases for clients. It needs Python 2.7, so it runs where `Scripts/check-autobahn` has started its server.
@Suite(.timeLimit(.minutes(90)), .enabled(if: ProcessInfo.processInfo.environment["AUTOBAHN_SERVER"] != nil))
struct AutobahnTests {
    private static let agent = "NetTransfer"
    private let client = NetworkClient()

    private func url(_ path: String) throws -> URL {
        try #require(URL(string: (ProcessInfo.processInfo.environment["AUTOBAHN_SERVER"] ?? "") + path))
    }

    private func answer(_ path: String) async throws -> String {
        let socket = try await client.webSocket(to: url(path))
        let text = try await socket.receive()?.text
        await socket.close()
        return text ?? ""
    }

    private func run(_ number: Int) async throws {
        let options = WebSocket.Options { $0.compression = .init { $0.minimumMessageSize = 0 } }
        let socket = try await client.webSocket(
            to: url("/runCase?case=\(number)&agent=\(Self.agent)"), options: options)
        do { for try await message in socket.messages { try await socket.send(message) } } catch is NetworkFailure {}
    }

    private struct Status: Decodable { let behavior: String }

    @Test func everyAutobahnCasePasses() async throws {
        let count = try #require(Int(try await answer("/getCaseCount")))
        #expect(count > 0)
        var verdicts: [String: [String]] = [:]
        for number in 1...count {
            try await run(number)
            let name = try await answer("/getCaseInfo?case=\(number)")
            let status = try await answer("/getCaseStatus?case=\(number)&agent=\(Self.agent)")
            let verdict = try JSONDecoder().decode(Status.self, from: Data(status.utf8)).behavior
            verdicts[verdict, default: []].append(name)
        }
        try await client.webSocket(to: url("/updateReports?agent=\(Self.agent)")).close()
        print(verdicts.mapValues(\.count))
        let bad = verdicts.filter { !["OK", "NON-STRICT", "INFORMATIONAL"].contains($0.key) }
        #expect(bad.isEmpty, "\(bad)")
    }
}
