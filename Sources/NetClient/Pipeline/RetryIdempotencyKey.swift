// The key by which a server knows a repeated POST again (draft-ietf-httpapi-idempotency-key-header).
extension URLRequest {
    private static let keyField = "Idempotency-Key"

    var hasIdempotencyKey: Bool { value(forHTTPHeaderField: Self.keyField) != nil }

    /// Gives a POST or PATCH a key that no other call has, unless the caller gave it one. In quotes, as the draft's structured
    /// field has it.
    mutating func addIdempotencyKey() {
        guard httpMethod == "POST" || httpMethod == "PATCH", !hasIdempotencyKey else { return }
        setValue("\"\(UUID().uuidString.asciiLowercased)\"", forHTTPHeaderField: Self.keyField)
    }

    /// Takes over the key that was sent with the request before a redirect: to the server it is the same call.
    mutating func keepIdempotencyKey(of sent: URLRequest?) {
        guard !hasIdempotencyKey, let key = sent?.value(forHTTPHeaderField: Self.keyField) else { return }
        setValue(key, forHTTPHeaderField: Self.keyField)
    }
}
