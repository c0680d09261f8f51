public import NetCore

/// Signs requests, so that a server knows whose they are and that nobody changed them on the way.
///
/// ``HTTPMessageSigner`` (RFC 9421) and ``AWSSignatureV4Signer`` are ready. One of your own:
///
/// ```swift
/// struct TimestampSigner: RequestSigner {
///     func sign(_ request: URLRequest, body: HTTPBody?, at date: Date) async throws -> URLRequest {
///         var request = request
///         request.setValue("\(date.timeIntervalSince1970)", forHTTPHeaderField: "X-Timestamp")
///         return request
///     }
/// }
/// let client = NetworkClient(interceptors: [SigningInterceptor(TimestampSigner(), hosts: ["api.example.com"])])
/// ```
public protocol RequestSigner: Sendable {
    /// Gives the request with its signature.
    ///
    /// - Parameters:
    ///   - request: as it will be sent, but for what the transport adds.
    ///   - body: read it only if it ``HTTPBody/isReplayable``.
    ///   - date: the date by the client's clock.
    func sign(_ request: URLRequest, body: HTTPBody?, at date: Date) async throws -> URLRequest
}

/// Has every attempt of a request signed, each with the date of its own. Put it last, since what is added after it is not signed.
public struct SigningInterceptor: HTTPInterceptor {
    private let signer: any RequestSigner
    private let hosts: Set<String>

    /// An interceptor that signs with a signer.
    ///
    /// - Parameters:
    ///   - signer: signs each attempt.
    ///   - hosts: whose requests are signed: `"api.example.com"`. Others, such as the target of a redirect, go without.
    public init(_ signer: some RequestSigner, hosts: Set<String>) {
        self.signer = signer
        self.hosts = Set(hosts.map(\.asciiLowercased))
    }

    /// Signs the request and sends it on.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard let host = request.url?.host?.asciiLowercased, hosts.contains(host) else {
            return try await next(request)
        }
        return try await next(try await signer.sign(request, body: next.body, at: next.context.clock.now))
    }
}

extension HTTPBody? {
    /// The SHA-256 of the body; that of nothing where there is none.
    ///
    /// - Throws: ``NetworkError/bodyNotReplayable`` for one that could not be sent after it was read, and what reading throws.
    func sha256() async throws -> [UInt8] {
        var hash = SHA256()
        if let self {
            guard self.isReplayable else { throw NetworkError.bodyNotReplayable }
            for try await chunk in self { hash.update(chunk) }
        }
        return hash.finalize()
    }
}

extension URL {
    /// Host and, unless it is the scheme's own, port: what the transport puts into `Host`.
    var authority: String? {
        guard let origin else { return nil }
        return origin.port == (origin.scheme == "https" ? 443 : 80) ? origin.host : "\(origin.host):\(origin.port)"
    }
}
