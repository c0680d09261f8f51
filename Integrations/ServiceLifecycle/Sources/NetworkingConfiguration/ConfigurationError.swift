public import Foundation

/// A key whose value cannot be used. Its description names the key and what is allowed. It never contains the value, which may be a secret.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The key, relative to the reader: `timeout.connect`.
    public let key: String
    /// The values that are allowed: "a number of seconds above 0".
    public let allowed: String
    /// The error of the provider or of reading a file; nil if the value was read but is not allowed. It is not part of the description.
    public let underlyingError: (any Error)?

    init(_ key: String, _ allowed: String, underlyingError: (any Error)? = nil) {
        self.key = key
        self.allowed = allowed
        self.underlyingError = underlyingError
    }

    public var description: String { "The configuration value of \(key) cannot be used. It must be \(allowed)." }
    public var errorDescription: String? { description }
}
