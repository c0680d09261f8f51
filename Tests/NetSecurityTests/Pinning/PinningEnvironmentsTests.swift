import NetTesting
import TestLab
import Testing

@testable import NetSecurity

@Suite(.requires(.openssl)) struct PinningEnvironmentsTests {
    private let pins =
        #"["sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=", "sha256/YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg="]"#

    private func policy(
        _ text: String, for environment: String, clock: any NetworkClock = .system,
        report: PinningPolicy.ReportHandler? = nil
    ) throws -> PinningPolicy {
        let folder = try PinningSamples.folder(["pins.json": Data(text.utf8)])
        defer { withExtendedLifetime(folder) {} }
        return try PinningPolicy(environment: environment, in: folder.file("pins.json"), clock: clock, report: report)
    }

    @Test func environmentsHaveTheirOwnPins() throws {
        let text = """
            {"production": {"api.example.com": {"pins": \(pins), "includesSubdomains": true, "expires": "2027-06-30"}},
             "staging": {"staging.example.com": {"pins": \(pins), "enforcement": "reportOnly"}}}
            """
        let production = try policy(text, for: "production")
        let host = try #require(production.pinnedHost(for: "x.api.example.com"))
        #expect(host.pins.count == 2 && host.includesSubdomains && host.enforcement == .enforced)
        #expect(host.expires == Date(timeIntervalSince1970: 1_814_313_600))
        #expect(production.pinnedHost(for: "staging.example.com") == nil)
        let staging = try #require(try policy(text, for: "staging").pinnedHost(for: "staging.example.com"))
        #expect(staging.enforcement == .reportOnly && staging.expires == nil && !staging.includesSubdomains)
        #expect(throws: PinningError.unknownEnvironment("Production", known: ["production", "staging"])) {
            try policy(text, for: "Production")
        }
    }

    @Test func certificateFilesAreFoundBesideThePins() async throws {
        let root = try await PinningCertificates.shared.root.der
        let folder = try PinningSamples.folder([
            "pins.json": Data(
                """
                {"debug": {"localhost": {"certificates": ["root"], "backup": "waived"}, "b": {"certificates": ["none"]}},
                 "alone": {"localhost": {"certificates": ["root"]}},
                 "one": {"a": {"certificates": ["root"], "backup": "waived"}}}
                """.utf8), "root.cer": root,
        ])
        let file = folder.file("pins.json")
        func policy(_ name: String) throws -> PinningPolicy { try PinningPolicy(environment: name, in: file) }
        #expect(try PinningPolicy.environments(in: file) == ["alone", "debug", "one"])
        #expect(try policy("one").pinnedHost(for: "a")?.pins == [.certificate(root)])
        #expect(throws: PinningError.missingFile(folder.file("none.cer").path)) { try policy("debug") }
        #expect(throws: PinningError.backupPinMissing(host: "localhost")) { try policy("alone") }
    }

    @Test func clockAndReportHandlerArePassedOn() async throws {
        let (clock, reports) = (TestClock(now: Date(timeIntervalSince1970: 1_814_313_599)), Locked(0))
        let policy = try policy(
            #"{"p": {"a": {"pins": \#(pins), "expires": "2027-06-30"}}}"#, for: "p", clock: clock
        ) { _ in reports.withLock { $0 += 1 } }
        let nothing = CertificateChain(certificates: [])
        #expect(throws: PinningPolicy.Mismatch.self) { try policy.evaluate(nothing, host: "a") }
        await clock.advance(by: 1)
        try policy.evaluate(nothing, host: "a")
        #expect(reports.withLock { $0 } == 2)
    }

    /// A misspelt key would be a hole.
    @Test(arguments: [
        (#"{"p": {"a": {"pin": []}}}"#, "pin: unknown key"),
        (#"{"p": {"a": {"includeSubdomains": true}}}"#, "includeSubdomains"),
        (#"{"p": {"a": {"expires": "30.6.2027"}}}"#, "30.6.2027"),
        (#"{"p": {"a": {"expires": "2027-13-01"}}}"#, "2027-13-01"),
        (#"{"p": {"a": {"expires": "2027-06-30T10"}}}"#, "not a day"),
        (#"{"p": {"a": {"backup": "no"}}}"#, "required, waived"),
        (#"{"p": {"a": {"enforcement": "off"}}}"#, "enforced, reportOnly"), (#"{"p": {"a": {"pins": "x"}}}"#, ""),
        (#"{"p": []}"#, ""), ("", ""), ("[]", ""),
    ]) func unknownKeyOrValueIsAnError(_ text: String, _ reason: String) {
        let error = #expect(throws: PinningError.self) { try policy(text, for: "p") }
        let given = if case .unreadableFile(_, let given) = error { given } else { "another error" }
        #expect(given != "another error" && (reason.isEmpty || given.contains(reason)), "\(String(describing: error))")
    }

    @Test func invalidPinsAreErrors() throws {
        #expect(throws: PinningError.invalidPin("sha256/x")) {
            try policy(#"{"p": {"a": {"pins": ["sha256/x", "sha256/y"]}}}"#, for: "p")
        }
        #expect(throws: PinningError.noHosts) { try policy(#"{"p": {}}"#, for: "p") }
        #expect(throws: PinningError.missingFile("/none/pins.json")) {
            try PinningPolicy(environment: "p", in: URL(fileURLWithPath: "/none/pins.json"))
        }
    }
}
