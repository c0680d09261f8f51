import NetTesting
import TestLab
import Testing

@testable import NetTransport

/// The conformance suite on each transport of ours, on a minimal one and on a stub.
@Suite("Transport conformance", .timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy, .stunnel, .microsocks))
struct ConformanceTests {
    #if os(Linux) && !canImport(Darwin)
        @Test("CurlTransport", arguments: TransportConformance.checks)
        func curlTransport(_ check: TransportConformance.Check) async throws {
            try await TransportConformance(servers: ConformanceLab.servers) { CurlTransport(configuration: $0) }
                .runAndPrint(check, "CurlTransport")
        }

        @Test("CurlTransport over HTTP/2", arguments: TransportConformance.http2Checks)
        func curlTransportOverHTTP2(_ check: TransportConformance.Check) async throws {
            let suite = TransportConformance(http2Certificate: try await .shared) { CurlTransport(configuration: $0) }
            try await suite.runAndPrint(check, "CurlTransport over HTTP/2")
        }

        @Test("CurlTransport leaves nothing out") func curlTransportMissesNoCapability() {
            // Debian's libcurl has no HTTP/3.
            #expect(CurlTransport().missingCapabilities.keys.allSatisfy { $0 == .http3 })
        }
    #endif

    @Test("A minimal transport", arguments: TransportConformance.checks)
    func minimalTransport(_ check: TransportConformance.Check) async throws {
        try await TransportConformance { _ in MinimalTransport() }.runAndPrint(check, "MinimalTransport")
    }

    /// A suite that nothing fails proves nothing: a stub that answers the same to everything has to fail each check.
    @Test("A stub that only says 200 fails", arguments: TransportConformance.checks)
    func stubTransportFailsEachCheck(_ check: TransportConformance.Check) async throws {
        let suite = TransportConformance(servers: try await ConformanceLab.servers) { _ in
            StubTransport { request, _, _ in TransportResponse(status: 200, url: request.url, body: HTTPBody("no")) }
        }
        // It collects bodies, and so finds out that a file was cut. To read nothing ahead it only has to do nothing.
        guard check.capability != .backPressure, !check.name.contains("file was cut") else { return }
        await #expect(throws: ConformanceFailure.self) { try await suite.run(check) }
    }

    @Test func everyCapabilityHasACheck() {
        let checked = Set(TransportConformance.checks.map(\.capability))
        #expect(TransportConfiguration.Capability.allCases.filter { !checked.contains($0) } == [])
    }
}

extension URLSessionSuites {
    @Suite("Conformance of URLSession", .timeLimit(.minutes(5)), .requires(.nginx, .tinyproxy, .stunnel, .microsocks))
    struct ConformanceTests {
        @Test("URLSessionTransport", arguments: TransportConformance.checks)
        func urlSessionTransport(_ check: TransportConformance.Check) async throws {
            try await TransportConformance(servers: ConformanceLab.servers) { URLSessionTransport(configuration: $0) }
                .runAndPrint(check, "URLSessionTransport")
        }
    }
}

extension TransportConformance {
    /// Runs a check, and prints what is left out with the reason, so that the log of a run shows it.
    fileprivate func runAndPrint(_ check: Check, _ transport: String) async throws {
        if case .leftOut(let reason) = try await run(check) { print("left out: \(transport): \(check): \(reason)") }
    }
}
