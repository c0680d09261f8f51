public import NetCore

/// Signs requests, so that a server can verify their sender and that they were not changed on the way.
///
/// ``HTTPMessageSigner`` (RFC 9421) and ``AWSSignatureV4Signer`` conform to it. A custom signer:
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
    /// Returns the request with its signature.
    ///
    /// - Parameters:
    ///   - request: as it will be sent, except for the fields that the transport adds.
    ///   - body: read it only if it ``HTTPBody/isReplayable``.
    ///   - date: the time of the client's clock.
    func sign(_ request: URLRequest, body: HTTPBody?, at date: Date) async throws -> URLRequest
}

/// Signs every attempt of a request, each with its own date. The client runs it after all other interceptors, so that the signature
/// covers the request as it is sent.
///
/// The cache stores responses to signed requests if the signer is a ``CredentialOwner``, as ``HTTPMessageSigner`` and
/// ``AWSSignatureV4Signer`` are: the key is then part of the request's identity.
public struct SigningInterceptor: HTTPInterceptor, FinalInterceptor, CredentialOwner {
    private let signer: any RequestSigner
    private let scope: CredentialScope

    /// Creates an interceptor for one signer.
    ///
    /// - Parameters:
    ///   - signer: signs each attempt.
    ///   - hosts: the hosts whose requests are signed: `"api.example.com"`, or with a port that is not the scheme's default,
    ///     `"api.example.com:8443"`. A call that starts at the host may use any port. Requests to other origins, such as the target of a
    ///     redirect, are not signed.
    public init(_ signer: some RequestSigner, hosts: Set<String>) {
        self.signer = signer
        scope = CredentialScope(hosts: hosts)
    }

    /// Signs the request and sends it on.
    ///
    /// - Throws: the signer's error, as ``NetworkError/invalidRequest`` if it is not a ``NetworkError``. Nothing is sent then.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard scope.includesHost(of: request.url, from: next.context.origin) else { return try await next(request) }
        let signed: URLRequest
        do { signed = try await signer.sign(request, body: next.body, at: next.context.clock.now) } catch {
            throw NetworkFailure.ofHook(error, request: request, timestamp: next.context.clock.now)
        }
        return try await next(signed)
    }

    /// Returns the signer's owner (``CredentialOwner``), such as the ID of its key; nil if the request is not signed.
    public func owner(for url: URL) -> String? {
        scope.includesHost(of: url, from: nil) ? (signer as? any CredentialOwner)?.owner(for: url) : nil
    }
}

extension HTTPBody? {
    /// Returns the SHA-256 of the body; for nil that of no bytes.
    ///
    /// - Throws: ``NetworkError/bodyNotReplayable`` if the body could not be sent after it was read, and the errors of reading it.
    func sha256() async throws -> [UInt8] {
        let hash = Locked(SHA256())
        if let self {
            guard self.isReplayable else { throw NetworkError.bodyNotReplayable }
            for try await chunk in self { hash.withLock { $0.update(chunk) } }
        }
        return hash.withLock { $0.finalize() }
    }
}

extension URLRequest {
    /// Returns the `Host` field as it is sent, for a signature over it.
    ///
    /// Transports write some hosts differently from the URL: `127.1` as `127.0.0.1`, `[::0001]` as `[::1]`. For hosts that are not plain
    /// names this sets the field, so that the server gets what was signed.
    ///
    /// - Throws: ``NetworkError/invalidURL`` if there is no host.
    mutating func settleHost() throws(NetworkError) -> String {
        guard let host = hostField else { throw .invalidURL }
        if value(forHTTPHeaderField: "Host") == nil, !host.isPlainHost || url?.absoluteString.contains("%") == true {
            setValue(host, forHTTPHeaderField: "Host")
        }
        return host
    }
}

extension String {
    /// Whether every transport sends this name, with or without a port, unchanged: letters, digits, `-`, `_` and `.`, and the last label
    /// begins with a letter, as no numeric address does.
    fileprivate var isPlainHost: Bool {
        let name = utf8.prefix { $0 != UInt8(ascii: ":") }
        let last = name.lastIndex(of: UInt8(ascii: ".")).map { name[name.index(after: $0)...] } ?? name
        return last.first.map { $0.isLower || $0.isUpper } == true
            && name.allSatisfy { $0.isAlphanumeric || $0.isOne(of: "-_.") }
    }
}
