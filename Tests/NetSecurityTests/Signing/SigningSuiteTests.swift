import Testing

@testable import NetSecurity

/// Amazon's test suite of Signature Version 4, as its C library has it (github.com/awslabs/aws-c-auth, tests/aws-signing-test-suite/v4).
/// `SIGV4_SUITE` names that folder; `Scripts/conformance` sets it.
@Suite struct SigningSuiteTests {
    private struct Settings: Decodable {
        struct Credentials: Decodable { let accessKeyId: String, secretAccessKey: String, token: String? }

        let credentials: Credentials
        let region: String, service: String
        let timestamp: Date
        let normalize: Bool, signBody: Bool, omitSessionToken: Bool?
    }

    private struct Message {
        let request: URLRequest
        let fields: [String]
        let body: HTTPBody?
        /// Whether the path is as a URL has it. The signer encodes it once more, as Amazon says, so that the signature is another one.
        let hasEncodedPath: Bool

        init(_ text: String) throws {
            let parts = text.components(separatedBy: "\n\n")
            let lines = parts[0].components(separatedBy: "\n").filter { !$0.isEmpty }
            let start = try #require(lines.first).split(separator: " ")
            try #require(start.count >= 3)
            let target = start[1..<(start.count - 1)].joined(separator: " ")
            let allowed = CharacterSet(charactersIn: Unicode.Scalar(0x21)...Unicode.Scalar(0x7E))
            let encoded = try #require(target.addingPercentEncoding(withAllowedCharacters: allowed))
            var request = URLRequest(url: try #require(URL(string: "https://example.amazonaws.com" + encoded)))
            request.httpMethod = String(start[0])
            var fields: [String] = []
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let name = String(line[..<colon]).lowercased()
                fields.append(name)
                if name == "host" { continue }
                request.setValue(String(line[line.index(after: colon)...]), forHTTPHeaderField: name)
            }
            hasEncodedPath = target.prefix { $0 != "?" }.unicodeScalars.allSatisfy(allowed.contains)
            (self.request, self.fields) = (request, fields)
            body = parts.count > 1 && !parts[1].isEmpty ? HTTPBody(parts[1]) : nil
        }
    }

    static let folder = ProcessInfo.processInfo.environment["SIGV4_SUITE"].map { URL(fileURLWithPath: $0) }

    /// Why the signer cannot be asked to do what a test of the suite wants; nil if it can.
    private static func reason(_ settings: Settings, _ message: Message) -> String? {
        if !settings.normalize { return "a path that is not normalised, which the signer does for S3 only" }
        if settings.signBody { return "X-Amz-Content-Sha256 for another service than S3" }
        if settings.omitSessionToken == true { return "a session token that is sent and not signed" }
        if !message.hasEncodedPath { return "a path that is not encoded, which no URL has" }
        let known = ["host", "content-type", "content-length"]
        return message.fields.contains { !known.contains($0) && !$0.hasPrefix("x-amz-") }
            ? "other header fields than host, content-type and x-amz-* are signed" : nil
    }

    @Test(.enabled(if: folder != nil, "SIGV4_SUITE does not name the folder of the suite"))
    func signatures() async throws {
        let folder = try #require(Self.folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let decoder = JSONDecoder()
        (decoder.dateDecodingStrategy, decoder.keyDecodingStrategy) = (.iso8601, .convertFromSnakeCase)
        var passed = 0
        var failed: [String] = []
        var leftOut: [String: Int] = [:]
        for name in names {
            let place = folder.appendingPathComponent(name)
            let settings = try decoder.decode(
                Settings.self, from: Data(contentsOf: place.appendingPathComponent("context.json")))
            let text = { (file: String) in try String(contentsOf: place.appendingPathComponent(file), encoding: .utf8) }
            let message = try Message(text("request.txt"))
            if let reason = Self.reason(settings, message) {
                leftOut[reason, default: 0] += 1
                continue
            }
            let signer = AWSSignatureV4Signer(
                accessKeyID: settings.credentials.accessKeyId, secretAccessKey: settings.credentials.secretAccessKey,
                sessionToken: settings.credentials.token, region: settings.region, service: settings.service)
            let signed = try await signer.sign(message.request, body: message.body, at: settings.timestamp)
            let signature = try text("header-signature.txt").trimmingCharacters(in: .whitespacesAndNewlines)
            let value = signed.value(forHTTPHeaderField: "Authorization") ?? ""
            if value.hasSuffix("Signature=\(signature)") { passed += 1 } else { failed.append(name) }
        }
        print("sigv4: \(passed) of \(passed + failed.count) pass, of \(names.count)")
        for (reason, count) in leftOut.sorted(by: { $0.key < $1.key }) { print("sigv4 left out: \(count): \(reason)") }
        #expect(passed > 0 && failed.isEmpty, "\(failed)")
    }
}
