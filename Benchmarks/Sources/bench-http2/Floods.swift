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
            let floods = MockHTTP2Flood.allCases.map { MockHTTP2Fault.flood($0) }
            let faults = floods + [.hpackBomb(), .largeHeaders(bytes: 600_000)]
            for fault in faults {
                hostile.on("/", .text("x").fault(http2: fault, at: .beforeHead))
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
                    "| \(fault) | \(code) | " + String(format: "%.1f | %.1f of %d |", memory, slowest * 1000, count))
            }
        }
        await client.shutdown()
    }
}
