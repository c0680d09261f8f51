public import NetCore

extension ResponseStream {
    /// Returns the elements of a JSON array, each decoded as soon as it has arrived. Memory use does not depend on the array's length.
    ///
    /// ```swift
    /// let stream = try await client.stream(GetUserEndpoint(id: "123"))
    /// for try await product in stream.elements(of: Product.self, keyPath: "data.products") { print(product) }
    /// ```
    ///
    /// An element that cannot be decoded ends the sequence with ``NetworkError/decodingError(_:)``, which contains a
    /// ``ResponseStream/JSONElementError``. So does a body that ends early, or continues after its JSON text. A missing key and a value that is
    /// not an array are a `DecodingError` with the path that was found. Around the array, only the structure is checked.
    ///
    /// For one JSON text a line, use ``jsonLines(of:decoder:maximumLength:)``.
    ///
    /// - Parameters:
    ///   - type: the type of the elements.
    ///   - decoder: decodes each element; plain JSON by default.
    ///   - keyPath: the path to the array, or nil for the request's: see ``RequestOptions/responseKeyPath``. The first of repeated keys counts.
    ///   - maximumSize: the largest number of bytes of an element; 1 MiB by default. A larger one throws
    ///     ``NetworkError/responseTooLarge(limit:)`` after the elements before it.
    public func elements<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: any BodyDecoder = .json, keyPath: String? = nil,
        maximumSize: Int = 1 << 20
    ) -> ResponseStream.Values<Value> {
        let path = ResponseKeyPath(keyPath ?? response.pipeline.keyPath ?? "")
        return values(JSONElementCursor(limit: maximumSize, path: path, decoder: decoder)) { element, number in
            do {
                return try decoder.decode(Value.self, from: Data(element))
            } catch {
                throw NetworkError.decodingError(ResponseStream.JSONElementError.undecodable(index: number - 1, error))
            }
        }
    }

    /// The error of a JSON array that cannot be read further. ``NetworkError/decodingError(_:)`` contains it.
    public enum JSONElementError: Error, Sendable {
        /// The decoder's error for an element. The first element has index 0.
        case undecodable(index: Int, any Error)
        /// The body is not JSON from a byte on. The first byte has offset 0.
        case malformed(offset: Int64)
        /// The body ends before its JSON text.
        case truncated
        /// The body is nested more deeply than `JSONDecoder` permits.
        case tooDeep(limit: Int)
    }
}

extension ResponseStream.JSONElementError: CustomStringConvertible, SecretFreeError {
    public var description: String {
        switch self {
        case .undecodable(let index, let error): "element \(index): \(secretFreeText(of: error))"
        case .malformed(let offset): "The body is not JSON at byte \(offset)."
        case .truncated: "The body ends before its JSON text. Send the request again."
        case .tooDeep(let limit): "The body has more than \(limit) levels of arrays and objects."
        }
    }
}
