import TestLab
import Testing

@testable import NetSecurity

/// Signature Version 4 beside botocore, the library of Amazon's own tools.
@Suite("AWSSignatureV4Signer beside botocore", .requires(.pythonPackages)) struct BotocoreTests {
    private struct Case: Codable {
        var method: String, url: String, service: String
        var headers: [String: String] = [:]
        var body = ""
        var token: String?
    }

    /// Paths and queries as they are sent.
    private static let targets = [
        "/", "/a/b//", "/a", "/a/", "//", "//a", "/a//b", "/a///b/", "/./a", "/a/./b", "/a/.", "/a/..", "/a/../",
        "/a/b/../c", "/../a", "/../../a/", "/a/b/../../..", "/.../a", "/a%20b", "/a%2Fb/c", "/a%2fb/./c%20d",
        "/%E4%BD%A0/%C3%A4", "/a+b/c=d/e@f:g", "/a*b~c!d'e(f)", "/a;b,c$d&e", "/~user/-._", "/?a=b", "/?b=2&a=1",
        "/?a=2&a=1", "/?a", "/?a=&b", "/a/../b?x=%20y&x=%2F", "//a/./b?Z=1&z=2&A=3", "/?a-b=1&a=2&a.b=3",
        "/?k=v%3D&k%3D=v", "/%2E%2E/a", "/a%25b", "/foo/bar/../baz//./qux/", "/?x=~.-_",
    ]

    private static let cases: [Case] = targets.flatMap { target -> [Case] in
        let fields = ["Content-Type": "text/plain;  charset=utf-8", "X-Amz-Meta-A": "  one   two "]
        let bucket = "https://bucket.s3.eu-west-1.amazonaws.com" + target
        return [
            Case(method: "GET", url: "https://example.amazonaws.com" + target, service: "execute-api"),
            Case(method: "PUT", url: bucket, service: "s3", headers: fields, body: "abc"),
        ]
    }

    private static let others = [
        Case(method: "GET", url: "https://example.amazonaws.com", service: "es"),
        Case(method: "GET", url: "https://example.amazonaws.com:8443/a//b", service: "es"),
        Case(method: "GET", url: "http://example.amazonaws.com:80/", service: "es"),
        Case(method: "GET", url: "https://example.amazonaws.com:443/", service: "es"),
        Case(method: "GET", url: "http://127.0.0.1:9000/b/k", service: "s3"),
        Case(method: "GET", url: "http://[::1]:9000/b/../k", service: "s3"),
        Case(method: "GET", url: "http://[::1]/x/../k", service: "iam"),
        Case(
            method: "POST", url: "https://sqs.amazonaws.com/", service: "sqs",
            headers: ["Content-Type": "application/x-amz-json-1.0"], body: "{}"),
        Case(
            method: "DELETE", url: "https://example.amazonaws.com/a/./b", service: "lambda", token: "session/token+x=="),
        Case(
            method: "GET", url: "https://example.amazonaws.com/", service: "iam", headers: ["Host": "Other.Example:444"]
        ),
    ]

    @Test(
        "78 paths and queries, of S3 and of another service, and ten others have the signature that botocore gives them"
    ) func signaturesAreEqual() async throws {
        #expect(Self.cases.count == 78)
        let cases = Self.cases + Self.others
        let result = try await ProcessRunner.run(
            Tool.pythonPackages.path(), ["-c", Self.program], input: JSONEncoder().encode(cases)
        ).checked()
        let expected = try JSONDecoder().decode([String].self, from: result.output)
        #expect(expected.count == cases.count)
        for (one, authorization) in zip(cases, expected) {
            var request = URLRequest(url: try #require(URL(string: one.url)))
            (request.httpMethod, request.allHTTPHeaderFields) = (one.method, one.headers)
            let signer = AWSSignatureV4Signer(
                accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                sessionToken: one.token, region: "eu-west-1", service: one.service)
            let body = one.body.isEmpty ? nil : HTTPBody(one.body)
            let signed = try await signer.sign(request, body: body, at: Date(timeIntervalSince1970: 1_440_938_160))
            #expect(signed.value(forHTTPHeaderField: "Authorization") == authorization, "\(one.service) \(one.url)")
        }
    }

    private static let program = """
        import datetime, json, sys
        import botocore.auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        botocore.auth.get_current_datetime = lambda *a, **k: datetime.datetime(2015, 8, 30, 12, 36, 0)
        result = []
        for case in json.load(sys.stdin):
            key = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", case.get("token"))
            kind = botocore.auth.S3SigV4Auth if case["service"] == "s3" else botocore.auth.SigV4Auth
            request = AWSRequest(case["method"], case["url"], dict(case["headers"]), case["body"].encode())
            kind(key, case["service"], "eu-west-1").add_auth(request)
            result.append(request.headers["Authorization"])
        print(json.dumps(result))
        """
}
