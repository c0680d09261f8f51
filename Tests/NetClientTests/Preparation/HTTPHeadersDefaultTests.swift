import Testing

@testable import NetClient

@Suite struct HTTPHeadersDefaultTests {
    @Test func userAgentNamesTheClient() throws {
        let agent = try #require(HTTPHeaders.default["User-Agent"])
        // RFC 9110, section 10.1.5: products and comments.
        let pattern = #/[!#$%&'*+\-.^_`|~0-9A-Za-z]+(/[^ ]+)? \([A-Za-z]+\) Networking/\d+\.\d+\.\d+/#
        #expect(try pattern.wholeMatch(in: agent) != nil, "\(agent)")
        #expect(agent.hasSuffix(" Networking/\(HTTPHeaders.sdkVersion)"))
        #if os(Linux)
            #expect(agent.contains(" (Linux) "))
        #endif
    }

    /// Seed 000: "No default Accept-Encoding".
    @Test func acceptLanguageAndNoAcceptEncoding() {
        #expect(HTTPHeaders.default["Accept-Language"] == HTTPHeaders.acceptLanguage(for: Locale.preferredLanguages))
        #expect(!HTTPHeaders.default.contains(name: "Accept-Encoding") && HTTPHeaders.default.firstInvalid == nil)
    }

    @Test(
        arguments: [
            ([], nil), (["", ""], nil), (["de"], "de"), (["de-CH", "", "en"], "de-CH, en;q=0.9"),
            (["a", "b", "c", "d", "e", "f", "g"], "a, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5"),
        ] as [([String], String?)])
    func languagesHaveQualityValues(_ languages: [String], as value: String?) {
        #expect(HTTPHeaders.acceptLanguage(for: languages) == value)
    }
}
