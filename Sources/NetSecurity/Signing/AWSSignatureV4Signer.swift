public import NetCore

/// Signs requests for services of Amazon and compatible ones (Signature Version 4, in the header).
///
/// ```swift
/// let signer = AWSSignatureV4Signer(accessKeyID: "AKID", secretAccessKey: "secret", region: "eu-west-1", service: "execute-api")
/// let client = NetworkClient(interceptors: [SigningInterceptor(signer, hosts: ["api.example.com"])])
/// ```
public struct AWSSignatureV4Signer: RequestSigner, CredentialOwner, CustomReflectable {
    private let accessKeyID: String
    private let secretAccessKey: String
    private let sessionToken: String?
    private let region: String
    private let service: String

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - accessKeyID: the ID of the key.
    ///   - secretAccessKey: the key, which is not sent.
    ///   - sessionToken: the token of temporary credentials.
    ///   - region: such as `"eu-west-1"`.
    ///   - service: such as `"s3"` or `"execute-api"`.
    public init(
        accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, region: String, service: String
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.region = region
        self.service = service
    }

    public func owner(for url: URL) -> String? { accessKeyID }

    /// Adds `X-Amz-Date`, `Authorization`, and the other fields that the service requires.
    ///
    /// - Throws: ``NetworkError/bodyNotReplayable``, since the signature covers the body.
    public func sign(_ request: URLRequest, body: HTTPBody?, at date: Date) async throws -> URLRequest {
        guard let url = request.url else { throw NetworkError.invalidURL }
        var request = request
        let host = try request.settleHost()
        // 20150830T123600Z
        let time = date.formatted(.iso8601).filter { !"-:".contains($0) }
        let payload = Data(try await body.sha256()).hexadecimal
        request.setValue(time, forHTTPHeaderField: "X-Amz-Date")
        if let sessionToken { request.setValue(sessionToken, forHTTPHeaderField: "X-Amz-Security-Token") }
        if isS3 { request.setValue(payload, forHTTPHeaderField: "X-Amz-Content-Sha256") }

        var fields = ["host": Self.collapsed(host)]
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            let name = name.asciiLowercased
            // Fields that proxies and the transport change are not signed.
            if name.hasPrefix("x-amz-") || name == "content-type" { fields[name] = Self.collapsed(value) }
        }
        let target = url.requestTarget
        let path = target.prefix { $0 != "?" }
        let names = fields.keys.sorted()
        let signed = names.joined(separator: ";")
        let canonical = [
            request.httpMethod ?? "GET", canonicalPath(path), Self.canonicalQuery(target.dropFirst(path.count + 1)),
            names.map { "\($0):\(fields[$0] ?? "")\n" }.joined(), signed, payload,
        ].joined(separator: "\n")
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(SHA256.hex(Data(canonical.utf8)))"
        let key = ["\(time.prefix(8))", region, service, "aws4_request"].reduce(Data("AWS4\(secretAccessKey)".utf8)) {
            Data(SHA256.hmac(Data($1.utf8), key: $0))
        }
        let signature = SHA256.hmac(Data(text.utf8), key: key).hexadecimal
        request.setValue(
            "AWS4-HMAC-SHA256 Credential=\(accessKeyID)/\(scope), SignedHeaders=\(signed), Signature=\(signature)",
            forHTTPHeaderField: "Authorization")
        return request
    }

    /// Whether the service does not normalise paths: a key may contain `//` and `..`.
    private var isS3: Bool { ["s3", "s3express", "s3-outposts", "s3-object-lambda"].contains(service) }

    /// Returns the path as it is sent. For all services except S3 it is normalised (no `.`, no `..`, no repeated slashes) and encoded again.
    private func canonicalPath(_ path: Substring) -> String {
        guard !isS3 else { return String(path) }
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        let normalized = segments.map { "/" + PercentEncoding.encode(String($0)) }.joined()
        return normalized.isEmpty || path.hasSuffix("/") ? normalized + "/" : normalized
    }

    private static func canonicalQuery(_ query: Substring) -> String {
        let items = query.split(separator: "&").map { item -> [String] in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                PercentEncoding.encode(String($0).removingPercentEncoding ?? String($0))
            }
            return [parts[0], parts.count > 1 ? parts[1] : ""]
        }
        // Sorted by bytes, since the texts are ASCII.
        return items.sorted { $0.lexicographicallyPrecedes($1) }.map { "\($0[0])=\($0[1])" }.joined(separator: "&")
    }

    /// Returns the value without white space at its ends, and with single spaces inside.
    private static func collapsed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }

    /// Shows the ID of the key, but no secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["accessKeyID": accessKeyID, "region": region, "service": service])
    }
}
