import NetCore
import TestLab
import Testing

@testable import NetTransfer

/// What transfers ask the system.
@Suite struct TransferSystemTests {
    @Test func backgroundDownloadAvoidsExpensiveNetworks() async throws {
        let url = try #require(URL(string: "https://example.com/file"))
        var options = Downloader.Options()
        options.allowsExpensiveNetworkAccess = false
        options.allowsConstrainedNetworkAccess = false
        let network = DownloadNetwork(nil, options, url: url)
        // Without a monitor, since the system sees to it.
        try network.checkStart()
        var request = URLRequest(url: url)
        network.restrict(&request)
        #expect(!request.allowsExpensiveNetworkAccess && !request.allowsConstrainedNetworkAccess)
    }

    @Test func fileIdentityIncludesItsTimes() throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("file")
        try Data("one".utf8).write(to: file)
        let before = try FileIdentity(of: file)
        #expect(try FileIdentity(of: file) == before)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 7)], ofItemAtPath: file.path)
        let after = try FileIdentity(of: file)
        #expect(after.modificationDate == Date(timeIntervalSince1970: 7) && after != before)
    }

    @Test(arguments: [
        ("/private/var/mobile/a/tmp/x", "/var/mobile/a", "~/tmp/x"),
        ("/var/mobile/a/tmp/x", "/private/var/mobile/a", "~/tmp/x"),
        ("/var/mobile/b/x", "/var/mobile/a", "/var/mobile/b/x"), ("/private/etc/x", "/var/mobile/a", "/private/etc/x"),
        ("/private/var/mobile/b/x", "/var/mobile/a", "/private/var/mobile/b/x"),
    ])
    func pathBelowHomeIsStoredRelative(_ path: String, _ home: String, _ stored: String) throws {
        let data = try JSONEncoder().encode([StoredPath(URL(fileURLWithPath: path), home: home)])
        #expect(try JSONDecoder().decode([String].self, from: data) == [stored])
    }

    /// What the table of the SDK lacks, the system's types say.
    @Test func typeOfAFileComesFromTheSystem() {
        #expect(MIMEType.forExtension("appdocument") == "application/x-app-document")
        #expect(MIMEType.forFile(named: "letter.AppDocument") == "application/x-app-document")
        // Declared without a MIME type, and not declared at all.
        #expect(MIMEType.forExtension("appcache") == nil)
        #expect(MIMEType.forFile(named: "a.doesnotexist") == MIMEType.octetStream)
    }

    @Test func bootIdentifierIsRead() throws { #expect(try #require(BootSession.current).count == 36) }
}
