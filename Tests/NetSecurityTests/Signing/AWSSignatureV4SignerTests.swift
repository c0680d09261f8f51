import Testing

@testable import NetSecurity

/// Amazon's published examples: the test suite of Signature Version 4, and the guide's call of IAM.
@Suite struct AWSSignatureV4SignerTests {
    /// 30 August 2015, 12:36:00 UTC.
    private let date = Date(timeIntervalSince1970: 1_440_938_160)

    private func sign(
        _ method: String, _ url: String, headers: [String: String] = [:], body: HTTPBody? = nil, token: String? = nil,
        service: String = "service"
    ) async throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        (request.httpMethod, request.allHTTPHeaderFields) = (method, headers)
        let signer = AWSSignatureV4Signer(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            sessionToken: token, region: "us-east-1", service: service)
        return try await signer.sign(request, body: body, at: date)
    }

    @Test(arguments: [
        ("GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        ("GET", "/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        ("GET", "/?Param1=value1", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        (
            "GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
        ),
    ]) func signaturesOfTheTestSuite(method: String, target: String, signature: String) async throws {
        let request = try await sign(method, "https://example.amazonaws.com" + target)
        let scope = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request"
        #expect(request["Authorization"] == "\(scope), SignedHeaders=host;x-amz-date, Signature=\(signature)")
        #expect(request["X-Amz-Date"] == "20150830T123600Z")
    }

    /// The query begins at the first question mark. The signature encodes the others.
    @Test func queryWithQuestionMarksIsSigned() async throws {
        let plain = try await sign("GET", "https://example.amazonaws.com/a?b=c?d&e=/")
        let encoded = try await sign("GET", "https://example.amazonaws.com/a?b=c%3Fd&e=%2F")
        #expect(plain["Authorization"] == encoded["Authorization"])
    }

    @Test func signatureOfAForm() async throws {
        let request = try await sign(
            "POST", "https://example.amazonaws.com/", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: HTTPBody("Param1=value1"))
        let value = try #require(request["Authorization"])
        #expect(value.hasSuffix("ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"))
        #expect(value.contains("SignedHeaders=content-type;host;x-amz-date"))
    }

    @Test func signatureOfTheGuidesCallOfIAM() async throws {
        let request = try await sign(
            "GET", "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
            headers: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"], service: "iam")
        let signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        #expect(request["Authorization"]?.hasSuffix(signature) == true)
    }

    @Test func sessionTokenIsSigned() async throws {
        let request = try await sign("GET", "https://example.amazonaws.com/", token: "temporary")
        #expect(request["X-Amz-Security-Token"] == "temporary")
        #expect(request["Authorization"]?.contains("host;x-amz-date;x-amz-security-token") == true)
    }

    @Test func s3RequestHasTheDigestOfTheBody() async throws {
        let request = try await sign("PUT", "https://b.s3.amazonaws.com/a%20b", body: HTTPBody("abc"), service: "s3")
        #expect(request["X-Amz-Content-Sha256"] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func bodyThatCannotBeReplayedIsRefused() async throws {
        await #expect(throws: NetworkError.bodyNotReplayable) {
            try await sign("PUT", "https://example.amazonaws.com/", body: HTTPBody(pulling: { nil }))
        }
    }
}
