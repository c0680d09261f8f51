import NetLogging
import TestLab
import Testing

@Suite("CURLCommand") struct CURLCommandTests {
    private func plain(_ request: URLRequest) -> String { CURLCommand(request: request, sanitization: .none).text }

    @Test func looksAsPeopleWriteIt() throws {
        let post = try URLRequest(
            "https://example.com/users?page=2", method: "POST",
            headers: ["Content-Type": "application/json", "Authorization": "Bearer t"],
            body: Data(#"{"name":"O'Brien"}"#.utf8))
        #expect(
            plain(post) == #"""
                curl -X POST -H 'Authorization: Bearer t' -H 'Content-Type: application/json' --data-binary '{"name":"O'\''Brien"}' 'https://example.com/users?page=2'
                """#)
        #expect(
            "\(CURLCommand(request: post))" == #"""
                curl -X POST -H 'Authorization: [REDACTED]' -H 'Content-Type: application/json' --data-binary '{"name":"O'\''Brien"}' 'https://example.com/users?page=2'
                """#)
        #expect(CURLCommand(request: try URLRequest("https://example.com/")).text == "curl https://example.com/")
        #expect(CURLCommand(request: try URLRequest(method: "HEAD")).text == "curl --head https://example.com/")
        #expect(CURLCommand(request: try URLRequest(method: "DELETE")).text == "curl -X DELETE https://example.com/")
    }

    @Test func unixSockets() throws {
        #expect(
            CURLCommand(request: try URLRequest("http+unix://%2Frun%2Fmy%20app.sock/v1?token=s3cr3t")).text
                == "curl --unix-socket '/run/my app.sock' --globoff 'http://localhost/v1?token=[REDACTED]'")
        #expect(
            CURLCommand(request: try URLRequest("HTTP+UNIX://%2Fa")).text == "curl --unix-socket /a http://localhost")
    }

    /// Text of all kinds, all bytes, and what curl or a shell would take for something else.
    private static let bodies: [Data] =
        [
            "", "plain", "it's", "''", "'", #"a\b"#, #"\n\0\x41"#, "$HOME `id` $(id) \"q\" !! * ? [a-z] ~ # ; & | < >",
            "two\nlines", "\n", "ends\n", "a\r\nb\r\n", "tab\there", "@/etc/passwd", "@-", "-n", "-e x", "--help",
            "%s%d%%", "Grüße 你好 🎉", "\u{FEFF}with a mark", "a\u{0}b", "\u{0}", "\u{1B}[31mred", "\u{7F}", "x\u{85}y",
            "a\u{2028}b", "\u{1}23", "\u{0}1\u{0}7", "'%'\\'\n'-", "]]>", " leading and trailing ", "e\u{301}",
        ].map { Data($0.utf8) } + [
            Data(0...255), Data((0...255).reversed()), Data([0xFF, 0xFE]), Data([0xC3, 0x28]), Data("-".utf8) + [0xFF],
            Data(repeating: UInt8(ascii: "x"), count: 300_000), Data(repeating: 0xAB, count: 100_000),
        ]

    @Test(arguments: FakeCurl.shells) func everyByteOfABodyArrives(shell: String) async throws {
        var bodies = Self.bodies + (UInt8.min...UInt8.max).map { Data([$0]) }
        var generator = SeededGenerator(state: 42)
        for _ in 0..<100 {
            let count = Int.random(in: 0..<40, using: &generator)
            let alphabet = Array("'\"\\%$-@\n\t 0a7\u{0}".utf8) + [0xC3, 0xA4, 0xFF]
            bodies.append(Data((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }))
        }
        let commands = try bodies.map { plain(try URLRequest(method: "POST", body: $0)) }
        let calls = try await FakeCurl.run(commands, shell: shell)
        for (body, call) in zip(bodies, calls) {
            let shown = "\(body.prefix(60).map { String($0, radix: 16) })"
            let argument = try #require(call.values(of: "--data-binary").first, "\(shown)")
            #expect(call.values(of: "--data-binary").count == 1)
            #expect((argument == "@-" ? call.input : Data(argument.utf8)) == body, "\(shown)")
            #expect(argument == "@-" || argument.first != "@", "curl would read a file")
            #expect(argument.utf8.count < 128 * 1024, "Linux takes no longer argument")
        }
        for command in commands { #expect(!command.contains { $0.isNewline }) }
    }

    @Test(arguments: FakeCurl.shells) func addressMethodAndHeadersArrive(shell: String) async throws {
        let values = [
            "it's", "$HOME `id` \"x\" \\ !", "ünïcode", "a'b'c''", "; rm -rf /", "two  spaces", "tab\tinside", "", " ",
            "@file",
        ]
        let urls = [
            "https://example.com/a?b=c&d='e'#f", "https://example.com/$HOME/$(id)?q=!!", "http://[::1]:8080/",
            "https://e.com/~a",
            "https://example.com/a/../b", "https://example.com/%7B%7D;x", "https://example.com/a/.", "-d",
        ]
        let methods = ["PROPFIND", "M'X", "-o", "A$B"]
        var requests = try values.map { try URLRequest(headers: ["X-Value": $0]) }
        requests += try urls.map { try URLRequest($0) } + methods.map { try URLRequest(method: $0) }
        let calls = try await FakeCurl.run(requests.map(plain), shell: shell)
        for (value, call) in zip(values, calls) {
            let trimmed = value.trimmingCharacters(in: .whitespaces)
            #expect(call.values(of: "-H") == [trimmed.isEmpty ? "X-Value;" : "X-Value: \(value)"])
        }
        for (url, call) in zip(urls, calls.dropFirst(values.count)) {
            #expect(call.arguments.last == URL(string: url)?.absoluteString)
            #expect(call.arguments.contains("--globoff") == url.contains("["))
            #expect(call.arguments.contains("--path-as-is") == (url.contains("/../") || url.hasSuffix("/.")))
            #expect(call.arguments.contains("--url") == (url == "-d"))
        }
        #expect(calls.suffix(4).map { $0.values(of: "-X") } == methods.map { [$0] })
    }

    @Test func forbiddenFieldAndContentLengthOfAnOmittedBodyAreOmitted() throws {
        let odd = try URLRequest(method: "A B", headers: ["X-Split": "a\r\nX-Injected: b", "X-Fine": "c"])
        #expect(plain(odd) == "curl -H 'X-Fine: c' https://example.com/")
        let post = try URLRequest(method: "POST", headers: ["Content-Length": "3"], body: Data("abc".utf8))
        #expect(!CURLCommand(request: post).text.contains("Content-Length"))
        #expect(plain(post).contains("-H 'Content-Length: 3'"))
    }

    @Test func curlAddsNoContentTypeOfItsOwn() throws {
        let bare = plain(try URLRequest(method: "PUT", body: Data("x".utf8)))
        #expect(bare == "curl -X PUT -H Content-Type: --data-binary x https://example.com/")
        let typed = try URLRequest(method: "PUT", headers: ["content-type": "a/b"], body: Data("x".utf8))
        #expect(plain(typed).contains("-H 'content-type: a/b' --data-binary"))
    }

    @Test func compressedResponsesAreDecoded() throws {
        let text = CURLCommand(request: try URLRequest(headers: ["Accept-Encoding": "gzip"])).text
        #expect(text == "curl -H 'Accept-Encoding: gzip' --compressed https://example.com/")
    }

    @Test func bodiesFromFilesAndStreams() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("it's a file")
        try Data("content".utf8).write(to: file)
        let put = try URLRequest(method: "PUT")
        let whole = CURLCommand(request: put, body: try HTTPBody(file: file))
        let part = CURLCommand(
            request: put,
            body: HTTPBody(
                source: .file(FileSegment(url: file, offset: 2, length: 3)), length: 3, isReplayable: true))
        let stream = CURLCommand(request: put, body: HTTPBody(pulling: { nil }))
        let calls = try await FakeCurl.run([whole.text, part.text, stream.text])
        #expect(calls.map { $0.values(of: "--data-binary") } == [["@" + file.path], ["@-"], ["@-"]])
        #expect((calls[1].input, calls[2].input) == (Data("nte".utf8), Data()), "nothing is piped in")
    }

    @Test func separateBodyReplacesHTTPBody() throws {
        let post = try URLRequest(method: "POST", body: Data("inside".utf8))
        let text = CURLCommand(request: post, body: HTTPBody("beside"), sanitization: .none).text
        #expect(text.contains("beside") && !text.contains("inside"))
    }

    @Test(arguments: FakeCurl.shells) func redactedCommandIsValidShell(shell: String) async throws {
        let commands = try SecretCorpus.cases().map { CURLCommand(request: $0.request, body: $0.body).text }
        let calls = try await FakeCurl.run(commands, shell: shell)
        for call in calls { #expect(call.arguments.last?.hasPrefix("https://a") == true) }
    }
}

/// Runs shell commands with a `curl` of ours, which keeps its arguments and its standard input.
struct FakeCurl {
    struct Call: Equatable {
        var arguments: [String]
        /// What was read from standard input, if the arguments asked for it.
        var input: Data?
        /// The values of an option that takes one.
        func values(of option: String) -> [String] {
            arguments.indices.filter { arguments[$0] == option && $0 + 1 < arguments.count }.map { arguments[$0 + 1] }
        }
    }

    /// The shells to try: what `/bin/sh` is differs, and people paste into bash.
    static let shells = ["/bin/sh", "/bin/bash"].filter { FileManager.default.isExecutableFile(atPath: $0) }

    /// A function and no file: a file that was just written cannot be run while some other test is forking.
    private static let definition = """
        curl() {
            for argument in "$@"; do printf '%s\\0' "$argument"; done > "$CURL_CALL.arguments"
            case " $* " in *" @- "*) cat > "$CURL_CALL.input" ;; esac
        }

        """

    /// Runs the commands in one shell, and gives what curl was called with by each.
    static func run(_ commands: [String], shell: String = "/bin/sh") async throws -> [Call] {
        let folder = try TemporaryDirectory()
        var lines = definition
        for (number, command) in commands.enumerated() {
            lines += "CURL_CALL='\(folder.url.path)/\(number)'\n\(command)\n"
        }
        let file = folder.file("commands.sh")
        try Data(lines.utf8).write(to: file)
        // Not by Foundation's `Process`, which on Linux crashes now and then when several start at the same time.
        let inFolder = ["-c", "cd \"$0\" && exec \"$@\"", folder.url.path, shell, file.path]
        #expect(try await ProcessRunner.run("/bin/sh", inFolder).termination == .exited(0))
        return try commands.indices.map { number in
            let arguments = try Data(contentsOf: folder.file("\(number).arguments"))
            let input = folder.file("\(number).input")
            return Call(
                arguments: arguments.split(separator: 0, omittingEmptySubsequences: false).dropLast()
                    .map { String(decoding: $0, as: UTF8.self) },
                input: FileManager.default.fileExists(atPath: input.path) ? try Data(contentsOf: input) : nil)
        }
    }
}
