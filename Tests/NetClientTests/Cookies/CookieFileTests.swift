@testable import NetClient

@Suite struct CookieFileTests {
    private let folder: TemporaryDirectory
    private var file: URL { folder.file("cookies") }

    init() throws { folder = try TemporaryDirectory() }

    private func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    private var names: [String] { CookieLab(file: file).store.cookies.map(\.name) }

    @Test func initializerCreatesNoFile() {
        _ = CookieStore(file: folder.file("a/b/cookies"), publicSuffixFile: folder.file("none"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("a").path))
    }

    @Test func persistentCookiesSurviveAndSessionCookiesDoNot() throws {
        let lab = CookieLab(file: file)
        try lab.receive(
            "a=1; Max-Age=1000; Secure; HttpOnly; SameSite=Strict; Path=/", "b=2",
            "c=ü\"3\"; Max-Age=9; Domain=example.org")
        let before = lab.store.cookies.filter { $0.expires != nil }
        let name = lab.name
        #expect(lab.store.save())
        let again = CookieLab(file: file)
        #expect(again.store.cookies == before)
        #expect(try again.field("https://www.example.org/a") == "c=ü\"3\"; a=1" && again.name == name)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(try again.problems.withLock(\.isEmpty) && mode == 0o600 && !text().contains("\"b\""))
    }

    @Test func releasedStoreWritesItsFile() throws {
        do { try CookieLab(file: file).receive("a=1; Max-Age=1000") }
        #expect(try text().contains("\"a\""))
    }

    @Test func changesAreWrittenTogetherAfterASecond() async throws {
        let lab = CookieLab(file: file)
        for number in 0..<20 { try lab.receive("a\(number)=1; Max-Age=1000") }
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try await lab.clock.waitForSleepers()
        #expect(lab.clock.sleeps == [1])
        await lab.clock.advance(by: 1)
        try await waitUntil("the file is written") { (try? text().contains("\"a19\"")) == true ? () : nil }
    }

    @Test func epochsOfPersistentCookiesAreStored() async throws {
        let lab = CookieLab(file: file)
        try lab.receive("a=1; HttpOnly; Max-Age=1000")
        try lab.receive("a=1; HttpOnly", from: "https://session.example/")
        let (persistent, session) = (try lab.epoch(), try lab.epoch("https://session.example/"))
        lab.store.save()
        let again = CookieLab(file: file)
        // The session cookie is gone.
        #expect(try again.epoch() == persistent && again.epoch("https://session.example/") != session)
        let expired = CookieLab(file: file)
        await expired.clock.advance(by: 1001)
        #expect(try expired.epoch() != persistent && expired.store.cookies.isEmpty)
    }

    // MARK: Files of others

    @Test func damagedFileIsReadPartly() throws {
        let lab = CookieLab(file: file)
        try lab.receive("a=1; Max-Age=1000", "b=2; Max-Age=1000", "c=3; Max-Age=1000")
        let name = lab.name
        lab.store.save()
        try Data(text().replacingOccurrences(of: "\"name\":\"b\"", with: "\"na").utf8).write(to: file)
        let again = CookieLab(file: file)
        #expect(again.store.cookies.map(\.name) == ["a", "c"])
        // The lost line may have been an epoch.
        #expect(try again.name != name && again.store.save() && !CookieRecord(Data(contentsOf: file)).isDamaged)
    }

    @Test func unreadableFileIsReportedAndReplaced() async throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let lab = CookieLab(file: file)
        try lab.receive("a=1; Max-Age=1000")
        #expect(try lab.field() == "a=1")
        for _ in 0..<2 { #expect(!lab.store.save()) }
        try await waitUntil("both problems are reported") { lab.problems.withLock(\.count) == 2 ? () : nil }
        #expect(lab.problems.withLock { $0[1] }.contains("cannot be written"))
        // The next attempt writes all.
        try FileManager.default.removeItem(at: file)
        #expect(lab.store.save() && names == ["a"])
    }

    @Test(arguments: [
        "", "\u{0}\u{1}", "{", "{}\n[]\nnull\n1\n\"x\"", "{\"format\":1}", "{\"site\":\"a\",\"epoch\":\"zz\"}",
    ]) func malformedFileIsEmpty(content: String) throws {
        try Data(content.utf8).write(to: file)
        let lab = CookieLab(file: file)
        #expect(lab.store.cookies.isEmpty)
        #expect(lab.store.set(Cookie(name: "a", value: "1", domain: "a.example", expires: .distantFuture)))
        #expect(lab.store.save() && names == ["a"])
    }

