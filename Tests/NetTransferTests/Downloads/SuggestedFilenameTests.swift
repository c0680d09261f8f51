import TestLab
import Testing

@testable import NetTransfer

struct SuggestedFilenameTests {
    @Test(
        arguments: [
            ("attachment; filename=report.pdf", "report.pdf"),
            ("attachment; filename=\"report of today.pdf\"", "report of today.pdf"),
            ("attachment; filename=\"a;b=c.txt\"; size=3", "a;b=c.txt"), ("attachment; FILENAME = \"x.txt\"", "x.txt"),
            ("inline;filename=\"say \\\"hi\\\".txt\"", "say \"hi\".txt"),
            ("attachment; filename=\"EURO.txt\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename*=UTF-8'en'na%C3%AFve.txt; filename=naive.txt", "naïve.txt"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
            ("attachment; filename*=utf-8''%zz; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=utf-8''%ff%fe; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=koi8-r''%c1; filename=plain.txt", "plain.txt"),
            ("attachment; filename=first.txt; filename=second.txt", "first.txt"),
            ("attachment; filename=\"never closed", "never closed"),
            // A stray parameter before it, or behind it, does not hide a name.
            ("attachment; foo; filename=a.txt", "a.txt"), ("attachment; =; filename=a.txt", "a.txt"),
            ("attachment; \"foo; filename=b.txt\"; filename=a.txt", "a.txt"),
            ("attachment; foo=; filename=a.txt", "a.txt"), ("attachment; name=\"foo; filename=\"a.txt\"", "a.txt"),
            ("attachment; name=\"foo; filename=a.txt", "a.txt"), ("attachment; filename=; filename=a.txt", "a.txt"),
            ("attachment; filename=\"a.txt\"; foo", "a.txt"), ("attachment; filename=\"a.txt\" foo; size=3", "a.txt"),
            ("attachment; foo; filename*=utf-8''%e2%82%ac", "€"),
            ("attachment; f o o=1; filename=\"a b.txt\"; \"", "a b.txt"),
            ("attachment; filename=\"say \"hi\".txt\"", "say \"hi\".txt"),
            ("attachment", nil), ("", nil), ("filename=no-type.txt", nil), ("attachment; name=x", nil),
        ] as [(String, String?)]) func filenameIsReadFromContentDisposition(_ value: String, _ name: String?)
    { #expect(ContentDisposition.filename(in: value) == name) }

    @Test(
        arguments: [
            ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"),
            ("C:\\temp\\a.txt", "a.txt"), ("..", nil), (".", nil), ("...", nil), ("", nil), ("/", nil), ("a/", nil),
            (".bashrc", "bashrc"), ("a\0b.txt", "a_b.txt"), ("a\r\nb.txt", "a__b.txt"), ("tab\there", "tab_here"),
            ("CON", "_CON"), ("con.txt", "_con.txt"), ("Lpt1.log", "_Lpt1.log"), ("COM0", "COM0"), ("..%2Fb", "%2Fb"),
            ("console", "console"), ("nul .txt", "_nul .txt"), ("a<b>:\"|?*.txt", "a_b______.txt"), ("  x  ", "x"),
            ("ends with dots...", "ends with dots"), ("exe\u{202E}txt.bat", "exetxt.bat"), ("a\u{2215}b", "a\u{2215}b"),
            ("naïve 文件.txt", "naïve 文件.txt"), ("/\u{301}x", "_\u{301}x"),
        ] as [(String, String?)]) func filenamesAreSanitized(_ name: String, _ safe: String?)
    { #expect(SuggestedFilename.sanitized(name) == safe) }

    @Test func longNamesKeepTheirExtension() throws {
        let name = try #require(SuggestedFilename.sanitized(String(repeating: "ä", count: 500) + ".txt"))
        #expect(name.hasSuffix("ä.txt") && name.utf8.count <= 200)
        let extensionOnly = try #require(SuggestedFilename.sanitized("a." + String(repeating: "x", count: 500)))
        #expect(extensionOnly.utf8.count <= 200)
    }

    @Test func filenameFallsBackToTheURL() throws {
        let url = URL(string: "https://example.com/a/b%2F..%2Fmovie.mp4?x=1")
        #expect(SuggestedFilename.name(for: TransportResponse(status: 200, url: url)) == "movie.mp4")
        let root = TransportResponse(status: 200, url: URL(string: "https://example.com"))
        #expect(SuggestedFilename.name(for: root) == "download")
        let response = TransportResponse(
            status: 200, headers: ["Content-Disposition": "attachment; filename=\"../..\""], url: url)
        #expect(SuggestedFilename.name(for: response) == "movie.mp4")
    }

    @Test func randomFilenamesStayInTheFolder() {
        var random = SeededGenerator(state: 99)
        let alphabet: [Character] = [
            "a", ".", "/", "\\", "\"", ";", "=", "*", "'", "%", "2", "e", " ", "\0", "\r", "\n", "é", "\u{301}", "f",
            ":", "\u{202E}",
        ]
        for _ in 0..<5000 {
            let value =
                "attachment; filename" + ["", "*"].randomElement(using: &random)! + "="
                + ["", "\"", "utf-8''"].randomElement(using: &random)! + random.text(of: alphabet, upTo: 20)
            guard let name = ContentDisposition.filename(in: value).flatMap(SuggestedFilename.sanitized) else {
                continue
            }
            let folder = URL(fileURLWithPath: "/chosen", isDirectory: true)
            #expect(!name.isEmpty && name != "." && name != ".." && !name.hasPrefix("."))
            #expect(!name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 < 0x20 })
            #expect(
                folder.appendingPathComponent(name).standardizedFileURL.deletingLastPathComponent().path == "/chosen")
        }
    }
}
