import NetTesting
import Networking
import TestLab
import Testing

/// The command: what is sent, and what goes where.
@Suite("quickstart requests", .timeLimit(.minutes(5)), .startsProcesses) struct CommandRequestTests {
    private let lab: CommandLab
    private static let bytes = MockResponse.generatedBytes(count: 300_000)

    init() throws {
        lab = try CommandLab()
        lab.server.on("/bytes", .data(Self.bytes))
        lab.server.on("/text", .text("hello"))
        lab.server.on("/json", .json(text: #"{"id":1.10}"#))
        lab.server.on("/echo", respond: { .data($0.body) })
    }

    @Test func bodyIsWrittenToStandardOutput() async throws {
        let result = try await lab.run(lab.url("/bytes"))
        #expect(result.termination == .exited(0) && result.output == Self.bytes && result.errorText.isEmpty)
        #expect(lab.server.requests.last?.method == .get)
        #expect(try await lab.run("get", lab.url("/json")).text == #"{"id":1.10}"#)
    }

    @Test func urlWithoutSchemeIsHTTP() async throws {
        let text = lab.url("/text").dropFirst("http://".count)
        #expect(try await (lab.run(String(text)).text, lab.run(":\(lab.server.port)/text").text) == ("hello", "hello"))
    }

    @Test func headShowsStatusAndHeaderFields() async throws {
        let result = try await lab.run("HEAD", lab.url("/text"))
        #expect(lab.server.requests.last?.method == .head)
        #expect(result.text.hasPrefix("HTTP/1.1 200\r\n") && result.text.hasSuffix("\r\n\r\n"))
    }

    @Test func methodsHeadersAndCredentials() async throws {
        let result = try await lab.run(
            "delete", lab.url("/text?x=1"), "-H", "X-One: a: b", "--header=X-Two:2", "-H", "X-Two: 3", "-u", "leia:a:b")
        #expect(result.text == "hello")
        let sent = try #require(lab.server.requests.last)
        #expect(sent.method == .delete && sent.query == "x=1" && sent.headers["X-One"] == "a: b")
        #expect(sent.headers.values(for: "X-Two").joined(separator: ",").filter { $0 != " " } == "2,3")
        #expect(sent.headers["Authorization"] == "Basic bGVpYTphOmI=")
    }

    @Test func jsonBodies() async throws {
        let file = lab.directory.file("body.json")
        try Data(#"{"from":"file"}"#.utf8).write(to: file)
        let bodies = [#"{"a":1}"#: #"{"a":1}"#, "@\(file.path)": #"{"from":"file"}"#, "@-": #"{"from":"input"}"#]
        for (value, body) in bodies {
            let result = try await lab.run([lab.url("/echo"), "--json", value], input: Data(#"{"from":"input"}"#.utf8))
            #expect(result.text == body)
            let sent = try #require(lab.server.requests.last)
            #expect(sent.method == .post && sent.headers["Content-Type"] == "application/json")
            #expect(sent.headers["Accept"] == "application/json")
        }
        _ = try await lab.run("PUT", lab.url("/echo"), "--json", "1", "-H", "Content-Type: application/vnd.x+json")
        #expect(lab.server.requests.last?.method == .put)
        #expect(lab.server.requests.last?.headers["Content-Type"] == "application/vnd.x+json")
    }

    @Test func statusAndHeaderFieldsWithInclude() async throws {
        lab.server.on("/missing", .text("nothing here", status: 404).header("X-Kind", "odd"))
        let result = try await lab.run("-i", lab.url("/missing"))
        #expect(result.termination == .exited(0))
        #expect(result.text.hasPrefix("HTTP/1.1 404\r\n") && result.text.contains("X-Kind: odd\r\n"))
        #expect(result.text.hasSuffix("\r\n\r\nnothing here"))
    }

    @Test func redirectsAreRecordedWithoutSecrets() async throws {
        lab.server.redirect("/old", to: "/text")
        let result = try await lab.run(
            lab.url("/old?token=sesame"), "--har", lab.path("a.har"), "-H", "X-Api-Key: sesame", "--verbose")
        #expect(result.text == "hello" && result.errorText.contains("Content-Type"))
        let archive = try HTTPArchive(contentsOf: lab.directory.file("a.har"))
        #expect(archive.log.entries.map(\.response.status) == [302, 200])
        #expect(!String(decoding: try lab.contents("a.har"), as: UTF8.self).contains("sesame"))
        #expect(!result.errorText.contains("sesame"))
    }

    /// A recording is worth most if the call failed.
    @Test func failedCallIsRecorded() async throws {
        lab.server.on("/cut", .fault(.close(.beforeResponse)))
        #expect(try await lab.run(lab.url("/cut"), "--har", lab.path("a.har")).termination == .exited(52))
        #expect(try HTTPArchive(contentsOf: lab.directory.file("a.har")).log.entries.count == 1)
    }

    @Test(.requires(.openssl)) func certificateOptions() async throws {
        let certificate = try await MockCertificate.make()
        let lab = try CommandLab(certificate: certificate)
        lab.server.on("/", .text("hello"))
        try certificate.authority.write(to: lab.directory.file("ca.pem"))
        #expect(try await lab.run(lab.url("/")).termination == .exited(60))
        #expect(try await lab.run(lab.url("/"), "-k").text == "hello")
        #expect(try await lab.run(lab.url("/"), "--cacert", lab.path("ca.pem")).text == "hello")
        #expect(try await lab.run(lab.url("/"), "--cacert", lab.path("none.pem")).termination == .exited(77))
    }

    /// Python gives it a terminal.
    @Test(.requires(.python3)) func binaryBodiesAreNotShownOnATerminal() async throws {
        let script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
        func shown(_ words: String...) async throws -> ProcessResult {
            try await ProcessRunner.run("python3", ["-c", script, lab.program] + words, environment: lab.environment)
        }
        #expect(try await shown(lab.url("/text")).text == "hello")
        lab.server.on("/binary", .data(Data([0x89, 0x50, 0, 1])))
        let binary = try await shown(lab.url("/binary"))
        #expect(binary.termination == .exited(23) && binary.text.contains("-o FILE"), "\(binary.text)")
        #expect(try await shown(lab.url("/binary"), "-o", "-").output.contains(0))
    }
}
