/// The answer of an endpoint that sends no body, or one that does not matter: `DELETE`, `204 No Content`.
public struct EmptyResponse: Codable, Hashable, Sendable {
    /// Nothing.
    public init() {}
}
