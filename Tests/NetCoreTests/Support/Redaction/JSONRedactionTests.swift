import NetCore
import TestLab
import Testing

@Suite struct JSONRedactionTests {
    private func redacted(_ json: String, by redactor: Redactor = .standard) -> String {
        String(decoding: redactor.json(Data(json.utf8)), as: UTF8.self)
    }

    /// In the tables `*` stands for the mark.
    private func marked(_ text: String) -> String { text.replacingOccurrences(of: "*", with: Redactor.mark) }

    @Test(arguments: [
        // The example of seed 003.
        (#"{"username":"john","password":"hunter2"}"#, #"{"username":"john","password":"*"}"#),
        // Values of unknown names are not shown; Booleans and null are.
        (#"{"a":"x","b":1,"c":true,"d":null,"e":-1.5e3}"#, #"{"a":"*","b":"*","c":true,"d":null,"e":"*"}"#),
        // At any depth, in lists, in any spelling.
        (#"{"data":[{"id":7,"Access_Token":"x"}]}"#, #"{"data":[{"id":7,"Access_Token":"*"}]}"#),
        (#"{"tags":["a",["b"]],"ids":[1,"b"]}"#, #"{"tags":["*",["*"]],"ids":[1,"b"]}"#),
        (#"{"PER-PAGE":1,"perPage":2,"createdAt":"2024-01-01T10:11:12Z"}"#, nil),
        // Nothing is shown under a secret name.
        (#"{"credentials":{"id":1,"deep":[{"name":"x"}]},"id":2}"#, #"{"credentials":"*","id":2}"#),
        (#"{"session":["id",{"}":"]"}],"id":2}"#, #"{"session":"*","id":2}"#),
        // Values at the top level.
        (#""x""#, #""*""#), ("17", #""*""#), (" [ 1 , true ] ", #" [ "*" , true ] "#),
        ("{}", nil), ("[]", nil), ("", nil), ("  ", nil), ("[{}]", nil),
        // Lines of JSON.
        ("{\"id\":1}\n{\"a\":2}\n", "{\"id\":1}\n{\"a\":\"*\"}\n"),
        // Values that look like secrets, under harmless names.
        (#"{"id":"eyJhbGciOi.eyJzdWIi.abc"}"#, #"{"id":"*"}"#), (#"{"id":4111111111111111}"#, #"{"id":"*"}"#),
        (#"{"id":"4111 1111 1111 1111"}"#, #"{"id":"*"}"#), (#"{"name":"aB3dE5gH7jK9mN1pQ3sT"}"#, #"{"name":"*"}"#),
        (#"{"title":"Bearer abc1"}"#, #"{"title":"*"}"#), (#"{"name":"{\"password\":\"x\"}"}"#, #"{"name":"*"}"#),
        (#"{"name":"4111\u0020111111111111"}"#, #"{"name":"*"}"#),
        // Names with escapes.
        (#"{"\u0069d":1,"pass\u0077ord":{"id":1}}"#, #"{"\u0069d":1,"pass\u0077ord":"*"}"#),
        // Names that look like secrets.
        (#"{"eyJhbGciOi.eyJzdWIi.abc":1,"4111111111111111":2}"#, #"{"*":"*","*":"*"}"#),
        ("\u{FEFF}{\"id\":1}", nil),
    ]) func valuesAreRedacted(_ json: String, to expected: String?) {
        #expect(redacted(json) == marked(expected ?? json) && redacted(json, by: .none) == json)
    }

    @Test(arguments: [
        ("{password: 1}", "{*"), (#"{"id":1,"a":"x"#, #"{"id":1,"a":*"#), (#"{"id":1} x"#, #"{"id":1} *"#),
        (#"{"id":'x'}"#, #"{"id":*"#), (#"{"id":1,}"#, #"{"id":1,*"#), (#"["a" "b"]"#, #"["*" *"#),
        (#"{"credentials":{"id":1"#, #"{"credentials":*"#), (#"{"id":truex}"#, #"{"id":true*"#), (#"{"id" 1}"#, "{*"),
        ("]", "*"), (#"{"id":1]"#, #"{"id":1*"#), ("{\"id\":\"a\nb\"}", #"{"id":*"#), (#"// {"a":1}"#, "*"),
        ("[1,]", "[\"*\",*"), ("\u{1F}\u{8B}x", "*"), (#"{"a"#, "{*"), (#"{"id":"\"#, #"{"id":*"#),
        ("{\"name\":\"\\q12345\"}", "{\"name\":\"*\"}"),
    ]) func malformedJSONIsNotShown(_ json: String, expected: String) { #expect(redacted(json) == marked(expected)) }

    @Test func deepNestingIsNotShown() {
        let deep = String(repeating: "[", count: 100_000) + "1"
        #expect(redacted(deep).hasSuffix("[[REDACTED]") && redacted(deep).utf8.count < 1_000)
    }

    /// Mutations of JSON in which every value is secret.
    @Test func mutatedJSONShowsNoSecret() {
        let secret = "S3CR3T"
        let json =
            #"{"a":"\#(secret)","credentials":{"zz":"\#(secret)","x":[1,"\#(secret)"]},"l":["\#(secret)",{"b":"\#(secret)"}],"t":"\#(secret)\n"}"#
        var generator = SeededGenerator(state: 7)
        for _ in 0..<20_000 {
            let text = String(decoding: Redactor.standard.json(generator.mutate(Data(json.utf8))), as: UTF8.self)
            // A mutation may make it a name, and names are shown.
            if text.contains(secret), text.range(of: secret + #"[^,]*" *:"#, options: .regularExpression) == nil {
                Issue.record("\(text)")
            }
        }
    }

    @Test func strictRulesShowNoValues() {
        let strict = Redactor(rules: RedactionRules(isStrict: true))
        #expect(
            redacted(#"{"id":7,"username":"john","on":true}"#, by: strict)
                == #"{"id":"[REDACTED]","username":"[REDACTED]","on":true}"#)
        #expect(strict.headerValue("app/1", named: "User-Agent") == Redactor.mark)
        #expect(strict.headerValue("text/html", named: "Content-Type") == "text/html")
        #expect(strict.url("https://a.b/v2/users/17/x") == "https://a.b/v2/users/[REDACTED]/x")
    }

    @Test func customRules() {
        let custom = Redactor(
            rules: RedactionRules(sensitiveFields: ["nick_name", "id"], allowedFields: ["message", "password"]))
        #expect(
            redacted(#"{"id":1,"message":"hi","nickName":["a"],"password":"x","note":"y"}"#, by: custom)
                == #"{"id":"[REDACTED]","message":"hi","nickName":"[REDACTED]","password":"x","note":"[REDACTED]"}"#)
    }

    /// Code and message of an error object are shown if they look like ones.
    @Test(arguments: [
        (
            #"{"error":{"code":"card_declined","message":"Your card was declined.","detail":"x"}}"#,
            #"{"error":{"code":"card_declined","message":"Your card was declined.","detail":"*"}}"#
        ),
        (
            #"{"errors":[{"code":-401,"message":"No"},{"message":"x","code":"InvalidArgument"}],"code":1}"#,
            #"{"errors":[{"code":-401,"message":"No"},{"message":"x","code":"InvalidArgument"}],"code":"*"}"#
        ),
        // Elsewhere a code may be a secret, and a message personal.
        (
            #"{"code":"card_declined","message":"hi","data":{"code":12,"message":"hi"}}"#,
            #"{"code":"*","message":"*","data":{"code":"*","message":"*"}}"#
        ),
        // Neither at a deeper level, nor of another type.
        (
            #"{"error":{"inner":{"code":"E1"},"code":{"id":1},"message":["hi",{"code":1}]}}"#,
            #"{"error":{"inner":{"code":"*"},"code":"*","message":["*",{"code":"*"}]}}"#
        ),
        (#"{"error":{"code":"aHVudGVyMg"}}"#, #"{"error":{"code":"*"}}"#),
        (#"{"error":{"code":"a1b2c3d4"}}"#, #"{"error":{"code":"*"}}"#),
        (#"{"error":{"code":"%68%75"}}"#, #"{"error":{"code":"*"}}"#),
        (#"{"error":{"code":12345678}}"#, #"{"error":{"code":"*"}}"#),
        (#"{"error":{"code":"12345678"}}"#, #"{"error":{"code":"*"}}"#),
        (#"{"error":{"message":"Bearer abc1 is invalid"}}"#, #"{"error":{"message":"*"}}"#),
        (#"{"error":{"message":"password\u003dhunter2"}}"#, #"{"error":{"message":"*"}}"#),
        (#"{"token":{"error":{"code":"E1"}}}"#, #"{"token":"*"}"#),
    ]) func errorObjects(_ json: String, to expected: String) { #expect(redacted(json) == marked(expected)) }

    @Test("A problem document is an error object, and its members are not")
    func problemDocuments() {
        let json = Data(
            #"{"title":"No","status":403,"detail":"x","code":"no_credit","message":"m","y":{"code":"E1"}}"#.utf8)
        #expect(
            String(decoding: Redactor.standard.json(json, isProblem: true), as: UTF8.self)
                == #"{"title":"No","status":403,"detail":"[REDACTED]","code":"no_credit","message":"m","y":{"code":"[REDACTED]"}}"#
        )
        let strict = Redactor(rules: RedactionRules(isStrict: true))
        #expect(!String(decoding: strict.json(json, isProblem: true), as: UTF8.self).contains("no_credit"))
        let own = Redactor(rules: RedactionRules(sensitiveFields: ["message"]))
        #expect(!String(decoding: own.json(json, isProblem: true), as: UTF8.self).contains("\"m\""))
    }

    @Test(arguments: [
        "invalid_grant", "ERR-42", "E1001", "AADSTS50076", "NoSuchKey", "23505", "rate_limit.exceeded", "ok",
        "DEADLINE_EXCEEDED", "AccessDeniedException", "ER_DUP_ENTRY", "P2002", "InvalidOTP", "auth/user-not-found",
    ]) func codesOfServicesAreShown(_ code: String) {
        let json = #"{"error":{"code":"\#(code)"}}"#
        #expect(redacted(json) == json)
    }
}
