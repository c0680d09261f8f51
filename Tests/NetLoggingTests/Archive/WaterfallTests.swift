import TestLab
import Testing

@testable import NetLogging

@Suite(.requires(.chromium)) struct WaterfallTests {
    private static let build =
        URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst() + "/.build"

    private func browse(_ page: HTTPArchive.Waterfall, _ options: [String]) async throws -> String {
        let folder = try TemporaryDirectory()
        let file = folder.file("page.html")
        try page.write(to: file)
        let arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.file("profile").path)",
            "--window-size=1280,900",
        ]
        return try await ProcessRunner.run(Tool.chromium.path(), arguments + options + [file.absoluteString])
            .checked().text
    }

    private func count(_ text: String, in document: String) -> Int { document.components(separatedBy: text).count - 1 }

    @Test func browserShowsEveryExchange() async throws {
        let recorder = try await SampleTraffic.record()
        let screenshot = "\(Self.build)/waterfall.png"
        try? FileManager.default.removeItem(atPath: screenshot)
        let dom = try await browse(recorder.waterfall(title: "Tour & <more>"), ["--dump-dom"])
        #expect(count("<details class=\"entry", in: dom) == 12 && count("class=\"wait\" style=", in: dom) >= 10)
        for text in [
            "<h1>Tour &amp; &lt;more&gt;</h1>", "12 exchanges of 9 calls", "users?q=[REDACTED]&amp;page=1", "attempt 1",
        ] { #expect(dom.contains(text), "\(text)") }
        #expect(!dom.contains("S3CR3T"))
        _ = try await browse(recorder.waterfall(), ["--screenshot=\(screenshot)"])
        let picture = try Data(contentsOf: URL(fileURLWithPath: screenshot))
        #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) && picture.count > 10_000)
    }

    /// What a server or a stranger's file says is text, and never a part of the page.
    @Test func archiveTextIsEscaped() async throws {
        let evil =
            "\"'><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u{202E}&amp;"
        var entry = HTTPArchive.Entry(
            startedDateTime: Date(timeIntervalSince1970: .greatestFiniteMagnitude / 1e290),
            request: HTTPArchive.Request(
                method: evil, url: evil, headers: [.init(name: evil, value: evil)],
                postData: .init(mimeType: evil, text: evil)),
            response: HTTPArchive.Response(
                status: .max, headers: [.init(name: evil, value: evil)], content: .init(text: evil), bodySize: .max),
            timings: HTTPArchive.Timings(blocked: .infinity, wait: 1e308, receive: .nan))
        (entry.error, entry.retryReason, entry.requestID, entry.cacheState) = (evil, evil, evil, evil)
        entry.attempt = .max
        var archive = HTTPArchive(entries: [entry, entry])
        archive.log.creator.name = evil
        let dom = try await browse(HTTPArchive.Waterfall(archive, title: evil), ["--dump-dom"])
        for text in ["<script", "<img", "\u{202E}", "<title>owned"] { #expect(!dom.contains(text), "\(text)") }
        #expect(count("<details class=\"entry", in: dom) == 2)
    }

    @Test func emptyArchiveIsAPage() async throws {
        #expect(try await browse(HTTPArchive.Waterfall(HTTPArchive()), ["--dump-dom"]).contains("0 exchanges"))
    }

    /// The page asks for nothing from anywhere, and its policy would refuse it.
    @Test func itIsSelfContained() async throws {
        let html = try await SampleTraffic.record().waterfall().html
        #expect(html.contains("default-src 'none'"))
        for mark in ["src=", "href=", "url(", "@import", "<script", "<link"] {
            #expect(!html.contains(mark), "\(mark)")
        }
    }
}
