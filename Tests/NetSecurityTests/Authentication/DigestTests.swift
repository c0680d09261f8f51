import TestLab
import Testing

@testable import NetSecurity

@Suite struct DigestTests {
    private func challenge(_ text: String) throws -> DigestChallenge {
        try #require(HTTPChallenge.parse(["Digest " + text]).first.flatMap(DigestChallenge.init))
    }

    private func answer(
        _ challenge: String, username: String = "ada", password: String = "pass", method: String = "GET",
        target: String = "/", clientNonce: String = "cn", count: UInt32 = 1
    ) throws -> DigestAnswer {
        DigestAnswer(
            challenge: try self.challenge(challenge), username: username, password: password, method: method,
            target: target, clientNonce: clientNonce, count: count)
    }

    /// RFC 7616, section 3.9.1.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ]) func responseOfRFC7616Example(algorithm: String, expected: String) throws {
        let answer = try answer(
            """
            realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """, username: "Mufasa", password: "Circle of Life", target: "/dir/index.html",
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        let parsed = try #require(HTTPChallenge.parse([try answer.authorization()]).first?.parameters)
        #expect(
            parsed == [
                "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
                "algorithm": algorithm, "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "nc": "00000001",
                "qop": "auth", "cnonce": "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "response": expected,
                "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
            ])
    }

    /// RFC 7616, section 3.9.2. Its own values are those of SHA-512 cut to 256 bits, which is another function (errata); these are of
    /// Python's `hashlib.new("sha512_256")`, which knows nothing of us.
    @Test func userhashHidesTheUsername() throws {
        let answer = try answer(
            """
            realm="api@example.org", qop="auth", algorithm=SHA-512-256, charset=UTF-8, userhash=true, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS"
            """, username: "Jäsøn Doe", password: "Secret, or not?", target: "/doe.json",
            clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
        let parsed = try #require(HTTPChallenge.parse([try answer.authorization()]).first?.parameters)
        #expect(parsed["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(parsed["response"] == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
        #expect(parsed["userhash"] == "true")
    }

    /// By Python's hashlib.
    @Test func sessVariantWithAuthInt() throws {
        var answer = try answer(
            "realm=\"Lab\", nonce=\"nonce1\", qop=\"auth-int\", algorithm=SHA-256-sess", method: "POST",
            target: "/a%20b?x=1", count: 10)
        answer.body = Data("hello".utf8)
        #expect(try answer.response() == "8165b0fe37f7979d9d0fdd9b48df6d8c4cfb0d43702475b61ff1dc206d23cfe6")
        #expect(try answer.authorization().contains("nc=0000000a"))
    }

    /// RFC 2069, by Python's hashlib: servers of before 1999.
    @Test func responseWithoutQopIsRFC2069() throws {
        let text = try answer("realm=\"Lab\", nonce=\"nonce1\"").authorization()
        #expect(text.contains("response=\"cf763f3094593e7c0d4271278a7ed285\""))
        #expect(!text.contains("qop") && !text.contains("nc=") && !text.contains("algorithm"))
    }

    @Test func nonASCIIUsernameIsPercentEncoded() throws {
        let text = try answer("realm=\"a\\\"b\", nonce=n, qop=auth", username: "Jäsøn").authorization()
        #expect(text.contains("username*=UTF-8''J%C3%A4s%C3%B8n") && text.contains("realm=\"a\\\"b\""))
    }

    @Test(arguments: [
        "nonce=n", "realm=r", "realm=r, nonce=\"\"", "realm=r, nonce=n, algorithm=SHA-3",
        "realm=r, nonce=n, qop=\"other\"",
    ]) func unsupportedDigestChallengeIsNil(text: String) throws {
        #expect(DigestChallenge(try #require(HTTPChallenge.parse(["Digest " + text]).first)) == nil)
    }

    private func parse(_ fields: String...) -> [HTTPChallenge] { HTTPChallenge.parse(fields) }

    @Test func challengesHaveTokensAndParameters() {
        #expect(parse("Basic realm=\"a\"") == [HTTPChallenge(scheme: "basic", parameters: ["realm": "a"])])
        #expect(parse("Negotiate") == [HTTPChallenge(scheme: "negotiate", parameters: [:])])
        #expect(parse("Negotiate YIIa/+==") == [HTTPChallenge(scheme: "negotiate", parameters: [:])])
        #expect(
            parse("Digest REALM = \"a, \\\"b\\\"\" ,Nonce=x, qop=\"auth,auth-int\"") == [
                HTTPChallenge(
                    scheme: "digest", parameters: ["realm": "a, \"b\"", "nonce": "x", "qop": "auth,auth-int"])
            ])
    }

    /// RFC 9110, section 11.6.1, and a list of all kinds.
    @Test func fieldsHaveSeveralChallenges() {
        #expect(
            parse("Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"").map(
                \.parameters) == [["realm": "simple"], ["realm": "apps", "type": "1", "title": "Login to \"apps\""]])
        #expect(
            parse("Negotiate, NTLM abc=, , Digest nonce=\"n\" , realm=\"r\",Basic realm=\"b\"", "Bearer").map(\.scheme)
                == ["negotiate", "ntlm", "digest", "basic", "bearer"])
    }

    @Test(arguments: [
        "", ",", " , ,", "=", "\"", "Basic realm=\"open", "Basic realm=\"open\\", "Basic realm==\"x\"", "(Digest)",
        "Basic\u{0}", "Basic/x y=z",
    ]) func malformedChallengeIsIgnored(text: String) { #expect(parse(text).isEmpty) }

    @Test func challengesBeforeAMalformedOneAreKept() {
        #expect(parse("Basic realm=\"a\", Digest nonce=\"open").map(\.scheme) == ["basic"])
        #expect(parse("Digest nonce=a, nonce=b", "Basic realm=r").map(\.scheme) == ["basic"], "a repeated parameter")
    }

    @Test func numberAndSizeOfChallengesAreLimited() {
        #expect(parse(String(repeating: "a,", count: 5000)).count == 32)
        #expect(parse("Basic realm=\"" + String(repeating: "x", count: 20_000) + "\"").isEmpty)
        #expect(HTTPChallenge.parse(Array(repeating: "Basic realm=a", count: 1000)).count == 32)
    }

    /// Garbage gives an answer, and always the same; what was one list stays readable when junk follows.
    @Test func randomChallengesParseDeterministically() {
        var generator = SeededGenerator(state: 7616)
        let pieces = [
            "Digest ", "Basic ", "realm", "=", "\"", "\\", ",", " ", "\t", "nonce", "auth", "/", "==", "\0", "é", "a-b",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...24, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let challenges = parse(text)
            #expect(challenges.count <= 32 && challenges == parse(text))
            #expect(challenges.allSatisfy { $0.scheme.isHTTPToken && $0.parameters.keys.allSatisfy { $0.isHTTPToken } })
            #expect(parse("Basic realm=\"r\", X y=z, " + text).first?.parameters == ["realm": "r"])
            for challenge in challenges { _ = DigestChallenge(challenge) }
        }
    }
}
