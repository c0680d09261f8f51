import NetClient
import NetTesting
import TestLab
import Testing

/// Many requests that get a 401 at the same time, in processes of their own: thousands of tasks would delay all tests.
@Suite struct RefreshStormTests {
    private let tokens = NumberedTokens()
    private let server = TokenServer()

    private func storm(_ count: Int, _ send: @escaping @Sendable (Int) async throws -> Int) async throws -> [Int: Int] {
        try await atOnce(count, send).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func thousandRequestsRefreshOnceOverSockets() async {
            await #expect(processExitsWith: .success) { try await RefreshStormTests().refreshOnceOverSockets() }
        }

        @Test(.ownProcess) func cancellationsDoNotAffectOtherRequests() async {
            await #expect(processExitsWith: .success) { try await RefreshStormTests().cancelAThird() }
        }

        @Test(.ownProcess) func tokensThatChangeOftenReachAllRequests() async {
            await #expect(processExitsWith: .success) { try await RefreshStormTests().changeTokens() }
        }
    #endif

    /// The server counts the refreshes, which the same client sends.
    private func refreshOnceOverSockets() async throws {
        let issued = Locked<UInt64>(0)
        let server = try MockServer { request in
            if request.path == "/token" { return .text("token-\(issued.next())") }
            return request.headers["Authorization"] == "Bearer token-1" ? .text("welcome") : .status(401)
        }
        let holder = Locked<NetworkClient?>(nil)
        let token = Locked("none")
        let url = server.url("/token")
        let auth = AuthInterceptor(
            tokenProvider: { token.withLock { $0 } },
            onUnauthorized: {
                let client = try #require(holder.withLock { $0 })
                let text = String(decoding: try await client.data(for: URLRequest(url: url)).data, as: UTF8.self)
                token.withLock { $0 = text }
            })
        let client = NetworkClient(interceptors: [auth])
        holder.withLock { $0 = client }
        let pages = (0..<10).map { server.url("/page/\($0)") }
        let statuses = try await storm(1_000) { index in
            var request = URLRequest(url: pages[index % 10])
            request.httpMethod = index % 2 == 0 ? "GET" : "POST"
            return try await client.response(for: request, body: index % 2 == 0 ? nil : HTTPBody("x")).status
        }
        #expect(statuses == [200: 1_000] && issued.withLock { $0 } == 1)
        #expect(server.requests.count { $0.path == "/token" } == 1 && server.protocolErrors.isEmpty)
        holder.withLock { $0 = nil }
        await client.shutdown()
        await server.stop()
    }

    private func cancelAThird() async throws {
        let tokens = NumberedTokens { for _ in 0..<20 { await Task.yield() } }
        let transport = server.transport {
            await Task.yield()
            try Task.checkCancellation()
        }
        let client = NetworkClient(interceptors: [AuthInterceptor(provider: tokens)], transport: transport)
        let outcomes = await withTaskGroup(of: String.self) { group in
            for index in 0..<900 {
                let task = Task { try await client.response(for: request()).status }
                if index % 3 == 0 {
                    group.addTask {
                        for _ in 0..<(index % 40) { await Task.yield() }
                        task.cancel()
                        return "canceller"
                    }
                }
                group.addTask {
                    switch await task.result {
                    case .success(let status): return "\(status)"
                    case .failure(let error): return (error as? NetworkFailure)?.code ?? "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes["200", default: 0] >= 600)
        #expect(outcomes["200", default: 0] + outcomes["cancelled", default: 0] == 900 && tokens.refreshes == 1)
    }

    private func changeTokens() async throws {
        let transport = server.transport { await Task.yield() }
        let client = NetworkClient(interceptors: [AuthInterceptor(provider: tokens)], transport: transport)
        for round in 1...20 {
            server.state.withLock { $0.accepted = "Bearer \(round)" }
            let statuses = try await storm(50) { _ in try await client.response(for: request()).status }
            #expect(statuses == [200: 50] && tokens.refreshes == round)
        }
    }
}
