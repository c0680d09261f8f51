/// Why a request could not be built: the ``NetworkFailure/underlyingError`` of ``NetworkError/invalidRequest``.
public struct RequestBuildingError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// What is wrong and what to do, without secrets.
    public let message: String

    /// A reason.
    public init(_ message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
    /// The message.
    public var errorDescription: String? { message }
}
