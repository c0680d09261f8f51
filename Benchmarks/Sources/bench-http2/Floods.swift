import BenchKit
import Foundation
import NetClient
import NetTesting

/// Measures what a server that floods costs: memory (of client and server, which are one process here), and the time of small requests to
/// another server meanwhile.
enum Floods {
    static func run() async throws {
        let certificate = try await MockCertificate.make()
        let hostile = try MockServer(certificate: certificate, httpVersions: .http2Only)
        let other = try MockServer(certificate: certificate, httpVersions: .http2Only) { _ in .text("ok") }
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .only(pem: certificate.authority)
        configuration.timeouts.idle = 1
        let client = NetworkClient(retryPolicy: .none, transport: .platform(configuration))
        for _ in 0..<500 { _ = try await client.data(for: URLRequest(url: other.url)) }
        for warmsUp in [true, false] {
            if !warmsUp {
                print("| flood | ends with | memory MB | slowest of n small GETs elsewhere ms |")
                print("| --- | --- | --- | --- |")
            }
            for (name, response) in responses {
                hostile.on("/", response)
                let before = try Bounds.resident()
                let ending = Task { () -> String in
                    do {
                        return "status \(try await client.send(URLRequest(url: hostile.url)).status)"
                    } catch {
                        return (error as? NetworkFailure)?.transportError?.code.rawValue ?? "\(error)"
                    }
                }
                var slowest = 0.0
                var count = 0
                let end = System.now() + 0.2
                while System.now() < end {
                    let began = System.now()
                    _ = try await client.data(for: URLRequest(url: other.url))
                    slowest = max(slowest, System.now() - began)
                    count += 1
                }
                let code = await ending.value
                guard !warmsUp else { continue }
                let memory = try Bounds.resident() - before
                print(
                    "| \(name) | \(code) | " + String(format: "%.1f | %.1f of %d |", memory, slowest * 1000, count))
            }
        }
        await client.shutdown()
    }

    private static let responses: [(name: String, response: MockResponse)] = {
        let field =
            [0, 6] + Array("x-many".utf8) + [0x7F, 0xE9, 0x06] + Array(repeating: UInt8(ascii: "x"), count: 1_000)
        // A field of 4,000 bytes for the table, and its index 16,000 times.
        let bomb =
            [0x88, 0x40, 1, UInt8(ascii: "x"), 0x7F, 0xA1, 0x1E] + Array(repeating: UInt8(ascii: "x"), count: 4_000)
            + Array(repeating: 0x80 | 62, count: 16_000)
        let faults: [(String, MockHTTP2Fault)] = [
            ("settings", .flood(frame(.settings, [0xFF, 0xFF, 0, 0, 0, 1], on: 0))), ("ping", .flood(.ping)),
            ("emptyContinuation", .frames([frame(.headers, [0x88])] + repeated(frame(.continuation, []), 20_000))),
            ("continuation", .frames([frame(.headers, [0x88])] + repeated(frame(.continuation, field), 2_000))),
            ("emptyData", .flood(frame(.data, []))), ("reset", .flood(frame(.reset, [0, 0, 0, 8]))),
            ("priority", .flood(frame(.priority, [0, 0, 0, 0, 16]))),
            ("windowUpdate", .flood(frame(.windowUpdate, [0, 0, 0, 1], on: 0))),
            (
                "hpackBomb",
                .frames([
                    frame(.headers, Array(bomb.prefix(16_384))),
                    frame(.continuation, Array(bomb.dropFirst(16_384)), flags: 4),
                ])
            ), ("largeHeaders", .largeHeaders(bytes: 600_000)),
        ]
        return faults.map { ($0, MockResponse.text("x").fault(http2: $1, at: .beforeHead)) }
    }()

    private static func frame(
        _ kind: MockHTTP2Frame.Kind, _ payload: [UInt8], flags: UInt8 = 0, on stream: Int? = nil
    ) -> MockHTTP2Frame {
        MockHTTP2Frame(kind, flags: flags, stream: stream, payload: Data(payload))
    }

    private static func repeated(_ frame: MockHTTP2Frame, _ count: Int) -> [MockHTTP2Frame] {
        Array(repeating: frame, count: count)
    }
}
