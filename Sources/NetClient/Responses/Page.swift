/// One page of a paginated resource.
public struct Page<Value> {
    /// What is on it.
    public let value: Value
    /// The head of the response that it came with.
    public let response: TransportResponse
    /// The request that asked for it, as it went into the pipeline.
    public let request: URLRequest
    /// How many pages came before it: 0 for the first.
    public let index: Int
}

extension Page: Sendable where Value: Sendable {}

/// Why there is no further page, though the last one named one: inside ``NetworkError/decodingError(_:)``, since the server's response
/// was not what it should be.
public struct PaginationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The next page is one that was there already.
        case loop
        /// From `https` to `http`, where anybody on the way can read along.
        case insecure
        /// To a scheme other than `http` and `https`.
        case scheme
        /// The target of the link is no URL.
        case malformedLink = "malformed_link"
        /// There are more pages than `maximumPages`.
        case tooManyPages = "too_many_pages"
    }

    /// What is wrong.
    public let reason: Reason

    /// An error.
    public init(_ reason: Reason) {
        self.reason = reason
    }

    /// What is wrong, and what to do.
    public var description: String {
        switch reason {
        case .loop: "The link to the next page leads back to a page that was there already."
        case .insecure: "The link to the next page leads from https to http."
        case .scheme: "The link to the next page leads to a scheme other than http and https."
        case .malformedLink: "The link to the next page is no URL."
        case .tooManyPages: "There are more pages than permitted. Raise maximumPages, or stop reading before."
        }
    }
}

extension PaginationError: SecretFreeError {}
