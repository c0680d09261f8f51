import Testing

@testable import NetClient

@Suite struct RedirectTargetTests {
    @Test(arguments: [
        ("https://a.example/", "http+unix://%2Fa/", false), ("http://a.example/", "http+unix://%2Fa/", false),
        ("http+unix://%2Fa/", "http+unix://%2Fa/x", true), ("http+unix://%2Fa/", "http+unix://%2FA/", false),
        ("http+unix://%2Fa/", "http+unix://b/", false), ("http+unix://b/", "http+unix://b/", false),
        ("http+unix://%2Fa/", "https://a.example/", true), ("http://a.example/", "https://b.example/", true),
        ("http://a.example/", "file:///a", false),
    ])
    func onlyAServerOnASocketRedirectsToThatSocket(_ from: String, _ to: String, _ may: Bool) throws {
        #expect(try url(from).mayLead(to: url(to)) == may)
    }
}
