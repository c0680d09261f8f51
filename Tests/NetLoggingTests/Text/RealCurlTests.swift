import NetLogging
import NetTesting
import NetTransfer
import TestLab
import Testing

/// The command, run by a shell with the real curl: the server gets what it gets from our own client, byte by byte.
@Suite("cURL, really", .requires(.curl)) struct RealCurlTests {
    /// What differs by nature.
    private static let ownFields: Set<String> = [
        "user-agent", "accept", "accept-encoding", "connection", "host", "content-length", "expect",
        "transfer-encoding",
    ]

    private struct Received: Equatable {
        let method: String
        let target: String
        let headers: [String: String]
        let body: Data

        init(_ request: RecordedRequest, given: Set<String>) {
            method = request.method.rawValue
            target = request.target
            let fields = request.headers.map { ($0.name.lowercased(), $0.value) }
                .filter { given.contains($0.0) || !ownFields.contains($0.0) }
            headers = Dictionary(fields) { $0 + "," + $1 }
            body = request.body
        }
    }

    /// Sends a request by our client, and the command that it becomes by curl.
    private func compare(
        _ request: URLRequest, body: HTTPBody? = nil, on server: MockServer, shell: String = "sh",
        in folder: TemporaryDirectory
    ) async throws {
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
        let result = try await ProcessRunner.run(shell, [script.path], environment: ["HOME": folder.url.path])
        #expect(result.termination == .exited(0), "\(command.prefix(2000)): \(result.errorText)")
        #expect(server.requests.count == count + 1, "\(command.prefix(2000))")
        let theirs = Received(try #require(server.requests.last), given: given)
        #expect(theirs == ours, "\(command.prefix(2000))")
    }

    private func withServer(_ body: (MockServer, TemporaryDirectory) async throws -> Void) async throws {
        let server = try MockServer { _ in .text("ok") }
        try await body(server, try TemporaryDirectory())
    }

    @Test(arguments: ["sh", "bash"])
    func bodiesOfEveryByte(shell: String) async throws {
        try await withServer { server, folder in
            let bodies =
                [
                    Data(0...255), Data("it's $HOME `id` \\n %s \"x\"".utf8), Data("@/etc/passwd".utf8),
                    Data("-n".utf8), Data("\n".utf8),
                    Data("a\r\nb\0c".utf8), Data("Grüße 🎉".utf8), Data(repeating: 0xFE, count: 200_000), Data(),
                ] + (0...255).map { Data([UInt8($0)]) }
            for data in bodies {
                var request = URLRequest(url: server.url("/body"))
                request.httpMethod = "POST"
                request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
                try await compare(request, body: HTTPBody(data), on: server, shell: shell, in: folder)
            }
        }
    }

    @Test func headersMethodsAndTargets() async throws {
        try await withServer { server, folder in
            for target in [
                "/a?b=c&d='e'", "/a/../b/./c", "/%7Bx%7D;y?q=%5B1-3%5D", "/[x]?{a,b}", "/$HOME/$(id)?q=!!", "/~a",
            ] {
                guard let url = URL(string: server.url.absoluteString + target) else { continue }
                try await compare(URLRequest(url: url), on: server, in: folder)
            }
            for method in ["DELETE", "PUT", "OPTIONS", "PROPFIND", "M!#$%&'*+.^_`|~X"] {
                var request = URLRequest(url: server.url("/"))
                request.httpMethod = method
                try await compare(request, on: server, in: folder)
            }
            for value in [
                "it's", "$HOME `id` \"x\" \\ !", "a'b''", "two  spaces", "tab\tinside", "", "@file", "ünïcode", ";",
                "a,b",
            ] {
                var request = URLRequest(url: server.url("/"))
                request.allHTTPHeaderFields = ["X-Value": value, "Accept": "application/json", "User-Agent": "mine/1"]
                try await compare(request, on: server, in: folder)
            }
        }
    }

    @Test func multipartFromMemoryAndFiles() async throws {
        try await withServer { server, folder in
            let file = folder.file("it's a file")
            try Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: file)
            for withFile in [false, true] {
                let form = MultipartFormData()
                form.append(value: "it's", name: "text")
                form.append(data: Data(0...255), name: "data", filename: "x.bin", mimeType: "application/octet-stream")
                if withFile { try form.append(fileURL: file, name: "file") }
                let (body, contentType) = (try form.makeBody(), form.contentType)
                var request = URLRequest(url: server.url("/form"))
                request.httpMethod = "POST"
                request.setValue(contentType, forHTTPHeaderField: "Content-Type")
                try await compare(request, body: body, on: server, in: folder)
                #expect(!CURLCommand(request: request, body: body).text.contains("it's"))
            }
        }
    }

    @Test func filesAndCompressedBodies() async throws {
        try await withServer { server, folder in
            let file = folder.file("data '1'.gz")
            let packed = try await ProcessRunner.run("gzip", ["-c"], input: Data(repeating: 7, count: 50_000)).checked()
                .output
            try packed.write(to: file)
            for body in [HTTPBody(packed), try HTTPBody(file: file)] {
                var request = URLRequest(url: server.url("/gz"))
                request.httpMethod = "PUT"
                request.allHTTPHeaderFields = [
                    "Content-Encoding": "gzip", "Accept-Encoding": "gzip, br", "Content-Type": "text/plain",
                ]
                try await compare(request, body: body, on: server, in: folder)
            }
        }
    }

    /// By default the command runs too, and sends the same but for the secrets.
    @Test func redactedCommandRuns() async throws {
        try await withServer { server, folder in
            for (type, body, sent) in [
                ("application/json", #"{"id":1,"password":"it's"}"#, #"{"id":1,"password":"[REDACTED]"}"#),
                ("application/x-www-form-urlencoded", "id=1&password=x", "id=1&password=[REDACTED]"),
                ("text/plain", "S3CR3T", "[REDACTED]"),
                (
                    "multipart/form-data; boundary=x",
                    "--x\r\nContent-Disposition: form-data; name=\"pw\"\r\n\r\nS3CR3T\r\n--x--\r\n",
                    "--x\r\nContent-Disposition: form-data; name=\"pw\"\r\n\r\n[REDACTED]\r\n--x--\r\n"
                ),
            ] {
                var request = URLRequest(url: server.url("/token/S3CR3T?key=S3CR3T"))
                request.httpMethod = "POST"
                request.allHTTPHeaderFields = ["Content-Type": type, "Authorization": "Bearer S3CR3T"]
                request.httpBody = Data(body.utf8)
                let command = CURLCommand(request: request).text
                #expect(!command.contains("S3CR3T"))
                try await ProcessRunner.run("sh", ["-c", command], environment: ["HOME": folder.url.path]).checked()
                let received = try #require(server.requests.last)
                #expect(received.bodyText == sent)
                #expect(received.headers["Authorization"] == "[REDACTED]")
            }
        }
    }
}
