import NetCore

extension TransportResponse {
    /// Returns the failure of a status that is not accepted, with the start of the body. It reads the body.
    func refusal(_ clock: any NetworkClock, upTo limit: Int = HTTPBody.errorLimit) async -> NetworkFailure {
        do {
            let data = try await body.prefix(upTo: limit)
            return NetworkFailure(response: self, data: data, timestamp: clock.now)
        } catch is CancellationError {
            return NetworkFailure(cause: .cancelled, timestamp: clock.now)
        } catch {
            return NetworkFailure(response: self, data: nil, timestamp: clock.now)
        }
    }
}
