import TestLab
import Testing

@testable import NetSecurity

@Suite struct HTTPChallengeTests {
    private func parse(_ fields: String...) -> [HTTPChallenge] { HTTPChallenge.parse(fields) }

    @Test func parsesTokensAndParameters() {
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
    @Test func parsesSeveralChallenges() {
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
