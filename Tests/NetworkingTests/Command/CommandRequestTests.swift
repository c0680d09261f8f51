import NetTesting
import Networking
import TestLab
import Testing

/// `get` and `post` of the command: what is sent, and what goes where.
@Suite("quickstart get and post", .timeLimit(.minutes(5)), .startsProcesses)
struct CommandRequestTests {
    private let lab: CommandLab
    private static let bytes = MockResponse.generatedBytes(count: 300_000)

    init() throws {
        lab = try CommandLab()
        lab.server.on("/bytes", .data(Self.bytes))
        lab.server.on("/text", .text("hello"))
        lab.server.on("/json", .json(text: #"{"id":1.10,"tags":[],"name":"a{\"b"}"#))
        lab.server.on("/echo", respond: { .data($0.body) })
    }

    @Test func theBodyGoesToStandardOutputAsItIs() async throws {
        let result = try await lab.run("get", lab.url("/bytes"))
        #expect(result.termination == .exited(0) && result.output == Self.bytes && result.errorText.isEmpty)
        let json = try await lab.run("get", lab.url("/json"))
        #expect(json.text == #"{"id":1.10,"tags":[],"name":"a{\"b"}"#, "indented on terminals only")
    }

    @Test func headersAndQuery() async throws {
        let result = try await lab.run(
            "get", lab.url("/text?x=1"), "--query", "q=a b&c+d", "--query=q=é", "-H", "X-One: a: b", "--header=X-Two:2",
            "-H", "X-Two: 3")
        #expect(result.text == "hello")
        let sent = try #require(lab.server.requests.last)
        #expect(sent.query == "x=1&q=a%20b%26c%2Bd&q=%C3%A9")
        #expect(sent.headers["X-One"] == "a: b")
        #expect(sent.headers.values(for: "X-Two").joined(separator: ",").filter { $0 != " " } == "2,3")
    }

    @Test func outputIsAFile() async throws {
        for name in ["new", "old"] {
            try Data(repeating: 1, count: 500_000).write(to: lab.directory.file("old"))
            let result = try await lab.run("get", lab.url("/bytes"), "-o", lab.path(name))
            #expect(result.termination == .exited(0) && result.output.isEmpty)
            #expect(try lab.contents(name) == Self.bytes)
        }
        let dash = try await lab.run("get", lab.url("/text"), "--output", "-")
        #expect(dash.text == "hello")
    }

    @Test func statusAndHeaderFieldsWithInclude() async throws {
        lab.server.on("/missing", .text("nothing here", status: 404).header("X-Kind", "odd"))
        let result = try await lab.run("get", "--include", lab.url("/missing"))
        #expect(result.termination == .exited(0))
        #expect(result.text.hasPrefix("HTTP/1.1 404\r\n") && result.text.hasSuffix("\r\n\r\nnothing here"))
        #expect(result.text.contains("X-Kind: odd\r\n"))
    }

    @Test func failWritesNoBody() async throws {
        lab.server.on("/missing", .text("nothing here", status: 404))
        let result = try await lab.run("get", "--fail", lab.url("/missing"), "-o", lab.path("page"))
        #expect(result.termination == .exited(22) && result.errorText.contains("404"))
        #expect(try lab.names.isEmpty)
    }

    /// On standard error, and without secrets.
    @Test func verboseLogsWithoutSecrets() async throws {
        let result = try await lab.run(
            "get", "--verbose", lab.url("/text"), "-H", "Authorization: Bearer sesame", "--query", "access_token=sesame"
        )
        #expect(result.text == "hello")
        #expect(result.errorText.contains("200") && result.errorText.contains("/text"))
        #expect(result.errorText.contains("Content-Type") && !result.errorText.contains("sesame"))
        #expect(lab.server.requests.last?.headers["Authorization"] == "Bearer sesame")
    }

    // MARK: post

    @Test func json() async throws {
        let file = lab.directory.file("body.json")
        try Data(#"{"from":"file"}"#.utf8).write(to: file)
        let bodies = [#"{"a":1}"#: #"{"a":1}"#, "@\(file.path)": #"{"from":"file"}"#, "@-": #"{"from":"input"}"#]
        for (value, body) in bodies {
            let result = try await lab.run(
                ["post", lab.url("/echo"), "--json", value], input: Data(#"{"from":"input"}"#.utf8))
            #expect(result.text == body)
            let sent = try #require(lab.server.requests.last)
            #expect(sent.method == .post && sent.headers["Content-Type"] == "application/json")
            #expect(sent.headers["Accept"] == "application/json")
        }
        _ = try await lab.run("post", lab.url("/echo"), "--json", "1", "-H", "Content-Type: application/vnd.x+json")
        #expect(lab.server.requests.last?.headers["Content-Type"] == "application/vnd.x+json")
    }

    @Test func aFormOfFields() async throws {
        let result = try await lab.run("post", lab.url("/echo"), "--form", "a=1 + 2", "--form", "a=ü&", "--form", "b=")
        #expect(result.text == "a=1%20%2B%202&a=%C3%BC%26&b=")
        #expect(lab.server.requests.last?.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func aFormWithAFile() async throws {
        try Self.bytes.write(to: lab.directory.file("photo.png"))
        let result = try await lab.run(
            "post", lab.url("/echo"), "--form", "name=Leia", "--form", "photo=@\(lab.path("photo.png"))")
        let type = try #require(lab.server.requests.last?.headers["Content-Type"])
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        let text = String(decoding: result.output, as: UTF8.self)
        #expect(text.contains(#"name="name""#) && text.contains(#"filename="photo.png""#) && text.contains("Leia"))
        #expect(result.output.range(of: Self.bytes) != nil)
    }

    @Test func withoutABody() async throws {
        let result = try await lab.run("post", lab.url("/echo"))
        #expect(result.termination == .exited(0) && lab.server.requests.last?.headers["Content-Length"] == "0")
    }

    // MARK: What the SDK adds

    @Test func redirectsAreFollowedAndRecorded() async throws {
        lab.server.redirect("/old", to: "/text")
        let result = try await lab.run(
            "get", lab.url("/old"), "--har", lab.path("a.har"), "--query", "token=sesame", "-H", "X-Api-Key: sesame")
        #expect(result.text == "hello")
        let archive = try HTTPArchive(contentsOf: lab.directory.file("a.har"))
        #expect(archive.log.entries.map(\.response.status) == [302, 200])
        #expect(!String(decoding: try lab.contents("a.har"), as: UTF8.self).contains("sesame"))
    }

    @Test func retryAfterABusyServer() async throws {
        lab.server.enqueue(.status(503), .text("finally"))
        let result = try await lab.run(
            "get", lab.url("/text"), "--retry", "2", "--har", "/dev/stdout", "-o", lab.path("b"))
        #expect(result.termination == .exited(0) && lab.server.requestCount == 2)
        #expect(String(decoding: try lab.contents("b"), as: UTF8.self) == "finally")
        try result.output.write(to: lab.directory.file("a.har"))
        let archive = try HTTPArchive(contentsOf: lab.directory.file("a.har"))
        #expect(archive.log.entries.map(\.response.status) == [503, 200])
    }

    /// A POST is not repeated after a status, since the server may have done it already.
    @Test func postIsNotRepeated() async throws {
        lab.server.enqueue(.status(503), .text("finally"))
        let result = try await lab.run("post", lab.url("/text"), "--json", "1", "--retry", "2", "--fail")
        #expect(result.termination == .exited(22) && lab.server.requestCount == 1)
    }

    @Test(arguments: [true, false]) func theSecondGetIsAnsweredByTheCache(inGivenFolder: Bool) async throws {
        lab.server.on("/fresh", .text("stored").header("Cache-Control", "max-age=600"))
        let option = inGivenFolder ? "--cache=\(lab.path("responses"))" : "--cache"
        for note in ["cache: miss (uri-miss)", "cache: hit"] {
            let result = try await lab.run("get", lab.url("/fresh"), option, "--verbose", "--waterfall")
            #expect(result.text == "stored" && result.errorText.contains(note), "\(result.errorText)")
            #expect(result.errorText.contains("answered by the cache") == (note == "cache: hit"))
        }
        #expect(lab.server.requestCount == 1)
        #expect(try lab.names == (inGivenFolder ? ["responses"] : []))
    }

    @Test func theWaterfallHasTheSteps() async throws {
        let result = try await lab.run("get", lab.url("/bytes"), "--waterfall")
        #expect(result.output == Self.bytes)
        for step in ["connect", "first byte", "transfer", "ms", "█", "200", "300000 bytes"] {
            #expect(result.errorText.contains(step), "\(step): \(result.errorText)")
        }
    }

    /// A recording is worth most if the call failed.
    @Test func aFailedCallIsRecordedToo() async throws {
        lab.server.on("/cut", .fault(.close(.beforeResponse)))
        let result = try await lab.run("get", lab.url("/cut"), "--har", lab.path("a.har"))
        #expect(result.termination == .exited(52))
        #expect(try HTTPArchive(contentsOf: lab.directory.file("a.har")).log.entries.count == 1)
    }

    /// Python gives it a terminal.
    @Test(.requires(.python3)) func jsonIsIndentedOnATerminal() async throws {
        let script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
        let result = try await ProcessRunner.run(
            "python3", ["-c", script, lab.program, "get", lab.url("/json")], environment: lab.environment)
        let text = result.text.replacingOccurrences(of: "\r", with: "")
        #expect(text == "{\n  \"id\": 1.10,\n  \"tags\": [],\n  \"name\": \"a{\\\"b\"\n}\n")
    }
}
