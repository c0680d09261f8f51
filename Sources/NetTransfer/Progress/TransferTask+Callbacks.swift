import NetCore

// Progress and result of a transfer, for the call styles of uploads and downloads.
extension TransferTask {
    /// Calls back on a queue: with each fraction, and then once with the response.
    func call<Body: Sendable>(
        back completion: @escaping @Sendable (NetworkResponse<Body>) -> Void, on queue: DispatchQueue,
        _ stream: AsyncStream<TransferProgress>, progress: (@Sendable (Double) -> Void)?
    ) where Value == NetworkResponse<Body> {
        Task {
            if let progress {
                for await fraction in stream.compactMap(\.fractionCompleted) {
                    // Waiting keeps calls from piling up on a slow queue.
                    await queue.run { progress(fraction) }
                }
            }
            let response = await response()
            queue.async { completion(response) }
        }
    }

    /// Calls back on the main actor: with each fraction, and then once with the response.
    func call<Body: Sendable>(
        backOnMain completion: @escaping @MainActor @Sendable (NetworkResponse<Body>) -> Void,
        _ stream: AsyncStream<TransferProgress>, progress: (@MainActor @Sendable (Double) -> Void)?
    ) where Value == NetworkResponse<Body> {
        let onMain: (@Sendable (Double) -> Void)? = progress.map { progress in
            { @Sendable fraction in MainActor.assumeIsolated { progress(fraction) } }
        }
        call(
            back: { response in MainActor.assumeIsolated { completion(response) } }, on: .main, stream, progress: onMain
        )
    }

    /// Returns the response. Cancelling the task that waits stops the transfer.
    ///
    /// - Parameter progress: called with each fraction, and not after the return.
    func response<Body: Sendable>(
        _ stream: AsyncStream<TransferProgress>, progress: (@Sendable (Double) async -> Void)?
    ) async -> NetworkResponse<Body> where Value == NetworkResponse<Body> {
        await withTaskCancellationHandler {
            let watcher = progress.map { progress in
                Task {
                    for await fraction in stream.compactMap(\.fractionCompleted) { await progress(fraction) }
                }
            }
            let response = await response()
            await watcher?.value
            return response
        } onCancel: {
            cancel()
        }
    }

    /// Returns the response when the transfer has ended.
    func response<Body: Sendable>() async -> NetworkResponse<Body> where Value == NetworkResponse<Body> {
        switch await outcome {
        case .success(let response): response
        case .failure(let failure): NetworkResponse(failure)
        }
    }
}

extension NetworkResponse {
    /// Creates the response of a transfer that has failed.
    init(_ failure: NetworkFailure) {
        self.init(request: nil, response: nil, data: nil, result: .failure(failure.cause), failure: failure)
    }
}

extension TransferTask {
    /// Calls back on the main actor, with a value that is made there.
    @MainActor
    func call<Body>(
        back completion: @escaping @MainActor (NetworkResponse<Body>) -> Void, _ stream: AsyncStream<TransferProgress>,
        progress: (@MainActor @Sendable (Double) -> Void)?
    ) where Value == NetworkResponse<Body> {
        Task { @MainActor in
            if let progress {
                for await fraction in stream.compactMap(\.fractionCompleted) { progress(fraction) }
            }
            do throws(NetworkFailure) {
                completion(try await value)
            } catch {
                completion(NetworkResponse(error))
            }
        }
    }
}

extension DispatchQueue {
    fileprivate func run(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            async {
                work()
                continuation.resume()
            }
        }
    }
}
