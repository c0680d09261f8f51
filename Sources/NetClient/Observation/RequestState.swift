#if canImport(Observation)
    public import NetCore
    public import Observation

    /// What has become of a request, for user interfaces: a view that reads it is drawn again when it changes.
    ///
    /// ```swift
    /// let state = await RequestState { try await client.request(GetUserEndpoint(id: "123")).send() }
    /// await state.load()
    /// print(await state.value?.name ?? "no answer")
    /// ```
    ///
    /// In SwiftUI: `.task { await state.load() }` loads when the view appears and stops when it goes away, `.refreshable { await state.load() }`
    /// loads again. While it loads again, and when that fails, the value of before stays.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Observable
    public final class RequestState<Value>: RequestFace {
        /// The newest answer; nil if there was none yet.
        public internal(set) var value: Value?

        /// Why the newest load failed; nil if it did not, and while the next one is running. Stopping a load is no failure.
        public internal(set) var failure: NetworkFailure?

        /// Whether a load is running.
        public internal(set) var isLoading = false

        @ObservationIgnored private let request: RequestLoad<Value>

        /// A state without an answer: nothing is loaded yet.
        ///
        /// - Parameters:
        ///   - value: what to show before the first answer, such as what was stored.
        ///   - operation: gives the answer, each time that it is loaded. It starts on the main actor; a request does not run there.
        public init(_ value: Value? = nil, load operation: @escaping @MainActor () async throws -> Value) {
            self.value = value
            request = RequestLoad(operation)
        }

        /// Loads, and returns when that has ended. A load that is running already is stopped. Cancelling the task that waits stops it too.
        public func load() async { await request.run(for: self) }

        /// Stops the load that is running, if there is one.
        public func cancel() { request.cancel() }
    }

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    extension CallBuilder where Response: Decodable & Sendable {
        /// The call as an observable object for user interfaces; nothing is sent before ``RequestState/load()``.
        @MainActor
        public func state() -> RequestState<Response> {
            RequestState { try await send() }
        }
    }

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    extension CallBuilder where Response: Decodable {
        /// The call as an observable object for user interfaces, its answer decoded on the main actor.
        @MainActor
        public func state() -> RequestState<Response> {
            RequestState { try await send() }
        }
    }
#endif
