// The handlers. Without a queue the completion runs on the main actor, with a queue on that queue.
extension RequestChain {
    /// Calls back on the main actor with the body decoded.
    ///
    /// The error is ``NetworkError/requestFailed(statusCode:data:)`` for a status outside 200 to 299, ``NetworkError/noData`` for an
    /// empty body, and ``NetworkError/decodingError(_:)`` for a body of another form. `Data` and `String` are returned as received.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - keyPath: the path to the value in the body, or nil for the path of the request: see ``RequestOptions/responseKeyPath``.
    ///   - decoder: nil for the client's.
    ///   - completion: called once.
    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        keyPath: String? = nil, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> Self {
        response(
            serializer: DecodableSerializer(type, decoder: decoder ?? self.decoder, keyPath: keyPath),
            completion: completion)
    }

    /// Calls back on the main actor with the body decoded there.
    @MainActor
    @discardableResult
    public func responseDecodable<Value: Decodable>(
        of type: Value.Type = Value.self,
        keyPath: String? = nil, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> Self {
        response(serializer: DataSerializer()) { [decoder = decoder ?? self.decoder, now] in
            completion($0.decoded(by: decoder, keyPath: keyPath, timestamp: now))
        }
    }

    /// Calls back on a queue with the body decoded.
    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        keyPath: String? = nil, queue: DispatchQueue, decoder: (any BodyDecoder)? = nil,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> Self {
        response(
            serializer: DecodableSerializer(type, decoder: decoder ?? self.decoder, keyPath: keyPath), queue: queue,
            completion: completion)
    }

    /// Calls back on the main actor, with success for any status from 200 to 299. The body is ignored.
    @discardableResult
    public func responseVoid(completion: @escaping @MainActor @Sendable (NetworkResponse<Void>) -> Void) -> Self {
        response(serializer: VoidSerializer(), completion: completion)
    }

    /// Calls back on a queue, with success for any status from 200 to 299. The body is ignored.
    @discardableResult
    public func responseVoid(
        queue: DispatchQueue, completion: @escaping @Sendable (NetworkResponse<Void>) -> Void
    ) -> Self { response(serializer: VoidSerializer(), queue: queue, completion: completion) }

    /// Calls back on the main actor with the bytes as received; an empty body is a success.
    @discardableResult
    public func responseData(completion: @escaping @MainActor @Sendable (NetworkResponse<Data>) -> Void) -> Self {
        response(serializer: DataSerializer(), completion: completion)
    }

    /// Calls back on a queue with the bytes as received; an empty body is a success.
    @discardableResult
    public func responseData(
        queue: DispatchQueue, completion: @escaping @Sendable (NetworkResponse<Data>) -> Void
    ) -> Self { response(serializer: DataSerializer(), queue: queue, completion: completion) }

    /// Calls back on the main actor with the body as text, by the charset of its `Content-Type` (UTF-8 if there is none).
    @discardableResult
    public func responseString(completion: @escaping @MainActor @Sendable (NetworkResponse<String>) -> Void) -> Self {
        response(serializer: StringSerializer(), completion: completion)
    }

    /// Calls back on a queue with the body as text.
    @discardableResult
    public func responseString(
        queue: DispatchQueue, completion: @escaping @Sendable (NetworkResponse<String>) -> Void
    ) -> Self { response(serializer: StringSerializer(), queue: queue, completion: completion) }

    /// Calls back on the main actor with the value of a serialiser.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        serializer: Serializer,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Serializer.Value>) -> Void
    ) -> Self {
        // By the main queue, not by a task, so that the handlers of a chain are called in order.
        response(serializer: serializer, queue: .main) { response in MainActor.assumeIsolated { completion(response) } }
    }

    /// Calls back on a queue with the value of a serialiser.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        serializer: Serializer,
        queue: DispatchQueue,
        completion: @escaping @Sendable (NetworkResponse<Serializer.Value>) -> Void
    ) -> Self {
        attach { [self] outcome in
            let response = outcome.serialized(by: serializer, timestamp: now)
            queue.async { completion(response) }
        }
        return self
    }
}
