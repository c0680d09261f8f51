import NetTesting
import Networking
import TestLab
import Testing

/// The exit statuses: those of the table, and those of the curl that is installed.
@Suite("quickstart exit statuses", .timeLimit(.minutes(5)), .startsProcesses)
struct CommandExitTests {
    /// A failure: how to cause it, the status, and how to ask curl for the same.
    struct Failure: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int32
        /// The URL, or the answer of the server.
        var url: String?
        var response: MockResponse?
        var options: [String] = []
        var curlOptions: [String] = []
        var isTLS = false

        var testDescription: String { name }
    }

    static let failures = [
        Failure(name: "a malformed URL", status: 3, url: "http://a b/"),
        Failure(name: "no host", status: 3, url: "http://"),
        Failure(name: "a scheme that is not of the web", status: 1, url: "gropher://127.0.0.1/"),
        Failure(name: "an unknown host", status: 6, url: "http://no-such-host.invalid/"),
        Failure(name: "an error status", status: 22, response: .notFound, options: ["--fail"], curlOptions: ["--fail"]),
        Failure(name: "an error status without --fail", status: 0, response: .status(500)),
        Failure(
            name: "a silent server", status: 28, response: .text("late").delayed(by: 60),
            options: ["--timeout", "0.5"],
            curlOptions: ["--max-time", "0.5"]),
        Failure(
            name: "a redirect to itself", status: 47, response: .redirect(to: "/x"),
            curlOptions: ["--location", "--max-redirs", "20"]),
        Failure(name: "an empty reply", status: 52, response: .fault(.close(.beforeResponse))),
        Failure(name: "a reset", status: 56, response: .fault(.reset(.beforeResponse))),
        Failure(name: "a truncated body", status: 18, response: .bytes(count: 100_000).fault(.truncatedBody)),
        Failure(name: "a malformed chunk", status: 56, response: .bytes(count: 100_000).fault(.badChunkSize)),
        Failure(
            name: "a body that is not gzip", status: 61, response: .text("x").fault(.corruptGzip),
            curlOptions: ["--compressed"]),
        Failure(name: "plain HTTP where TLS is expected", status: 35, response: .text("x"), isTLS: true),
    ]

    private let lab: CommandLab

    init() throws {
        lab = try CommandLab()
    }

    private func url(of failure: Failure) -> String {
        if let response = failure.response { lab.server.on("/x", response) }
        let url = failure.url ?? lab.url("/x")
        return failure.isTLS ? url.replacingOccurrences(of: "http:", with: "https:") : url
    }

    @Test(arguments: failures) func statusOf(_ failure: Failure) async throws {
        let result = try await lab.run(["get", url(of: failure), "-o", "/dev/null"] + failure.options)
        #expect(result.termination == .exited(failure.status), "\(result.errorText)")
        #expect(failure.status == 0 ? result.errorText.isEmpty : result.errorText.contains("(\(failure.status))"))
    }

    @Test(.requires(.curl), arguments: failures) func curlHasTheSame(_ failure: Failure) async throws {
        let arguments = ["--silent", "--output", "/dev/null", "--noproxy", "*"] + failure.curlOptions
        let result = try await ProcessRunner.run("curl", arguments + [url(of: failure)])
        #expect(result.termination == .exited(failure.status))
    }

    @Test func aClosedPort() async throws {
        let url = "http://127.0.0.1:\(try freePort())/"
        #expect(try await lab.run("get", url).termination == .exited(7))
        #expect(try await lab.run("download", url, lab.path("file")).termination == .exited(7))
        #expect(try lab.names.isEmpty)
    }

    @Test(.requires(.openssl)) func anUntrustedCertificate() async throws {
        let lab = try CommandLab(certificate: await .make())
        let result = try await lab.run("get", lab.url("/"))
        #expect(result.termination == .exited(60), "\(result.errorText)")
    }

    @Test func localFilesThatCannotBeRead() async throws {
        for words in [["--json", "@\(lab.path("missing"))"], ["--form", "a=@\(lab.path("missing"))"]] {
            let result = try await lab.run(["post", lab.url("/")] + words)
            #expect(result.termination == .exited(26) && result.errorText.contains("missing"), "\(result.errorText)")
        }
        #expect(lab.server.requestCount == 0)
    }

    @Test func theMessageSaysTheReasonOnce() async throws {
        let result = try await lab.run("get", "http://no-such-host.invalid/")
        let sentence = try #require(result.errorText.split(separator: "\n").first)
        #expect(sentence.components(separatedBy: "could not be found").count <= 2, "\(sentence)")
        #expect(sentence.contains("no-such-host.invalid"))
    }
}

