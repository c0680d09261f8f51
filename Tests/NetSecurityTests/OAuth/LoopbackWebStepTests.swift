import NetClient
import NetTesting
import TestLab
import Testing

@testable import NetSecurity

@Suite(.timeLimit(.minutes(5))) struct LoopbackWebStepTests {
    private let http = NetworkClient()

    private func get(_ url: String) async throws -> Int {
        try await http.send(URLRequest(url: try #require(URL(string: url)))).status
    }

    private func run(_ step: OAuthClient.WebStep) async throws -> URL { try await step.callback { $0 } }

    /// The callback of a sign-in whose page is the redirect URI.
    private func callback(
        path: String = "/callback", open: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL { try await run(.loopback(path: path, open: open)) }

    @Test func callbackURLIsReturned() async throws {
        let callback = try await callback { page async throws in
            #expect(try await get(page.absoluteString + "?code=1&x=%20") == 200)
        }
        #expect(callback.absoluteString.hasSuffix("/callback?code=1&x=%20") && callback.host == "127.0.0.1")
    }

    @Test func otherRequestsDoNotEndTheSignIn() async throws {
        let callback = try await callback(path: "back") { page async throws in
            let base = page.absoluteString
            #expect(base.hasSuffix("/back"))
            #expect(try await get(base.replacingOccurrences(of: "/back", with: "/favicon.ico")) == 404)
            #expect(try await get(base) == 404, "without a query it says nothing")
            #expect(try await get(base + "er?code=2") == 404)
            var post = URLRequest(url: try #require(URL(string: base + "?code=3")))
            post.httpMethod = "POST"
            #expect(try await (http.send(post, body: HTTPBody("x")).status, get(base + "?code=4")) == (404, 200))
        }
        #expect(callback.queryValue("code") == "4")
    }

    /// Browsers open connections in advance; others send garbage. Neither holds up the user.
    @Test func silentConnectionsDoNotBlockTheCallback() async throws {
        let callback = try await callback { page async throws in
            let port = try #require(page.port)
            let garbage = ["GET /callback?code=0", "\r\n\r\n", "\u{0}\u{1}", String(repeating: "x", count: 5000)]
            let silent = try (0..<40).map { _ in try connect(to: UInt16(port)) }
            for (index, handle) in silent.enumerated() where index % 5 > 0 {
                try? handle.write(contentsOf: Data(garbage[index % 5 - 1].utf8))
            }
            #expect(try await get(page.absoluteString + "?code=1") == 200)
            for handle in silent { try? handle.close() }
        }
        #expect(callback.queryValue("code") == "1")
    }

    /// A page or a program that guesses the port must not end the sign-in.
    @Test func wrongStateIsIgnored() async throws {
        let step = OAuthClient.WebStep.loopback { page async throws in
            let base = try #require(page.queryValue("redirect_uri"))
            let wrong = ["", "&state=", "&state=other", "&state=mine&state=mine", "&State=mine"]
            for query in wrong.map({ "code=evil\($0)" }) + ["error=access_denied&state=other"] {
                #expect(try await get("\(base)?\(query)") == 400, "\(query)")
            }
            #expect(try await get("\(base)?code=good&state=mine") == 200)
        }
        let page = "https://auth.example/?state=mine&redirect_uri="
        let callback = try await step.callback { try #require(URL(string: page + PercentEncoding.encode("\($0)"))) }
        #expect(callback.queryValue("code") == "good")
    }

    /// An attacker's host name can resolve to 127.0.0.1. The browser then sends that name in `Host`.
    @Test func callbackWithAnotherHostFieldIsRefused() async throws {
        let callback = try await callback { page async throws in
            let port = try #require(page.port)
            let hosts = ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost:\(port)", "127.0.0.1:\(port).evil"]
            let heads = hosts.map { "Host: \($0)\r\n" } + ["", "Host: 127.0.0.1:\(port)\r\nHost: evil.example\r\n"]
            for head in heads {
                let handle = try connect(to: UInt16(port))
                try handle.write(contentsOf: Data("GET /callback?code=evil HTTP/1.1\r\n\(head)\r\n".utf8))
                let answer = try #require(try handle.readToEnd())
                #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 421 "))
                try handle.close()
            }
            #expect(try await get(page.absoluteString + "?code=good") == 200)
        }
        #expect(callback.queryValue("code") == "good")
    }

    @Test func signInEndsAtItsTimeLimit() async throws {
        let clock = TestClock()
        let task = Task { try await run(OAuthClient.WebStep.loopback(timeLimit: 300, clock: clock) { _ in }) }
        try await clock.waitForSleepers()
        await clock.advance(by: 299)
        #expect(clock.sleeperCount == 1)
        await clock.advance(by: 1)
        await #expect(throws: OAuthError.timedOut) { try await task.value }
    }

    @Test func cancellingClosesTheListener() async throws {
        let opened = AsyncStream.makeStream(of: URL.self)
        let task = Task { try await run(OAuthClient.WebStep.loopback { opened.continuation.yield($0) }) }
        var iterator = opened.stream.makeAsyncIterator()
        let page = try #require(await iterator.next())
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        await #expect(throws: (any Error).self, "nobody listens any more") { try await get(page.absoluteString) }
    }

    @Test func failureToOpenThePageEndsTheSignIn() async throws {
        struct NoBrowser: Error {}
        await #expect(throws: NoBrowser.self) { try await run(OAuthClient.WebStep.loopback { _ in throw NoBrowser() }) }
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        /// In a process of its own: tests beside it open and close hundreds of files.
        @Test(.ownProcess) func listenerLeavesNoDescriptorsOpen() async {
            await #expect(processExitsWith: .success) {
                try await ResourceCensus.settle()
                let before = ResourceCensus()
                for _ in 0..<50 {
                    await #expect(throws: (any Error).self) {
                        try await LoopbackWebStepTests().run(
                            OAuthClient.WebStep.loopback { _ in throw CancellationError() })
                    }
                }
                // The thread that served lets go of its files a moment after it has said how it ended.
                try await waitUntil("each listener's files are closed") {
                    ResourceCensus().descriptors.count <= before.descriptors.count ? () : nil
                }
            }
        }
    #endif

    /// A command that shows the page may run until the browser is closed.
    @Test func signInEndsWhileTheBrowserCommandRuns() async throws {
        let hasEnded = Locked(false)
        let command = Task {
            try? await SystemClock().sleep(for: 120)
            hasEnded.withLock { $0 = true }
        }
        defer { command.cancel() }
        let callback = try await callback { page async throws in
            #expect(try await get(page.absoluteString + "?code=1") == 200)
            // This wait ignores the cancellation of its task.
            await command.value
        }
        #expect(callback.queryValue("code") == "1" && !hasEnded.withLock { $0 })
    }
}

private func connect(to port: UInt16) throws -> FileHandle {
    let number = socket(AF_INET, SocketConstant.stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard number >= 0, result == 0 else { throw LabError("connect: \(errno)") }
    return FileHandle(fileDescriptor: number, closeOnDealloc: true)
}
