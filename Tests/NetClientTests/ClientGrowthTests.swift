@testable import NetClient

@Suite(.serialized, .optimized) struct ClientGrowthTests {
    private static let now = Date(timeIntervalSince1970: 0)

    static let readers = [
        GrowthReader("Set-Cookie", of: "NetClient/Cookies/SetCookieField.swift") { _ = SetCookieField($0, now: now) },
        GrowthReader("Set-Cookie, attributes") { _ = SetCookieField("a=b;" + $0, now: now) },
        GrowthReader("Set-Cookie, a date") {
            _ = SetCookieField("a=b;Expires=" + $0, now: now)
            var text = $0
            _ = text.withUTF8 { CookieDate.parse($0) }
        },
        GrowthReader("Cookie file", of: "NetClient/Cookies/CookieRecord.swift") { _ = CookieRecord(Data($0.utf8)) },
        GrowthReader("Public suffixes", of: "NetClient/Cookies/PublicSuffixes.swift") { _ = SuffixList(Data($0.utf8)) },
        GrowthReader("Cookie's target", of: "NetClient/Cookies/CookieTarget.swift") {
            if let url = URL(string: "http://a/" + $0) { _ = CookieTarget(url) }
            if let url = URL(string: "http://" + $0) { _ = CookieTarget(url) }
        },
        GrowthReader("Sessions", of: "NetClient/Cookies/SessionCookies.swift") {
            if let url = URL(string: "http://a/" + $0) { _ = CookieTarget.changesUser(url) }
            _ = Cookie(name: $0, value: "", domain: "a").isSessionLike
        },
        GrowthReader("WebLink", of: "NetClient/FrontDoors/WebLink.swift") { _ = WebLink.parse($0) },
        GrowthReader("WebLink, parameters") { _ = WebLink.parse("<a>;title*=" + $0) },
        GrowthReader("WebLink, target", of: "NetSystem/Text/URLReference.swift") {
            _ = WebLink.parse("<\($0)>").first?.url(relativeTo: URL(string: "http://a/"))
        },
    ]

    @Test("Work is linear in the text", arguments: readers)
    func isLinear(_ reader: GrowthReader) async { #expect(await reader.failures() == []) }
}
