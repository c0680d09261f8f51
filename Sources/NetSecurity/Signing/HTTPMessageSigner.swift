public import NetCore

/// Signs requests by HTTP Message Signatures (RFC 9421).
///
/// ```swift
/// let signer = HTTPMessageSigner(key: .hmacSHA256(secret), keyID: "my-key", components: ["@method", "@target-uri", "content-digest"])
/// let client = NetworkClient(interceptors: [SigningInterceptor(signer, hosts: ["api.example.com"])])
/// ```
///
/// The component `content-digest` adds that field (RFC 9530, SHA-256) to requests with a body that lack it.
public struct HTTPMessageSigner: RequestSigner, CredentialOwner, CustomReflectable {
    /// A signing key.
    public enum Key: Sendable {
        /// A secret that is shared with the server (`hmac-sha256`).
        case hmacSHA256(Data)
        /// A private key in DER, PKCS#8 (`ed25519`).
        case ed25519(Data)
        /// A private key in DER, PKCS#8 (`ecdsa-p256-sha256`).
        case ecdsaP256(Data)
    }

    private let key: Key
    private let keyID: String
    private let components: [String]
    private let label: String
    private let lifetime: TimeInterval?

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - keyID: identifies the key for the server.
    ///   - components: the signed components: `@method`, `@target-uri`, `@authority`, `@scheme`, `@request-target`, `@path`, `@query`,
    ///     and names of header fields. If a request lacks a field, it fails with ``NetworkError/invalidRequest``.
    ///   - label: distinguishes the signature from others on the request.
    ///   - lifetime: the validity of the signature in seconds; nil leaves it to the server.
    public init(
        key: Key, keyID: String, components: [String] = ["@method", "@target-uri"], label: String = "sig1",
        lifetime: TimeInterval? = nil
    ) {
        self.key = key
        self.keyID = keyID
        self.components = components.map(\.asciiLowercased)
        self.label = label
        self.lifetime = lifetime
    }

    public func owner(for url: URL) -> String? { keyID }

    /// Adds `Signature-Input` and `Signature`.
    ///
    /// - Throws: an error that describes the problem, if a component cannot be signed, ``NetworkError/bodyNotReplayable``, and
    ///   ``NetworkError/unsupported(_:)`` if the system has no library for the key.
    public func sign(_ request: URLRequest, body: HTTPBody?, at date: Date) async throws -> URLRequest {
        var request = request
        if components.contains("content-digest"), let body, request.value(forHTTPHeaderField: "Content-Digest") == nil {
            let digest = Data(try await Optional(body).sha256()).base64EncodedString()
            request.setValue("sha-256=:\(digest):", forHTTPHeaderField: "Content-Digest")
        }
        // A request without a body has no digest.
        let components = components.filter { $0 != "content-digest" || request.value(forHTTPHeaderField: $0) != nil }
        _ = try request.settleHost()
        let created = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
        let input = parameters(components, created: created)
        let base = try Self.base(request, components, input)
        let signature = try signature(of: Data(base.utf8)).base64EncodedString()
        request.append("\(label)=\(input)", to: "Signature-Input")
        request.append("\(label)=:\(signature):", to: "Signature")
        return request
    }

    /// RFC 9421, section 2.3.
    private func parameters(_ components: [String], created: Int64) -> String {
        let list = components.map(\.quoted).joined(separator: " ")
        let expires = lifetime.flatMap { Int64(exactly: $0.rounded(.up)) }.map {
            created.addingReportingOverflow($0).partialValue
        }
        return "(\(list));created=\(created)" + (expires.map { ";expires=\($0)" } ?? "") + ";keyid=\(keyID.quoted)"
    }

    /// Returns the signature base (RFC 9421, section 2.5).
    static func base(_ request: URLRequest, _ components: [String], _ parameters: String) throws -> String {
        let target = request.url?.requestTarget ?? ""
        let lines = try components.map { "\($0.quoted): \(try value(of: $0, in: request, target))" }
        guard Set(components).count == components.count else {
            throw RequestBuildingError("A component may be signed only once (RFC 9421, section 2.5).")
        }
        return (lines + ["\"@signature-params\": \(parameters)"]).joined(separator: "\n")
    }

    /// - Parameter target: the path and the query of the request.
    private static func value(of component: String, in request: URLRequest, _ target: String) throws -> String {
        guard let host = request.hostField, let origin = request.url?.origin else { throw NetworkError.invalidURL }
        let authority = normalized(host, scheme: origin.scheme)
        let path = target.prefix { $0 != "?" }
        switch component {
        case "host": return host
        case "@method": return request.httpMethod ?? "GET"
        case "@authority": return authority
        case "@scheme": return origin.scheme
        case "@target-uri": return "\(origin.scheme)://\(authority)\(target)"
        case "@request-target": return target
        case "@path": return String(path)
        case "@query": return target == path ? "?" : String(target.dropFirst(path.count))
        default:
            guard !component.hasPrefix("@"), let value = request.value(forHTTPHeaderField: component) else {
                throw RequestBuildingError("The request has no \(component), which should be signed.")
            }
            return HTTPHeader(name: component, value: value).value
        }
    }

    /// Returns the host in lower case, without the scheme's default port, which a caller's `Host` may contain (RFC 9421, section 2.2.3).
    private static func normalized(_ host: String, scheme: String) -> String {
        let port = scheme == "https" || scheme == "wss" ? ":443" : ":80"
        return (host.hasSuffix(port) ? String(host.dropLast(port.count)) : host).asciiLowercased
    }

    private func signature(of base: Data) throws -> Data {
        switch key {
        case .hmacSHA256(let key): Data(SHA256.hmac(base, key: key))
        case .ed25519(let key): try Cryptography.sign(base, .ed25519, privateKey: key)
        case .ecdsaP256(let key): try Cryptography.sign(base, .ecdsaP256, privateKey: key)
        }
    }

    /// Shows the ID of the key, but not the key.
    public var customMirror: Mirror { Mirror(self, children: ["keyID": keyID, "components": components]) }
}

extension URLRequest {
    /// Adds to the field, which may already contain other signatures.
    fileprivate mutating func append(_ member: String, to name: String) {
        setValue(value(forHTTPHeaderField: name).map { "\($0), \(member)" } ?? member, forHTTPHeaderField: name)
    }
}