    @Test func invalidCookiesOfAFileAreIgnored() throws {
        let lab = CookieLab(file: file)
        try lab.receive("a=1; Max-Age=1000", saves: true)
        var content = try text()
        for line in [
            #"{"name":"b","value":"x\r\ny","domain":"a.example","expires":1700001000}"#,
            #"{"name":"c","value":"1","domain":"org","hostOnly":false,"expires":1700001000}"#,
            #"{"name":"__Host-d","value":"1","domain":"a.example","expires":1700001000}"#,
            #"{"name":"e","value":"1","domain":"a.example","path":"x","expires":1700001000}"#,
            #"{"name":"f","value":"1","domain":"a.example","expires":1e300}"#,
        ] { content += line + "\n" }
        try Data(content.utf8).write(to: file)
        let cookies = CookieLab(file: file).store.cookies
        #expect(cookies.map(\.name) == ["f", "a"])
        #expect(cookies.first?.expires == lab.clock.now.addingTimeInterval(400 * 86_400))
    }

    /// A file of the version that did not distinguish cookies by their names.
    @Test func filesOfVersion1AreRead() throws {
        let content = """
            {"epoch":"0","format":"networking-cookies","name":"cookies-1","version":1}
            {"epoch":"91c0","site":"example.org"}
            {"epoch":"91c1","session":true,"site":"session.example"}
            {"domain":"www.example.org","expires":1700001000,"hostOnly":true,"httpOnly":true,"identifying":true,"name":"sid","path":"/","value":"1"}
            {"domain":"www.example.net","expires":1700001000,"hostOnly":true,"identifying":true,"name":"theme","path":"/","value":"1"}

            """
        try Data(content.utf8).write(to: file)
        let lab = CookieLab(file: file)
        #expect(try lab.name == "cookies-1" && lab.epoch() == 0x91C0)
        #expect(try lab.epoch("https://session.example/") != 0x91C1, "its session cookie was not in the file")
        #expect(try lab.store.scope(for: url("https://www.example.net/")) == nil)
        #expect(lab.store.cookies.count == 2 && lab.problems.withLock(\.isEmpty))
    }

    // MARK: Two processes

    @Test func cookiesOfAnotherProcessAreKept() throws {
        let first = CookieLab(file: file)
        try first.receive("a=1; Max-Age=1000", "gone=1; Max-Age=1000", "both=1; Max-Age=1000", saves: true)
        let second = CookieLab(file: file)
        try second.receive("b=2; Max-Age=1000", "gone=; Max-Age=0", "both=2; Max-Age=1000", saves: true)
        try first.receive("c=3; Max-Age=1000", "session=1", saves: true)
        #expect(
            try first.field() == "a=1; both=2; b=2; c=3; session=1"
                || first.field() == "a=1; both=2; c=3; session=1; b=2")
        #expect(names.sorted() == ["a", "b", "both", "c"] && first.name == second.name)
    }

    @Test func removeAllRemovesCookiesOfAnotherProcess() throws {
        let first = CookieLab(file: file)
        try first.receive("a=1; Max-Age=1000", saves: true)
        let second = CookieLab(file: file)
        try second.receive("b=2; Max-Age=1000", saves: true)
        first.store.removeAll()
        first.store.save()
        #expect(try names.isEmpty && second.field() == "a=1; b=2")
        try second.receive("c=3; Max-Age=1000", saves: true)
        #expect(try second.field() == "c=3")
    }

    @Test func signInOfAnotherProcessChangesTheEpoch() throws {
        let first = CookieLab(file: file)
        try first.receive("user=alice; HttpOnly; Max-Age=1000", saves: true)
        let alice = try first.epoch()
        let second = CookieLab(file: file)
        #expect(try second.epoch() == alice)
        try second.receive("user=bob; HttpOnly; Max-Age=1000", method: .post)
        let bob = try second.epoch()
        second.store.save()
        try first.receive("other=1; Max-Age=1000")
        #expect(try first.epoch() == alice)
        first.store.save()
        #expect(try first.field() == "user=bob; other=1" && first.epoch() == bob)
    }

    @Test func sessionsOfTwoProcessesHaveDifferentEpochs() throws {
        let (first, second) = (CookieLab(file: file), CookieLab(file: file))
        try first.receive("user=alice; HttpOnly", method: .post, saves: true)
        try second.receive("user=bob; HttpOnly", method: .post, saves: true)
        let bob = try second.epoch()
        try first.receive("x=1; Max-Age=1000", saves: true)
        #expect(try first.epoch() != bob && CookieLab(file: file).epoch() != bob)
        #expect(try first.field() == "user=alice; x=1")
    }

    @Test func concurrentStoresLoseNoCookies() {
        let file = self.file
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            for step in 0..<10 {
                // A store that stays would write lost cookies again.
                let store = CookieStore(file: file)
                let name = "c\(number)-\(step)"
                store.set(Cookie(name: name, value: "1", domain: "a.example", expires: .distantFuture))
                store.save()
            }
        }
        #expect(CookieStore(file: file).cookies.count == 80)
    }
}
