#if canImport(Combine)
    public import Combine
    public import NetCore

    /// What has become of a request, for SwiftUI on iOS 15 and 16, macOS 12 and 13: ``RequestState`` as an `ObservableObject`.
    ///
    /// ```
    /// @StateObject private var state = RequestStateObject { try await client.request(GetUserEndpoint(id: "123")) }
    /// ```
    ///
    /// `.task { await state.load() }` loads when the view appears and stops when it goes away, `.refreshable { await state.load() }` loads
    /// again. While it loads again, and when that fails, the value of before stays.
    @MainActor
    public final class RequestStateObject<Value>: ObservableObject, RequestFace {
        /// The newest answer; nil if there was none yet.
        @Published public internal(set) var value: Value?

        /// Why the newest load failed; nil if it did not, and while the next one is running. Stopping a load is no failure.
        @Published public internal(set) var failure: NetworkFailure?

        /// Whether a load is running.
        @Published public internal(set) var isLoading = false

        private let request: RequestLoad<Value>

        /// A state without an answer: nothing is loaded yet.
        ///
        /// - Parameters:
        ///   - value: what to show before the first answer, such as what was stored.
        ///   - operation: gives the answer, each time that it is loaded. It starts on the main actor; a request does not run there.
        public init(_ value: Value? = nil, load operation: @escaping @MainActor () async throws -> Value) {
            request = RequestLoad(operation)
            self.value = value
        }

        /// Loads, and returns when that has ended. A load that is running already is stopped. Cancelling the task that waits stops it too.
        public func load() async { await request.run(for: self) }

        /// Stops the load that is running, if there is one.
        public func cancel() { request.cancel() }
    }
#endif
