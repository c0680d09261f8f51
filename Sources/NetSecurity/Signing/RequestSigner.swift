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

/// Signs every attempt of a request, each with its own date. The client places it behind all other interceptors, so that the signature
/// is over what is really sent.
///
/// Responses to signed requests are stored in a cache if the signer is a ``CredentialOwner``, as ``HTTPMessageSigner`` and
/// ``AWSSignatureV4Signer`` are: then the key is part of the request's identity.
public struct SigningInterceptor: HTTPInterceptor {
    private let signer: any RequestSigner
    private let scope: CredentialScope

    /// An interceptor that signs with a signer.
    ///
    /// - Parameters:
    ///   - signer: signs each attempt.
    ///   - hosts: whose requests are signed: `"api.example.com"`, or with a port that is not the scheme's own, `"api.example.com:8443"`. A
    ///     call that starts at the host itself may have any port. Other origins, such as the target of a redirect, go without.
    public init(_ signer: some RequestSigner, hosts: Set<String>) {
        self.signer = signer
        scope = CredentialScope(hosts: hosts)
    }

    /// Signs the request and sends it on.
    ///
    /// - Throws: what the signer throws, as ``NetworkError/invalidRequest`` if it is not an error of ours: nothing is sent then.
    public func intercept(_ request: URLRequest, next: Next) async throws -> TransportResponse {
        guard scope.names(request.url, from: next.context.origin) else { return try await next(request) }
        let signed: URLRequest
        do {
            signed = try await signer.sign(request, body: next.body, at: next.context.clock.now)
        } catch {
            throw NetworkFailure.ofHook(error, request: request, timestamp: next.context.clock.now)
        }
        return try await next(signed)
    }
}

extension SigningInterceptor: FinalInterceptor {}

extension SigningInterceptor: CredentialOwner {
    /// What the signer says of itself (``CredentialOwner``), such as the ID of its key; nil where nothing is signed.
    public func owner(for url: URL) -> String? {
        scope.names(url, from: nil) ? (signer as? any CredentialOwner)?.owner(for: url) : nil
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

extension URLRequest {
    /// Returns the `Host` field that is really sent, for a signature over it.
    ///
    /// Transports write some hosts in another way than the URL does: `127.1` as `127.0.0.1`, `[::0001]` as `[::1]`. For what is not plainly a
    /// name this sets the field, so that the server gets what was signed.
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
    /// Whether it is a name that every transport sends as it is, perhaps with a port: letters, digits, `-`, `_` and `.`, with a letter
    /// at the beginning of the last label, which no numeric address has.
    fileprivate var isPlainHost: Bool {
        let name = utf8.prefix { $0 != UInt8(ascii: ":") }
        let last = name.lastIndex(of: UInt8(ascii: ".")).map { name[name.index(after: $0)...] } ?? name
        return last.first.map(\.isLetter) == true
            && name.allSatisfy { $0.isLetter || (0x30...0x39).contains($0) || "-_.".utf8.contains($0) }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
}