/// The command line: `--help`, and what is refused before anything is sent.
@Suite("quickstart command line", .timeLimit(.minutes(5)), .startsProcesses)
struct CommandLineTests {
    private let lab: CommandLab

    init() throws {
        lab = try CommandLab()
    }

    private static let common = [
        "--header 'NAME: VALUE'", "--query NAME=VALUE", "--timeout SECONDS", "--retry NUMBER", "--har FILE",
        "--waterfall", "--verbose", "--help",
    ]
    private static let body = ["--output FILE", "--include", "--fail", "--cache[=FOLDER]"]

    @Test(arguments: [
        ("get", common + body), ("post", common + body + ["--json TEXT", "--form NAME=VALUE"]), ("download", common),
    ])
    func helpNamesEveryOption(_ verb: String, options: [String]) async throws {
        let help = try await lab.run(verb, "--help")
        #expect(help.termination == .exited(0) && help.errorText.isEmpty)
        for option in options { #expect(help.text.contains(option)) }
        let listed = help.text.split(separator: "\n").compactMap { line in
            line.hasPrefix("  ") ? line.split(separator: " ").first { $0.hasPrefix("--") } : nil
        }
        #expect(listed.count == options.count, "\(listed)")
        for words in [["help", verb], [verb, "-h"], [verb, "http://127.0.0.1/", "--help"]] {
            #expect(try await lab.run(words).text == help.text)
        }
    }

    @Test func theOverview() async throws {
        let help = try await lab.run("--help")
        #expect(help.termination == .exited(0))
        for text in ["quickstart get URL", "quickstart post URL", "quickstart download URL [FILE]", "  47   "] {
            #expect(help.text.contains(text))
        }
        for words in ["help", "-h"] { #expect(try await lab.run(words).text == help.text) }
    }

    @Test(arguments: [
        (["got", "URL"], "Did you mean get?"), (["help", "dowload"], "Did you mean download?"),
        (["get", "URL", "--heder", "a: b"], "'--heder'. Did you mean --header?"),
        (["get", "URL", "--jason={}"], "'--jason'."), (["get", "URL", "--xylophone"], "'--xylophone'. See"),
        (["get", "URL", "--json", "{}"], "--json is an option of post"), (["get"], "usage: quickstart get URL"),
        (["download", "URL", "file", "another"], "usage: quickstart download URL [FILE]"),
        (["get", "URL", "--retry"], "--retry needs a value: NUMBER"), (["get", "URL", "--retry", "many"], "'many'"),
        (["get", "URL", "--retry", "-1"], "'-1'"), (["get", "URL", "--timeout", "nan"], "'nan'"),
        (["get", "URL", "--fail=yes"], "--fail takes no value"), (["get", "URL", "--query", "x"], "NAME=VALUE"),
        (["get", "URL", "-H", "no colon"], "--header takes"), (["get", "URL", "-H", "A: b\r\nC: d"], "--header takes"),
        (["post", "URL", "--json", "1", "--form", "a=b"], "either --json or --form"),
        (["get", "URL", "--har", "-"], "would mix"), (["download", "URL", "-", "--har", "/dev/stdout"], "would mix"),
    ])
    func whatIsRefused(_ words: [String], message: String) async throws {
        let result = try await lab.run(words.map { $0 == "URL" ? lab.url("/") : $0 })
        #expect(result.termination == .exited(2) && result.output.isEmpty)
        #expect(result.errorText.contains(message), "\(result.errorText)")
        #expect(lab.server.requestCount == 0)
    }

    @Test func wordsAfterTwoDashesAreNotOptions() async throws {
        lab.server.on("/", .text("hello"))
        #expect(try await lab.run("get", "--fail", "--", lab.url("/")).text == "hello")
        #expect(try await lab.run("get", "--", "--fail").termination == .exited(3))
    }
}
