@testable import NetClient

@Suite struct PublicSuffixesTests {
    private static let rules = [
        "// A comment. a.com", "com", "uk", "co.uk  and a comment", "*.ck", "!www.ck", "*.compute.example.com", "公司.cn",
        "cn", "jp\r", "*.kawasaki.jp\r", "!city.kawasaki.jp", "bar.baz", "",
    ].joined(separator: "\n")
    private let list = PublicSuffixes(SuffixList(Data(rules.utf8)).registrableDomain)

    @Test(arguments: [
        ("com", nil), ("example.com", "example.com"), ("a.b.example.com", "example.com"), ("co.uk", nil),
        ("a.co.uk", "a.co.uk"), ("b.a.co.uk", "a.co.uk"), ("a.uk", "a.uk"), ("ck", nil), ("a.ck", nil),
        ("b.a.ck", "b.a.ck"), ("www.ck", "www.ck"), ("a.www.ck", "www.ck"), ("compute.example.com", "example.com"),
        ("x.compute.example.com", nil), ("y.x.compute.example.com", "y.x.compute.example.com"), ("xn--55qx5d.cn", nil),
        ("a.b.xn--55qx5d.cn", "b.xn--55qx5d.cn"), ("unlisted", nil), ("a.unlisted", "a.unlisted"),
        ("b.a.unlisted", "a.unlisted"), ("b.c.kawasaki.jp", "b.c.kawasaki.jp"), ("c.kawasaki.jp", nil),
        ("a.city.kawasaki.jp", "city.kawasaki.jp"), ("example.com.", "example.com"), ("", nil), (".com", nil),
    ])
    func registrableDomains(host: String, expected: String?) { #expect(list.registrableDomain(of: host) == expected) }

    @Test func longNames() {
        #expect(list.registrableDomain(of: String(repeating: "a.", count: 100_000) + "com") == nil)
        let long = Data((String(repeating: "x.", count: 500_000) + "\n*.\n!\n*\n.\na.b\n").utf8)
        #expect(PublicSuffixes(SuffixList(long).registrableDomain).registrableDomain(of: "c.a.b") == "c.a.b")
    }

    @Test(arguments: [
        ("bücher", "xn--bcher-kva"), ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
        ("ñandú.España", "xn--and-6ma2c.xn--espaa-rta"), ("plain", "plain"),
    ]) func internationalNames(text: String, expected: String) { #expect(SuffixList.asciiName(text[...]) == expected) }

    @Test("If a rule cannot be converted, each international host counts as a suffix")
    func rulesThatCannotBeConverted() {
        let list = SuffixList(Data("com\nü%.com\n".utf8))
        #expect(list.registrableDomain(of: "a.example.com") == "example.com")
        #expect(list.registrableDomain(of: "a.xn--tda.com") == nil && list.registrableDomain(of: "xn--tda.com") == nil)
    }

    @Test func libpslAndOurParserAgreeOnTheSystemsList() throws {
        let file = URL(fileURLWithPath: PublicSuffixes.systemFile)
        guard let system = PublicSuffixes.system, let text = try? String(contentsOf: file, encoding: .utf8)
        else { return }
        let own = try PublicSuffixes(contentsOf: file)
        var count = 0
        for line in text.split(separator: "\n") where !line.hasPrefix("//") && !line.hasPrefix("!") {
            let rule = try #require(SuffixList.asciiName(line.hasPrefix("*.") ? "w." + line.dropFirst(2) : line[...]))
            for host in [rule, "a." + rule, "b.a." + rule] {
                #expect(own.registrableDomain(of: host) == system.registrableDomain(of: host), "\(host)")
            }
            count += 1
        }
        #expect(count > 5000)
    }

    @Test func cookiesAreHostOnlyWithoutASuffixList() async throws {
        let folder = try TemporaryDirectory()
        let lab = CookieLab(suffixes: folder.file("none"))
        try lab.receive("a=1; Domain=example.org", "b=2; Domain=org; Path=/", "c=3; Domain=other.org")
        #expect(lab.store.cookies.map(\.name) == ["a", "b"])
        #expect(try lab.field("https://api.example.org/a") == nil && lab.field() == "a=1; b=2")
        #expect(!lab.store.set(Cookie(name: "a", value: "1", domain: ".example.org")))
        try await waitUntil("the problem is reported") { lab.problems.withLock(\.count) > 0 ? () : nil }
        let problems = lab.problems.withLock { $0 }
        #expect(problems.count == 1 && problems[0].contains(folder.file("none").path))
    }

    @Test func fileOfTheCallerReplacesTheSystemsList() throws {
        let folder = try TemporaryDirectory()
        try Data("org\nexample.org\n".utf8).write(to: folder.file("list"))
        let lab = CookieLab(suffixes: folder.file("list"))
        try lab.receive("a=1; Domain=example.org", "b=2; Domain=www.example.org")
        #expect(lab.store.cookies.map(\.name) == ["b"])
    }
}
