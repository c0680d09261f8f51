import NetTesting
import Networking
import TestLab
import Testing

/// The exit statuses: those of the table, and those of the curl that is installed.
@Suite("quickstart exit statuses", .timeLimit(.minutes(5)), .startsProcesses) struct CommandExitTests {
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

    init() throws { lab = try CommandLab() }

    private func url(of failure: Failure) -> String {
        if let response = failure.response { lab.server.on("/x", response) }
        let url = failure.url ?? lab.url("/x")
        return failure.isTLS ? url.replacingOccurrences(of: "http:", with: "https:") : url
    }

    @Test(arguments: failures) func exitStatus(_ failure: Failure) async throws {
        let result = try await lab.run([url(of: failure), "-o", "/dev/null"] + failure.options)
        #expect(result.termination == .exited(failure.status), "\(result.errorText)")
        #expect(failure.status == 0 ? result.errorText.isEmpty : result.errorText.contains("(\(failure.status))"))
    }

    @Test(.requires(.curl), arguments: failures) func curlHasTheSameExitStatus(_ failure: Failure) async throws {
        let arguments = ["--silent", "--output", "/dev/null", "--noproxy", "*"] + failure.curlOptions
        let result = try await ProcessRunner.run("curl", arguments + [url(of: failure)])
        #expect(result.termination == .exited(failure.status))
    }

    @Test func refusedConnectionExitsWith7() async throws {
        #expect(try await lab.run("http://127.0.0.1:\(try freePort())/").termination == .exited(7))
    }

    @Test func unreadableBodyFileExitsWith26() async throws {
        let result = try await lab.run(lab.url("/"), "--json", "@\(lab.path("missing"))")
        #expect(result.termination == .exited(26) && result.errorText.contains("missing"), "\(result.errorText)")
        #expect(lab.server.requestCount == 0)
    }

    @Test func errorMessageNamesTheReasonOnce() async throws {
        let result = try await lab.run("http://no-such-host.invalid/")
        let sentence = try #require(result.errorText.split(separator: "\n").first)
        #expect(sentence.components(separatedBy: "could not be found").count <= 2, "\(sentence)")
        #expect(sentence.contains("no-such-host.invalid"))
    }
}

/// The command line: `--help`, and what is refused before anything is sent.
@Suite("quickstart command line", .timeLimit(.minutes(5)), .startsProcesses) struct CommandLineTests {
    private let lab: CommandLab

    init() throws { lab = try CommandLab() }

    @Test func helpListsTheOptions() async throws {
        let help = try await lab.run("--help")
        #expect(help.termination == .exited(0) && help.errorText.isEmpty)
        for text in [
            "quickstart [METHOD] URL", "--json TEXT", "-H, --header 'NAME: VALUE'", "-u, --user NAME:PASSWORD",
            "-k, --insecure", "--cacert FILE", "-o, --output FILE", "--har FILE", "-f, --fail", "-i, --include",
        ] { #expect(help.text.contains(text)) }
        for words in [["help"], ["-h"], [lab.url("/"), "--help"]] {
            #expect(try await lab.run(words).text == help.text)
        }
        #expect(lab.server.requestCount == 0)
    }

    @Test(arguments: [
        (["URL", "--heder", "a: b"], "'--heder'. See"), (["--fail"], "usage: quickstart [METHOD] URL"),
        (["get", "URL", "another"], "usage: quickstart [METHOD] URL"),
        (["URL", "-u"], "-u needs a value: NAME:PASSWORD"),
        (["URL", "-u", "sesame"], "--user takes NAME:PASSWORD"), (["URL", "--fail=yes"], "--fail takes no value"),
        (["URL", "-H", "no colon"], "--header takes"), (["URL", "-H", "A: b\r\nC: d"], "--header takes"),
        (["URL", "--json", "{a: 1}"], "is not JSON"), (["URL", "--har", "-"], "would mix"), (["a b", "URL"], "token"),
    ]) func invalidArgumentsExitWith2(_ words: [String], message: String) async throws {
        let result = try await lab.run(words.map { $0 == "URL" ? lab.url("/") : $0 })
        #expect(result.termination == .exited(2) && result.output.isEmpty)
        #expect(result.errorText.contains(message), "\(result.errorText)")
        #expect(!result.errorText.contains("sesame") && lab.server.requestCount == 0)
    }

    @Test func argumentsAfterTwoDashesAreNotOptions() async throws {
        lab.server.on("/", .text("hello"))
        #expect(try await lab.run("--fail", "--", lab.url("/")).text == "hello")
        #expect(try await lab.run("--", "--fail").termination == .exited(6))
    }
}
