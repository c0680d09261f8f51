import NetClient
import TestLab
import Testing

@testable import NetSecurity

@Suite(.timeLimit(.minutes(5)), .requires(.nginx)) struct PinningURLSessionDelegateTests {
    private let folder: TemporaryDirectory
    private let bundle: Bundle
    private let both = ["leafCert", "intermediateCert"]

    init() async throws {
        let all = try await PinningCertificates.shared
        folder = try PinningSamples.folder([
            "leafCert.cer": all.server.certificate.der, "intermediateCert.cer": all.intermediate.der,
            "empty.cer": Data(),
        ])
        bundle = try #require(Bundle(url: folder.url))
    }

    private func delegate(
        _ names: [String: [String]], backup: PinningPolicy.Host.Backup = .required
    ) -> PinningURLSessionDelegate? {
        PinningURLSessionDelegate(pinnedCertificateNamesByHost: names, bundle: bundle, backup: backup)
    }

    @Test func isNilIfAFileIsMissing() {
        #expect(delegate(["api.example.com": both])?.policy.pinnedHost(for: "api.example.com")?.pins.count == 2)
        #expect(delegate(["api.example.com": both + ["missing"]]) == nil)
        #expect(delegate(["a.example": both, "b.example": ["leafcert", "intermediateCert"]]) == nil)
        #expect(delegate(["a.example": both + ["empty"]]) == nil && delegate(["a.example": ["leafCert"]]) == nil)
        #expect(delegate(["a.example": ["leafCert"]], backup: .waived) != nil)
        #expect(delegate(["https://a.example": both]) == nil && delegate([:]) == nil)
        #expect(PinningURLSessionDelegate(pinnedCertificateNamesByHost: ["a": both]) == nil)
    }

    #if os(Linux)
        /// No session can be pinned on Linux, so none is handed out that would load anything.
        @Test func pinnedSessionOfLinuxLoadsNothing() async throws {
            let provider = PinnedSessionProvider(try #require(delegate(["localhost": both])))
            #expect(provider.configuration.trustPolicy is PinningPolicy && provider.session === provider.session)
            let server = try await TrustLab.shared.server(.good)
            for base in [server.httpURL, server.httpsURL] {
                let mark = UUID().uuidString
                let url = try #require(URL(string: "\(base)/small?\(mark)"))
                let error = await withCheckedContinuation { continuation in
                    provider.session.dataTask(with: url) { _, _, error in continuation.resume(returning: error) }
                        .resume()
                }
                #expect(error != nil)
                #expect(try await !server.hasSeen(mark))
                let transport = try URLSessionTransport(session: provider.session)
                await #expect(throws: (any Error).self) {
                    try await transport.send(URLRequest(url: url), body: nil, context: RequestContext())
                }
                #expect(try await !server.hasSeen(mark))
            }
            provider.session.finishTasksAndInvalidate()
        }
    #endif
}
