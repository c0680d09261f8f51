import NetLogging
import NetTesting
import NetTransfer
import TestLab
import Testing

/// The command, run by a shell with the real curl: the server gets what it gets from our own client, byte by byte.
@Suite("cURL, really", .requires(.curl)) struct RealCurlTests {
    private let server: MockServer
    private let folder: TemporaryDirectory

    init() throws {
        server = try MockServer { _ in .text("ok") }
        folder = try TemporaryDirectory()
    }

    /// What differs by nature.
    private static let ownFields: Set<String> = [
        "user-agent", "accept", "accept-encoding", "connection", "host", "content-length", "expect",
        "transfer-encoding",
    ]

    private struct Received: Equatable {
        let method, target: String
        let headers: [String: String]
        let body: Data
        init(_ request: RecordedRequest, given: Set<String>) {
            (method, target, body) = (request.method.rawValue, request.target, request.body)
            let fields = request.headers.map { ($0.name.lowercased(), $0.value) }
                .filter { given.contains($0.0) || !ownFields.contains($0.0) }
            headers = Dictionary(fields) { $0 + "," + $1 }
        }
    }

    /// Sends a request by our client, and the command that it becomes by curl.
    private func compare(_ request: URLRequest, body: HTTPBody? = nil) async throws {
        let given = Set((request.allHTTPHeaderFields ?? [:]).keys.map { $0.lowercased() })
        let client = NetworkClient()
        _ = try await client.response(for: request, body: body)
        await client.shutdown()
        let ours = Received(try #require(server.requests.last), given: given)
        let command = CURLCommand(request: request, body: body, sanitization: .none).text
        // By a file: an argument of the shell has a limit.
        let script = folder.file("command.sh")
        try Data((command + "\n").utf8).write(to: script)
        let count = server.requests.count
        let result = try await ProcessRunner.run("sh", [script.path], environment: ["HOME": folder.url.path])
        #expect(result.termination == .exited(0), "\(command.prefix(2000)): \(result.errorText)")
        #expect(server.requests.count == count + 1, "\(command.prefix(2000))")
        let theirs = Received(try #require(server.requests.last), given: given)
        #expect(theirs == ours, "\(command.prefix(2000))")
    }

    @Test func headersMethodsAndTargets() async throws {
        for target in [
            "/a?b=c&d='e'", "/a/../b/./c", "/%7Bx%7D;y?q=%5B1-3%5D", "/[x]?{a,b}", "/$HOME/$(id)?q=!!", "/~a",
        ] {
            try await compare(URLRequest(server.url.absoluteString + target))
        }
        for method in ["DELETE", "PUT", "OPTIONS", "PROPFIND", "M!#$%&'*+.^_`|~X"] {
            try await compare(URLRequest(server.url("/"), method: method))
        }
        for value in [
            "it's", "$HOME `id` \"x\" \\ !", "a'b''", "two  spaces", "tab\tinside", "", "@file", "ünïcode", ";", "a,b",
        ] {
            let headers = ["X-Value": value, "Accept": "application/json", "User-Agent": "mine/1"]
            try await compare(URLRequest(server.url("/"), headers: headers))
        }
        let empty = URLRequest(server.url("/"), method: "POST", headers: ["Content-Type": "a/b"])
        try await compare(empty, body: HTTPBody(Data()))
    }

    @Test func multipartFromMemoryAndFiles() async throws {
        let file = folder.file("it's a file")
        try pattern(300_000).write(to: file)
        for withFile in [false, true] {
            let form = MultipartFormData()
            form.append(value: "it's", name: "text")
            form.append(data: Data(0...255), name: "data", filename: "x.bin", mimeType: "application/octet-stream")
            if withFile { try form.append(fileURL: file, name: "file") }
            let body = try form.makeBody()
            let request = URLRequest(
                server.url("/form"), method: "POST", headers: ["Content-Type": form.contentType])
            try await compare(request, body: body)
            #expect(!CURLCommand(request: request, body: body).text.contains("it's"))
        }
    }

    @Test func filesAndCompressedBodies() async throws {
        let file = folder.file("data '1'.gz")
        let whole = Data(repeating: 7, count: 50_000)
        let packed = try await ProcessRunner.run("gzip", ["-c"], input: whole).checked().output
        try packed.write(to: file)
        let headers = ["Content-Encoding": "gzip", "Accept-Encoding": "gzip, br", "Content-Type": "text/plain"]
        for body in [HTTPBody(packed), try HTTPBody(file: file)] {
            try await compare(URLRequest(server.url("/gz"), method: "PUT", headers: headers), body: body)
        }
    }

    /// By default the command runs too, and sends the same but for the secrets.
    @Test func redactedCommandRuns() async throws {
        let part = "--x\r\nContent-Disposition: form-data; name=\"pw\"\r\n\r\n*\r\n--x--\r\n"
        for (type, body, sent) in [
            ("application/json", #"{"id":1,"password":"it's"}"#, #"{"id":1,"password":"[REDACTED]"}"#),
            ("application/x-www-form-urlencoded", "id=1&password=x", "id=1&password=[REDACTED]"),
            ("text/plain", "S3CR3T", "[REDACTED]"),
            (
                "multipart/form-data; boundary=x", part.replacingOccurrences(of: "*", with: "S3CR3T"),
                part.replacingOccurrences(of: "*", with: "[REDACTED]")
            ),
        ] {
            let request = URLRequest(
                server.url("/token/S3CR3T?key=S3CR3T"), method: "POST",
                headers: ["Content-Type": type, "Authorization": "Bearer S3CR3T"], body: Data(body.utf8))
            let command = CURLCommand(request: request).text
            #expect(!command.contains("S3CR3T"))
            try await ProcessRunner.run("sh", ["-c", command], environment: ["HOME": folder.url.path]).checked()
            let received = try #require(server.requests.last)
            #expect((received.bodyText, received.headers["Authorization"]) == (sent, "[REDACTED]"))
        }
    }
}
