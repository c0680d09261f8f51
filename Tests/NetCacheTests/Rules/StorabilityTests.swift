import Testing

@testable import NetCache

@Suite("Storability") struct StorabilityTests {
    private func refusal(
        _ headers: HTTPHeaders, status: Int = 200, request: String? = nil, hasCredentials: Bool = false,
        hasExpiry: Bool = false, isShared: Bool = false
    ) -> String? {
        Storability.refusal(
            status: status, headers: headers, directives: ResponseDirectives(headers),
            request: RequestDirectives(cacheControl: request, pragma: nil), hasCredentials: hasCredentials,
            hasExpiry: hasExpiry, rules: isShared ? .shared : CacheRules())
    }

    @Test(arguments: [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501])
    func cacheableStatusesNeedNoDirective(status: Int) { #expect(refusal([:], status: status) == nil) }

    @Test(arguments: [201, 202, 299, 302, 303, 307, 400, 401, 403, 429, 500, 502, 503, 504, 599])
    func otherStatusesNeedAnExplicitLifetime(status: Int) {
        #expect((refusal([:], status: status), refusal(["Last-Modified": "x"], status: status)) == ("status", "status"))
        for allowance in ["max-age=5", "public", "private"] {
            #expect(refusal(["Cache-Control": allowance], status: status) == nil, "\(allowance)")
        }
        #expect(refusal(["Expires": "x"], status: status) == nil)
        #expect(refusal([:], status: status, hasExpiry: true) == nil)
        #expect(refusal(["Cache-Control": "s-maxage=5"], status: status) == "status")
        #expect(refusal(["Cache-Control": "s-maxage=5"], status: status, isShared: true) == nil)
    }

    @Test(arguments: [100, 103, 304, 412, 416]) func interimAndConditionalStatusesAreNotStored(status: Int) {
        #expect(refusal(["Cache-Control": "max-age=5"], status: status, hasExpiry: true) == "status")
    }

    @Test func noStoreAndVaryAnyForbidStoring() {
        #expect(refusal(["Cache-Control": "max-age=5, no-store"], hasExpiry: true) == "no-store")
        #expect(refusal(["Cache-Control": "max-age=5"], request: "no-store") == "no-store-request")
        #expect(refusal(["Cache-Control": "max-age=5, no-store, must-understand"]) == nil)
        #expect(refusal(["Cache-Control": "max-age=5, must-understand"], status: 299) == "must-understand")
        #expect(refusal(["Cache-Control": "max-age=5, no-store, must-understand"], request: "no-store") != nil)
        #expect((refusal(["Vary": "*"]), refusal(["Vary": "Accept, *"])) == ("vary-any", "vary-any"))
        #expect(refusal(["Vary": "Accept"]) == nil)
    }

    @Test func sharedCachesRefusePrivateAndAuthorizedResponses() {
        #expect(refusal(["Cache-Control": "private"]) == nil)
        #expect(refusal(["Cache-Control": "private"], isShared: true) == "private")
        #expect(refusal(["Cache-Control": "private=\"x\""], isShared: true) == nil)
        #expect(refusal(["Cache-Control": "max-age=5"], hasCredentials: true) == nil)
        #expect(refusal(["Cache-Control": "max-age=5"], hasCredentials: true, isShared: true) == "authorization")
        for allowance in ["public", "must-revalidate", "s-maxage=5"] {
            let headers: HTTPHeaders = ["Cache-Control": allowance]
            #expect(refusal(headers, hasCredentials: true, isShared: true) == nil, "\(allowance)")
        }
    }

    @Test func hopByHopFieldsAreNotStored() {
        let received: HTTPHeaders = [
            "Connection": "close, X-Hop, Cache-Control, vary", "X-Hop": "1", "Keep-Alive": "1", "TE": "1",
            "Transfer-Encoding": "chunked", "Upgrade": "h2c", "Proxy-Connection": "1", "Proxy-Authenticate": "1",
            "Proxy-Authorization": "1", "Proxy-Authentication-Info": "1", "Cache-Control": "no-cache", "Vary": "A",
            "X-Kept": "1", "Date": "d",
        ]
        let now = Date(timeIntervalSince1970: 0)
        let stored = StoredHeaders.storable(
            received, directives: ResponseDirectives(received), rules: CacheRules(), now: now)
        #expect(stored == ["Cache-Control": "no-cache", "Vary": "A", "X-Kept": "1", "Date": "d"])
        let dated = StoredHeaders.storable([:], directives: .init(), rules: CacheRules(), now: now)
        #expect(dated == ["Date": "Thu, 01 Jan 1970 00:00:00 GMT"])
    }

    @Test func sharedCachesLeaveOutPrivateFields() {
        let received: HTTPHeaders = ["Cache-Control": "private=\"X-User\"", "X-User": "1", "Date": "d"]
        let directives = ResponseDirectives(received)
        func stored(_ rules: CacheRules) -> HTTPHeaders {
            StoredHeaders.storable(received, directives: directives, rules: rules, now: Date(timeIntervalSince1970: 0))
        }
        #expect(!stored(.shared).contains(name: "X-User") && stored(CacheRules()).contains(name: "X-User"))
    }

    @Test func a304ReplacesFieldsExceptContentFields() {
        let old: HTTPHeaders = [
            "A": "1", "B": "1", "Age": "9", "Content-Length": "5", "Content-Encoding": "x", "Content-Range": "y",
            "Date": "old",
        ]
        var new: HTTPHeaders = [
            "Content-Length": "0", "Content-Encoding": "z", "Content-Range": "z", "Keep-Alive": "z",
        ]
        for (name, value) in [("a", "2"), ("a", "3"), ("C", "4")] { new.append(name: name, value: value) }
        let merged = StoredHeaders.merged(old, with: new, rules: CacheRules(), now: Date(timeIntervalSince1970: 0))
        #expect((merged.values(for: "A"), merged["B"], merged["C"]) == (["2", "3"], "1", "4"))
        #expect(merged["Age"] == nil, "it was the age of the other answer")
        #expect((merged["Date"], merged["Content-Length"]) == ("Thu, 01 Jan 1970 00:00:00 GMT", "5"))
        #expect((merged["Content-Encoding"], merged["Content-Range"], merged["Keep-Alive"]) == ("x", "y", nil))
    }
}
