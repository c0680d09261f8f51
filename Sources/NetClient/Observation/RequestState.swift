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
    public final class RequestState<Value> {
        /// The newest answer; nil if there was none yet.
        public private(set) var value: Value?

        /// Why the newest load failed; nil if it did not, and while the next one is running. Stopping a load is no failure.
        public private(set) var failure: NetworkFailure?

        /// Whether a load is running.
        public private(set) var isLoading = false

        @ObservationIgnored private let operation: @MainActor () async throws -> Value
        @ObservationIgnored private var task: Task<Void, Never>?
        /// Which load is the newest: an older one that ends later says nothing.
        @ObservationIgnored private var number = 0

        /// A state without an answer: nothing is loaded yet.
        ///
        /// - Parameters:
        ///   - value: what to show before the first answer, such as what was stored.
        ///   - operation: gives the answer, each time that it is loaded. It starts on the main actor; a request does not run there.
        public init(_ value: Value? = nil, load operation: @escaping @MainActor () async throws -> Value) {
            self.value = value
            self.operation = operation
        }

        deinit {
            task?.cancel()
        }

        /// Loads, and returns when that has ended. A load that is running already is stopped. Cancelling the task that waits stops it too.
        public func load() async {
            task?.cancel()
            number += 1
            let number = number
            isLoading = true
            failure = nil
            let task = Task { [weak self, operation] in
                let result: Result<Value, any Error>
                do { result = .success(try await operation()) } catch { result = .failure(error) }
                self?.finish(number, result)
            }
            self.task = task
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }

        /// Stops the load that is running, if there is one.
        public func cancel() {
            task?.cancel()
        }

        private func finish(_ number: Int, _ result: Result<Value, any Error>) {
            guard number == self.number else { return }
            isLoading = false
            task = nil
            switch result {
            case .success(let value): self.value = value
            case .failure(let error):
                let failure = NetworkFailure(wrapping: error, request: nil)
                if case .cancelled = failure.cause { return }
                self.failure = failure
            }
        }
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
