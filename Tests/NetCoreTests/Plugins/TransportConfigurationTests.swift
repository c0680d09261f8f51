import NetCore
import TestLab
import Testing

@Suite struct TransportConfigurationTests {
    @Test func descriptionsHaveNoSecret() {
        var configuration = TransportConfiguration()
        configuration.proxy = .http(host: "proxy.example", port: 3128, username: "s3cr3t", password: "s3cr3t")
        for certificate in [
            TransportConfiguration.ClientCertificate.pem(
                certificate: Data("s3cr3t".utf8), key: Data("s3cr3t".utf8), password: "s3cr3t"),
            .pkcs12(Data("s3cr3t".utf8), password: "s3cr3t"),
        ] {
            configuration.clientCertificate = certificate
            for value in [configuration, certificate] as [Any] { #expect(textsShowing("s3cr3t", of: value) == []) }
        }
        #expect(configuration.proxy.description == "http://proxy.example:3128")
        let proxies: [(TransportConfiguration.Proxy, String)] = [
            (.https(host: "::1", port: 1, username: "s3cr3t", password: "s3cr3t"), "https://[::1]:1"),
            (.socks5(host: "p", port: 1, username: "s3cr3t", password: "s3cr3t"), "socks5h://p:1"),
            (.socks5(host: "p", port: 1, resolvesNamesLocally: true), "socks5://p:1"), (.system, "system"),
            (.none, "none"),
        ]
        for (proxy, text) in proxies { #expect(proxy.description == text && textsShowing("s3cr3t", of: proxy) == []) }
    }

    @Test func versionsOfTLSAreOrdered() {
        #expect(TransportConfiguration.TLSVersion.allCases.sorted() == [.v1_0, .v1_1, .v1_2, .v1_3])
        #expect(TransportConfiguration().minimumTLSVersion == .v1_2)
    }
}
