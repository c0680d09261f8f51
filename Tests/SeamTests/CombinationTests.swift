import NetTesting
import Networking
import TestLab
import Testing

/// Each front door with each source of credentials, each cache, redirects, refreshes, retries, coalescing and hedging: what arrives at the
/// servers is what a model of its own predicts, and so is whose body each user gets.
///
/// All pairs, and as many any cases as fill the number up. `SEAM_SEED` gives other cases, `SEAM_CASES` another number, `SEAM_ONLY` plays one.
@Suite(.serialized) struct CombinationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["SEAM_SEED"].flatMap { UInt64($0) } ?? 20_261_122
    private static let count = environment["SEAM_CASES"].flatMap { Int($0) } ?? Volume.pick(quick: 300, full: 2_100)
    private static let only = environment["SEAM_ONLY"].flatMap { Int($0) }

    @Test func everyCombinationSendsThePredictedRequests() async throws {
        var generator = CaseGenerator(seed: Self.seed)
        var cases = generator.allPairs()
        let pairs = cases.count
        while cases.count < Self.count { cases.append(generator.any()) }
        print("SEAM_SEED=\(Self.seed): \(cases.count) cases, \(pairs) of them for all pairs")
        try await check(cases, SeamServers())
    }

    #if os(Linux)
        /// The same over HTTP/2, where requests of all users share connections.
        @Test func everyPairSendsThePredictedRequestsOverHTTP2() async throws {
            var generator = CaseGenerator(seed: Self.seed)
            let cases = generator.allPairs()
            print("SEAM_SEED=\(Self.seed): \(cases.count) cases over HTTP/2")
            let certificate = try await Tool.openssl.needed(by: MockCertificate.self).make()
            try await check(cases, SeamServers(certificate: certificate))
        }
    #endif

    private func check(_ cases: [SeamCase], _ servers: SeamServers) async throws {
        let start = SystemClock().uptime
        var waiting = Array(cases.enumerated()).filter { Self.only == nil || Self.only == $0.offset }[...]
        var requests = 0
        var list: [String] = []
        await withTaskGroup(of: (Int, String?).self) { group in
            func startNext() {
                guard let (id, seam) = waiting.popFirst() else { return }
                group.addTask {
                    guard let number = try? await servers.number(for: id) else { return (0, "no folder") }
                    let (requests, problems) = await CaseRunner.run(seam, id: number, servers: servers)
                    guard !problems.isEmpty else { return (requests, nil) }
                    return (requests, "case \(id): \(seam)\n  \(problems.joined(separator: "\n  "))")
                }
            }
            for _ in 0..<8 { startNext() }
            for await (count, failure) in group {
                requests += count
                if let failure { list.append(failure) }
                startNext()
            }
        }
        let seconds = String(format: "%.1f", SystemClock().uptime - start)
        await servers.stop()
        print("\(requests) requests in \(seconds) s, \(list.count) cases failed")
        for failure in list.prefix(40) { Issue.record("\(failure)") }
        #expect(list.isEmpty)
    }
}
