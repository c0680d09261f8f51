// The handlers. Each comes in two forms: without a queue the completion is on the main actor, with a queue it runs there.
extension RequestChain {
    /// Calls back on the main actor with the body decoded.
    ///
    /// A status outside 200 to 299 gives ``NetworkError/requestFailed(statusCode:data:)``, an empty body
    /// ``NetworkError/noData``, one that does not fit ``NetworkError/decodingError(_:)``. `Data` and `String` come as received.
    ///
    /// - Parameters:
    ///   - type: what to decode.
    ///   - decoder: nil for the client's.
    ///   - completion: called once.
    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Value>) -> Void
    ) -> Self {
        response(serializer: DecodableSerializer(type, decoder: decoder ?? self.decoder), completion: completion)
    }

    /// Calls back on the main actor with the body decoded there.
    @MainActor
    @discardableResult
    public func responseDecodable<Value: Decodable>(
        of type: Value.Type = Value.self,
        decoder: (any BodyDecoder)? = nil,
        completion: @escaping @MainActor (NetworkResponse<Value>) -> Void
    ) -> Self {
        let decoder = decoder ?? self.decoder
        let now = now
        let finish: @MainActor (CallOutcome) -> Void = { completion($0.decoded(by: decoder, timestamp: now)) }
        attach { outcome in
            DispatchQueue.main.async { MainActor.assumeIsolated { finish(outcome) } }
        }
        return self
    }

    /// Calls back on a queue with the body decoded.
    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        queue: DispatchQueue,
        decoder: (any BodyDecoder)? = nil,
        completion: @escaping @Sendable (NetworkResponse<Value>) -> Void
    ) -> Self {
        response(
            serializer: DecodableSerializer(type, decoder: decoder ?? self.decoder), queue: queue,
            completion: completion)
    }

    /// Calls back on the main actor, with success for any status from 200 to 299, whatever the body.
    @discardableResult
    public func responseVoid(completion: @escaping @MainActor @Sendable (NetworkResponse<Void>) -> Void) -> Self {
        response(serializer: VoidSerializer(), completion: completion)
    }

    /// Calls back on a queue, with success for any status from 200 to 299, whatever the body.
    @discardableResult
    public func responseVoid(
        queue: DispatchQueue, completion: @escaping @Sendable (NetworkResponse<Void>) -> Void
    ) -> Self {
        response(serializer: VoidSerializer(), queue: queue, completion: completion)
    }

    /// Calls back on the main actor with the bytes as received; an empty body is a success.
    @discardableResult
    public func responseData(completion: @escaping @MainActor @Sendable (NetworkResponse<Data>) -> Void) -> Self {
        response(serializer: DataSerializer(), completion: completion)
    }

    /// Calls back on a queue with the bytes as received; an empty body is a success.
    @discardableResult
    public func responseData(
        queue: DispatchQueue, completion: @escaping @Sendable (NetworkResponse<Data>) -> Void
    ) -> Self {
        response(serializer: DataSerializer(), queue: queue, completion: completion)
    }

    /// Calls back on the main actor with the body as text, by the charset of its `Content-Type` (UTF-8 if there is none).
    @discardableResult
    public func responseString(
        completion: @escaping @MainActor @Sendable (NetworkResponse<String>) -> Void
    ) -> Self {
        response(serializer: StringSerializer(), completion: completion)
    }

    /// Calls back on a queue with the body as text.
    @discardableResult
    public func responseString(
        queue: DispatchQueue, completion: @escaping @Sendable (NetworkResponse<String>) -> Void
    ) -> Self {
        response(serializer: StringSerializer(), queue: queue, completion: completion)
    }

    /// Calls back on the main actor with what a serialiser makes of the body.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        serializer: Serializer,
        completion: @escaping @MainActor @Sendable (NetworkResponse<Serializer.Value>) -> Void
    ) -> Self {
        // By the main queue and not by a task, so that handlers of one chain are called in their order.
        response(serializer: serializer, queue: .main) { response in
            MainActor.assumeIsolated { completion(response) }
        }
    }

    /// Calls back on a queue with what a serialiser makes of the body.
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
