import FaultLab
import Testing

@testable import NetTesting

/// Responses whose fields or lengths are malformed or too large, as a client reads them.
struct MockHTTP2MalformedTests {
    private let server: MockServer
    private static let body = Data(repeating: UInt8(ascii: "0"), count: 100)

    init() throws { server = try MockServer.http2() }

    @Test(arguments: MockHTTP2Fault.Point.examples)
    func sendsMalformedHeads(_ point: MockHTTP2Fault.Point) async throws {
        let faults: [MockHTTP2Fault] = [.missingStatus, .upperCaseField, .connectionField, .trailers, .interim]
        server.enqueue(faults.map { .data(Self.body).fault(http2: $0, at: point) })
        try await server.frames { connection in
            let count = point == .beforeHead ? 1 : 2
            let seen = try faults.map { _ in try connection.get() }
            #expect(seen.map(\.heads.count) == [count, count, count, 2, 2])
            #expect(seen.allSatisfy { $0.body == Self.body && $0.reset == nil })
            #expect(!seen[0].heads[count - 1].contains { $0.name == ":status" })
            #expect(seen[1].heads[count - 1].contains { $0.name == "X-Upper" })
            #expect(seen[2].heads[count - 1].contains { $0.name == "connection" })
            #expect(seen[3].heads[1] == [HPACKField("x-trailer", "1")])
            #expect(seen[4].heads[point == .beforeHead ? 0 : 1][0].value == "103")
        }
    }

    @Test func declaresAWrongLength() async throws {
        server.enqueue(
            .data(Self.body).fault(http2: .bodyLongerThanLength), .data(Self.body).fault(http2: .bodyShorterThanLength),
            .data(Self.body).fault(http2: .bodyShorterThanLength, at: .afterBody(40)))
        try await server.frames { connection in
            let seen = try (0..<3).map { _ in try connection.get() }
            #expect(seen.map { $0["content-length"] } == ["50", "200", "80"])
            #expect(seen.map(\.body.count) == [100, 100, 40])
        }
    }

    @Test func sendsLargeFieldsAndBombs() async throws {
        server.enqueue(
            .ok.fault(http2: .largeHeaders(bytes: 300_000), at: .beforeHead),
            .ok.fault(http2: .hpackBomb(copies: 5_000), at: .beforeHead))
        try await server.frames { connection in
            let large = try connection.get()
            #expect((290_000...320_000).contains(large.heads[0].reduce(0) { $0 + $1.size }))
            #expect(large.frames.filter { $0.kind == .continuation }.count > 10)
            #expect(large.body.count == 1_000)
            let bomb = try connection.get()
            #expect(bomb.heads[0].count == 5_002)
            #expect(bomb.heads[0].reduce(0) { $0 + $1.size } > 20_000_000)
            #expect(bomb.frames[0].payload.count < 10_000)
        }
    }

    /// A client with a small table gets a bomb that fits in.
    @Test func respectsTheTableOfTheClient() async throws {
        server.enqueue(.ok.fault(http2: .hpackBomb(copies: 10), at: .beforeHead), .text("next"))
        try await server.frames(settings: [1: 200]) { connection in
            let bomb = try connection.get()
            #expect(try (bomb.heads[0].last?.size, connection.get().text) == (137, "next"))
        }
    }
}
