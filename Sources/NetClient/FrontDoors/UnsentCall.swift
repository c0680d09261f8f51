import NetCore

/// Whether a builder, or a copy of it, was sent. All copies share it; with the last of them it reports a call that never was.
final class UnsentCall: Sendable {
    private let client: NetworkClient
    private let lower: @Sendable (NetworkClient) throws -> RequestBuilder
    private let isSent = Locked(false)

    init(client: NetworkClient, lower: @escaping @Sendable (NetworkClient) throws -> RequestBuilder) {
        self.client = client
        self.lower = lower
    }

    /// Nothing is to be reported any more.
    func markSent() { isSent.withLock { $0 = true } }

    deinit {
        guard !isSent.withLock({ $0 }),
            let reporter = client.chain.interceptors.lazy.compactMap({ $0 as? any UnsentCallReporting }).first
        else { return }
        // Only now: putting the request together is the call's work, and most calls are sent.
        let request = try? lower(client).urlRequest()
        let call = request.map { RequestSnapshot($0).description } ?? "A call that cannot be built"
        reporter.reportUnsent(call, advice: "Call send(), response(), stream() or pages().")
    }
}
