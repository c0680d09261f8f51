import NetCore
import TestLab
import Testing

@testable import NetClient

/// Everything in NetClient that reads text of a server, at its worst inputs.
@Suite(.serialized, .optimized) struct ClientGrowthTests {
    private static let now = Date(timeIntervalSince1970: 0)

    static let readers: [GrowthReader] = {
        var readers = [
            GrowthReader("Set-Cookie", of: "NetClient/Cookies/SetCookieField.swift") {
                _ = SetCookieField($0, now: now)
            },
            GrowthReader("Set-Cookie, attributes", of: "NetClient/Cookies/SetCookieField.swift") {
                _ = SetCookieField("a=b;" + $0, now: now)
            },
            GrowthReader("Set-Cookie, a date", of: "NetClient/Cookies/SetCookieField.swift") {
                _ = SetCookieField("a=b;Expires=" + $0, now: now)
                var text = $0
                _ = text.withUTF8 { CookieDate.parse($0) }
            },
            GrowthReader("Netscape's cookie file", of: "NetClient/Cookies/CookieRecord.swift") {
                _ = Cookie(netscape: Data($0.utf8))
            },
            GrowthReader("Cookie file", of: "NetClient/Cookies/CookieRecord.swift") { _ = CookieRecord(Data($0.utf8)) },
            GrowthReader("Public suffixes", of: "NetClient/Cookies/PublicSuffixes.swift") {
                _ = SuffixList(Data($0.utf8))
            },
            GrowthReader("Cookie's target", of: "NetClient/Cookies/CookieTarget.swift") {
                if let url = URL(string: "http://a/" + $0) { _ = CookieTarget(url) }
            },
            GrowthReader("Cookie's target, a host", of: "NetClient/Cookies/CookieTarget.swift") {
                if let url = URL(string: "http://" + $0) { _ = CookieTarget(url) }
                _ = CookieTarget.filterKey(ofHost: $0)
            },
            GrowthReader(
                "Set-Cookie joined by Foundation", of: "NetClient/Transport/URLSession/Exchange+Receiving.swift"
            ) {
                _ = ResponseHead.cookies(in: $0)
            },
            GrowthReader(
                "Address policy", of: "NetClient/Transport/Settings/AddressGuard.swift"
            ) {
                var policy = TransportConfiguration.AddressPolicy()
                policy.allowedHosts = ["a.example"]
                if let url = URL(string: "http://" + $0) { try? AddressGuard(policy)?.check(url) }
                _ = AddressRange($0)
            },
        ]
        #if os(Linux)
            readers += [
                GrowthReader(
                    "Header section", of: "NetClient/Transport/Curl/CurlResponse.swift",
                    "NetCore/HTTP/HeaderBlockParser.swift",
                    units: [
                        ("HTTP/1.1 200 OK\r\n", Array("a:\r\n".utf8)),
                        ("HTTP/1.1 200 OK\r\na:b\r\n", Array(" c\r\n".utf8)),
                        ("HTTP/1.1 200 OK\r\n", Array("\n".utf8)),
                    ]
                ) {
                    _ = Array($0.utf8).withUnsafeBytes(HeaderBlockParser.fields)
                },
                GrowthReader("Certificate of libcurl's", of: "NetClient/Transport/Curl/CurlTrust.swift") {
                    _ = CurlTrust.der(ofPEM: "-----BEGIN CERTIFICATE-----" + $0)
                },
            ]
        #endif
        return readers
    }()

    @Test("Work is linear in the text", arguments: readers)
    func isLinear(_ reader: GrowthReader) async {
        #expect(await reader.failures() == [])
    }
}
