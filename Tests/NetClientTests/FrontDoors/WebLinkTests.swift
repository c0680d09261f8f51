@testable import NetClient

@Suite struct WebLinkTests {
    private func link(_ target: String, _ parameters: (String, String)...) -> WebLink {
        WebLink(target: target, parameters: parameters.map { .init(name: $0.0, value: $0.1) })
    }

    private func targets(_ field: String) -> [String] { WebLink.parse(field).map(\.target) }

    /// RFC 8288, section 3.5.
    @Test func examplesOfTheRFC() {
        #expect(
            WebLink.parse(#"<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter""#)
                == [link("http://example.com/TheBook/chapter2", ("rel", "previous"), ("title", "previous chapter"))])
        #expect(WebLink.parse(#"</>; rel="http://example.net/foo""#).first?.relations == ["http://example.net/foo"])
        #expect(
            WebLink.parse(##"</terms>; rel="copyright"; anchor="#foo""##)
                == [link("/terms", ("rel", "copyright"), ("anchor", "#foo"))])
        let titled = WebLink.parse(
            "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, "
                + "</TheBook/chapter4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel")
        #expect(titled.last?["title*"] == "UTF-8'de'n%c3%a4chstes%20Kapitel")
        #expect(titled.map(\.relations) == [["previous"], ["next"]])
        #expect(
            WebLink.parse(#"<http://example.org/>; rel="start http://example.net/relation/other""#).first?.relations
                == ["start", "http://example.net/relation/other"])
    }

    @Test(arguments: [
        // White space, empty elements, upper case, parameters without a value.
        (" <a> ; REL = next ;x; y = \"\" ,, ,<b>;rel=\"Prev  LAST\",", ["a", "b"]),
        ("<a>", ["a"]), ("<a>,<b>", ["a", "b"]), ("<>", [""]), ("<a,b;c>;rel=next", ["a,b;c"]),
        // Delimiters in a quoted string.
        (#"<a>;title="x, <y>; rel=\"z\"";rel=next,<b>"#, ["a", "b"]), (#"<a>;t="\\",<b>"#, ["a", "b"]),
        // A malformed element ends the list.
        ("", []), (" ", []), (",", []), ("a", []), ("<a", []), ("<a>b,<c>", ["a"]), ("<a>;x=\"y,<b>", ["a"]),
        ("<a>;x=\"y\"z,<b>", ["a"]), ("x,<a>", []), ("<a>;;;,<b>", ["a", "b"]), ("<a>;=;=x,<b>", ["a", "b"]),
        ("<a>;x=\"\\", ["a"]), ("<a>;", ["a"]), ("<a>;x", ["a"]), ("<a>;x=", ["a"]), ("<a>;x=,<b>", ["a", "b"]),
    ]) func targets(_ field: String, expected: [String]) { #expect(targets(field) == expected) }

    @Test func parameters() {
        #expect(
            WebLink.parse(" <a> ; REL = next ;x; y = \"\" ;z=\"q\\\"\\a\" ;w=1 2 , <b>")
                == [link("a", ("rel", "next"), ("x", ""), ("y", ""), ("z", "q\"a"), ("w", "1 2")), link("b")])
    }

    /// Section 3.3: only the first `rel` counts; relation types ignore case.
    @Test func relations() throws {
        let link = try #require(WebLink.parse(#"<a>;rel="NEXT  last";rel=prev"#).first)
        #expect(link.relations == ["next", "last"] && link["ReL"] == "NEXT  last" && link["none"] == nil)
        #expect(WebLink.parse("<a>").first?.relations == [] && WebLink.parse("<a>;rel").first?.relations == [])
    }

    private func response(_ fields: String..., url: String? = "https://a.example/x/y?p=1") -> TransportResponse {
        let headers = HTTPHeaders(received: fields.map { HTTPHeader(name: "link", value: $0) })
        return TransportResponse(status: 200, headers: headers, url: url.flatMap { URL(string: $0) })
    }

    @Test(arguments: [
        ("?p=2", "https://a.example/x/y?p=2"), ("z", "https://a.example/x/z"), ("/z", "https://a.example/z"),
        ("//b.example/z", "https://b.example/z"), ("http://b.example", "http://b.example"),
        ("/a b?q={ü}%20", "https://a.example/a%20b?q=%7B%C3%BC%7D%20"), ("", "https://a.example/x/y?p=1"),
        (" /z ", "https://a.example/z"),
    ]) func targetsAreResolved(_ target: String, url: String) {
        #expect(response("<\(target)>; rel=next").url(ofLink: "Next")?.absoluteString == url)
    }

    @Test func linksOfSeveralFields() {
        let response = response("<a>;rel=first, broken", #"<b>;rel="last next""#, "<c>;rel=next")
        #expect(response.headers.links.map(\.target) == ["a", "b", "c"])
        #expect(response.url(ofLink: "next")?.absoluteString == "https://a.example/x/b")
        #expect(response.url(ofLink: "prev") == nil)
        #expect(self.response("<http://a b/>;rel=next").url(ofLink: "next") == nil)
        #expect(self.response("</b>;rel=next", url: nil).url(ofLink: "next")?.absoluteString == "/b")
    }

    /// Section 3.2: `anchor` may name another resource than the requested one.
    @Test(arguments: [("/other", nil), ("http://[", nil), ("#part", "b"), ("", "b")])
    func linksOfOtherResourcesAreIgnored(anchor: String, next: String?) {
        let link = "<b>;rel=next;anchor=\"\(anchor)\""
        #expect(response(link).url(ofLink: "next")?.lastPathComponent == next)
        #expect(response(link, "<c>;rel=next").url(ofLink: "next")?.lastPathComponent == next ?? "c")
    }

    @Test func randomFields() {
        var random = SeededGenerator(state: 5)
        let alphabet = Array("<>;,=\"\\ \tarel*n'%é💥\u{0}")
        var found = 0
        for _ in 0..<20_000 {
            let text = random.text(of: alphabet, upTo: 24)
            for link in WebLink.parse(text) {
                found += 1
                _ = link.relations
            }
        }
        #expect(found > 100)
    }

    @Test func mutatedFields() throws {
        var random = SeededGenerator(state: 6)
        let original = Data(
            #"<https://a.example/?p=2>; rel="next last"; title="a\"b", </x>;rel=prev;title*=UTF-8'en'a%20b"#.utf8)
        let base = try url()
        var complete = 0
        for _ in 0..<5000 {
            let links = WebLink.parse(String(decoding: random.mutate(original), as: UTF8.self))
            if links.count == 2 { complete += 1 }
            for link in links { _ = (link.url(relativeTo: base), link.hasContext(base)) }
        }
        #expect((100..<5000).contains(complete))
    }

    @Test func longFields() {
        #expect(WebLink.parse(String(repeating: ",", count: 200_000) + "<a>").count == 1)
        #expect(WebLink.parse("<a>" + String(repeating: ";", count: 200_000)).count == 1)
        #expect(WebLink.parse(String(repeating: "<a>;rel=next,", count: 10_000)).count == 10_000)
    }
}
