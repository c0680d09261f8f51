import NetCore

extension HTTPBody {
    /// What is read of a body that nobody wants, so that its connection can be used again; more is not worth the wait.
    private static let drainLimit = 64 * 1024

    /// Reads the body of a response that another one takes the place of.
    func drain() async throws {
        do {
            _ = try await prefix(upTo: Self.drainLimit)
        } catch {
            // Nobody wants this body: that it broke costs its connection and nothing else.
            try Task.checkCancellation()
        }
    }
}
