import NetCore

// Progress and result of a transfer, for the call styles of uploads and downloads.
extension TransferTask {
    /// Calls back on the main actor: with each fraction, and then once with the response, which may belong to it. Returns this task.
    func call<Body>(
        back completion: @escaping @MainActor (NetworkResponse<Body>) -> Void, _ stream: AsyncStream<TransferProgress>,
        progress: (@MainActor @Sendable (Double) -> Void)?
    ) -> TransferTask where Value == NetworkResponse<Body> {
        Task { @MainActor in
            if let progress { for await fraction in stream.compactMap(\.fractionCompleted) { progress(fraction) } }
            do throws(NetworkFailure) { completion(try await value) } catch { completion(NetworkResponse(error)) }
        }
        return self
    }

    /// Calls back on a queue: with each fraction, and then once with the response.
    func call<Body: Sendable>(
        back completion: @escaping @Sendable (NetworkResponse<Body>) -> Void, on queue: DispatchQueue,
        _ stream: AsyncStream<TransferProgress>, progress: (@Sendable (Double) -> Void)?
    ) -> TransferTask where Value == NetworkResponse<Body> {
        // Waiting keeps calls from piling up on a slow queue.
        let onQueue = progress.map { progress in { @Sendable fraction in await queue.run { progress(fraction) } } }
        Task {
            let response = await response(stream, progress: onQueue)
            queue.async { completion(response) }
        }
        return self
    }

    /// Returns the response. Cancelling the task that waits stops the transfer. `progress` is called with each fraction, not after the return.
    func response<Body: Sendable>(
        _ stream: AsyncStream<TransferProgress>, progress: (@Sendable (Double) async -> Void)?
    ) async -> NetworkResponse<Body> where Value == NetworkResponse<Body> {
        await withTaskCancellationHandler {
            let watcher = progress.map { progress in
                Task { for await fraction in stream.compactMap(\.fractionCompleted) { await progress(fraction) } }
            }
            let outcome = await outcome
            await watcher?.value
            return switch outcome {
            case .success(let response): response
            case .failure(let failure): NetworkResponse(failure)
            }
        } onCancel: {
            cancel()
        }
    }
}

extension NetworkResponse {
    init(_ failure: NetworkFailure) {
        self.init(request: nil, response: nil, data: nil, result: .failure(failure.cause), failure: failure)
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
