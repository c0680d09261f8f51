import NetCore

/// Sends what the flows have to send, over any client.
struct OAuthExchange: Sendable {
    let http: any HTTPSending

    struct Answer {
        let status: Int
        let body: Data
        let failure: OAuthError
    }

    /// More than any token response has.
    private static let sizeLimit = 1 << 20

    func get(_ url: URL) async throws(OAuthError) -> Answer {
        var request = URLRequest(url: url)
        request.allHTTPHeaderFields = ["Accept": "application/json"]
        return try await send(request, body: nil)
    }

    /// A form whose values are secret.
    func post(_ fields: [URLQueryItem], to url: URL, authorization: String?) async throws(OAuthError) -> Answer {
        try OAuthServer.requireSecure(url)
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        var headers = ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"]
        headers["Authorization"] = authorization
        request.allHTTPHeaderFields = headers
        let form = Locked<Data?>(Data(QueryEncoder.encode(items: fields).utf8))
        // Can be read once: no redirect takes the secrets elsewhere, and no retry uses up a code or a refresh token twice.
        let body = HTTPBody(length: form.withLock { Int64($0?.count ?? 0) }) {
            form.withLock { form in
                defer { form = nil }
                return form
            }
        }
        return try await send(request, body: body, followsRedirects: false)
    }

    /// - Parameter followsRedirects: false for an endpoint that answers with tokens: a response from elsewhere would become the tokens.
    private func send(
        _ request: URLRequest, body: HTTPBody?, followsRedirects: Bool = true
    ) async throws(OAuthError) -> Answer {
        var context = RequestContext()
        context[FollowsRedirectsKey.self] = followsRedirects
        // The client's own credentials are not for this server, and may be what is waited for.
        context[AuthenticationProviderKey.self] = NoAuthProvider()
        do {
            let response = try await http.send(request, body: body, context: context)
            if !followsRedirects { try Self.refuseRedirect(response, of: request) }
            let data = try await response.body.collect(upTo: Self.sizeLimit)
            let failure = NetworkFailure(
                cause: .requestFailed(statusCode: response.status, data: nil), request: RequestSnapshot(request))
            return Answer(status: response.status, body: data, failure: .network(failure))
        } catch is CancellationError {
            throw .cancelled
        } catch let error as OAuthError {
            throw error
        } catch {
            let failure = NetworkFailure(wrapping: error, request: request)
            throw failure.isCancellation ? .cancelled : .network(failure)
        }
    }

    /// Also refuses a response from another URL, which an ``HTTPSending`` gives that follows redirects on its own.
    private static func refuseRedirect(_ response: TransportResponse, of request: URLRequest) throws(OAuthError) {
        let isElsewhere = response.url.map { $0.origin != request.url?.origin || $0.path != request.url?.path } ?? false
        guard isElsewhere || (300..<400).contains(response.status) else { return }
        throw .endpointRedirected(statusCode: response.status)
    }
}

extension OAuthExchange.Answer {
    /// The body of a successful response.
    func decoded<Value: Decodable>(_ type: Value.Type, _ what: String) throws(OAuthError) -> Value {
        guard (200..<300).contains(status) else { throw refusal }
        guard let value = try? JSONDecoder().decode(type, from: body) else {
            throw .malformedResponse("The \(what) cannot be read.")
        }
        return value
    }

    /// What a status that is no success means: OAuth's error where there is one.
    var refusal: OAuthError {
        struct Body: Decodable {
            let error: String
            let error_description: String?
            let error_uri: String?
        }
        // A server in trouble, or a proxy before it, may send anything.
        guard (400..<500).contains(status), let body = try? JSONDecoder().decode(Body.self, from: body) else {
            return failure
        }
        return .server(
            OAuthErrorResponse(
                code: .init(rawValue: body.error), explanation: body.error_description,
                documentation: body.error_uri.flatMap(URL.init(string:)), statusCode: status))
    }
}
