import NetCache
import NetClient
import NetTesting
import TestLab
import Testing

/// A response for one user must not reach another, even if an interceptor adds the credentials.
@Suite struct HiddenCredentialsTests {
    private let user = Locked("ann")
    private let isOpen = Locked(false)
    private let coalescer = RequestCoalescer()

    /// A client that adds the credentials of the current user. Its transport answers with them, after it is opened.
    private func client(
        _ coalescer: RequestCoalescer, field: String = "Authorization"
    ) -> (client: NetworkClient, transport: StubTransport) {
        let transport = StubTransport { [isOpen] request, _, _ in
            try await waitUntil("it is opened") { isOpen.withLock { $0 } ? () : nil }
            return answer(200, request.value(forHTTPHeaderField: field) ?? "none")
        }
        let signIn = Before { [user] request, _ in request.setValue(user.withLock { $0 }, forHTTPHeaderField: field) }
        let client = NetworkClient(interceptors: [signIn], transport: transport, callInterceptors: [coalescer])
        return (client, transport)
    }

    /// Ann's call begins, Bob signs in and asks for the same.
    private func answers(
        _ client: NetworkClient, _ transport: StubTransport, _ coalescer: RequestCoalescer,
        partitions: [String?] = [nil, nil]
    ) async throws -> [String] {
        let count = transport.exchanges.count
        user.withLock { $0 = "ann" }
        isOpen.withLock { $0 = false }
        var tasks: [Task<Data?, any Error>] = []
        for (index, name) in ["ann", "bob"].enumerated() {
            user.withLock { $0 = name }
            let request = try request()
            let context = RequestContext.with { $0.partition = partitions[index] }
            tasks.append(Task { try await client.response(for: request, context: context).body.data })
            try await waitUntil("it waits") { coalescer.waitingCount == index + 1 ? () : nil }
            try await waitUntil("Ann's is sent") { transport.exchanges.count > count ? () : nil }
        }
        isOpen.withLock { $0 = true }
        var answers: [String] = []
        for task in tasks { answers.append(String(decoding: try await task.value ?? Data(), as: UTF8.self)) }
        return answers
    }

    @Test(arguments: ["Authorization", "Cookie", "X-API-Key", "X-Tenant"])
    func callsOfDifferentUsersAreNotShared(field: String) async throws {
        let (client, transport) = client(coalescer, field: field)
        #expect(try await answers(client, transport, coalescer) == ["ann", "bob"] && transport.exchanges.count == 2)
        // Later calls do not wait for each other.
        isOpen.withLock { $0 = false }
        let request = try request()
        let tasks = (0..<5).map { _ in Task { try await client.response(for: request) as TransportResponse } }
        try await waitUntil("all are sent") { transport.exchanges.count == 7 ? () : nil }
        #expect(coalescer.waitingCount == 0)
        isOpen.withLock { $0 = true }
        for task in tasks { _ = try await task.value }
    }

    @Test func callsOfOnePartitionAreShared() async throws {
        let (client, transport) = client(coalescer)
        _ = try await answers(client, transport, coalescer, partitions: ["ann", "ann"])
        #expect(transport.exchanges.count == 1)
        _ = try await answers(client, transport, coalescer, partitions: ["ann", "bob"])
        #expect(transport.exchanges.count == 3)
    }

    @Test func callsAreSharedWithSharesUnnamedCredentials() async throws {
        let coalescer = RequestCoalescer(sharesUnnamedCredentials: true)
        let (client, transport) = client(coalescer)
        _ = try await answers(client, transport, coalescer)
        #expect(transport.exchanges.count == 1)
    }

    @Test func callsWithHarmlessFieldsAreShared() async throws {
        let (client, transport) = client(coalescer, field: "User-Agent")
        #expect(try await answers(client, transport, coalescer).count == 2 && transport.exchanges.count == 1)
    }

    @Test func staleIfErrorResponseIsNotShared() async throws {
        let isLost = Locked(false)
        let transport = StubTransport { [isOpen] request, _, _ in
            let token = request.value(forHTTPHeaderField: "Authorization") ?? "nobody"
            if token == "Bearer ann", isLost.withLock({ $0 }) {
                try await waitUntil("it is let go") { isOpen.withLock { $0 } ? () : nil }
                throw lostConnection
            }
            return answer(200, token, headers: ["Cache-Control": "max-age=0, stale-if-error=600"])
        }
        let auth = AuthInterceptor(tokenProvider: { [user] in user.withLock { $0 } })
        let client = NetworkClient(
            interceptors: [auth], cache: ResponseCache(), transport: transport, callInterceptors: [coalescer])
        _ = try await client.response(for: request())
        isLost.withLock { $0 = true }
        #expect(try await answers(client, transport, coalescer) == ["Bearer ann", "Bearer bob"])
        #expect(transport.sent("Authorization") == ["Bearer ann", "Bearer ann", "Bearer bob"])
    }
}
