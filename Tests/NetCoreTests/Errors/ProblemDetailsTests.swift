import NetCore
import TestLab
import Testing

@Suite struct ProblemDetailsTests {
    private func read(_ json: String) -> ProblemDetails? { ProblemDetails(Data(json.utf8)) }

    /// RFC 9457, section 3.
    @Test func exampleOfTheRFC() {
        let json = """
            {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.",
             "detail": "Your current balance is 30, but that costs 50.", "instance": "/account/12345/msgs/abc",
             "status": 403, "balance": 30, "accounts": ["/account/12345", "/account/67890"]}
            """
        let problem = ProblemDetails(
            type: "https://example.com/probs/out-of-credit", title: "You do not have enough credit.", status: 403,
            detail: "Your current balance is 30, but that costs 50.", instance: "/account/12345/msgs/abc",
            extensions: ["balance": 30, "accounts": ["/account/12345", "/account/67890"]])
        #expect(read(json) == problem)
    }

    /// Section 3.1: a member of the wrong type is ignored, and none is needed.
    @Test(arguments: [
        #"{"type": 1, "title": [], "status": "403", "detail": null, "instance": {}}"#, #"{"status": 99}"#,
        #"{"status": 600}"#, #"{"status": -1}"#, #"{"status": 403.5}"#, #"{"status": true}"#,
        #"{"status": 18446744073709551616}"#, #"{"type": {"a": [1]}}"#, "{}",
    ]) func membersOfWrongTypesAreIgnored(_ json: String) { #expect(read(json) == ProblemDetails()) }

    @Test(arguments: ["", "[]", "null", "1", "\"x\"", "{", "<problem/>", #"{"a":}"#, "\u{FEFF}"])
    func otherThanAnObjectIsNil(_ text: String) { #expect(read(text) == nil) }

    @Test func bodiesOver1MiBAreNotRead() {
        let padding = String(repeating: " ", count: 1 << 20)
        #expect(read("{}" + padding) == nil && read("{}" + padding.dropLast(2)) != nil)
    }

    @Test func encodesAndDecodes() throws {
        let problem = ProblemDetails(
            type: "urn:x", title: "t", status: 400, detail: "d", instance: "/i", extensions: ["a": ["b": 1], "c": nil])
        #expect(try JSONDecoder().decode(ProblemDetails.self, from: JSONEncoder().encode(problem)) == problem)
        // A member's name cannot be an extension's.
        let shadowed = ProblemDetails(title: "t", extensions: ["title": "evil", "status": 500, "x": 1])
        let back = try JSONDecoder().decode(ProblemDetails.self, from: JSONEncoder().encode(shadowed))
        #expect(back == ProblemDetails(title: "t", extensions: ["x": 1]))
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ProblemDetails.self, from: Data("[]".utf8)) }
    }

    private func failure(
        _ body: String? = #"{"title":"t"}"#, type: String? = "application/problem+json"
    ) -> NetworkFailure {
        var headers = HTTPHeaders()
        headers["Content-Type"] = type
        let data = body.map { Data($0.utf8) }
        return NetworkFailure(
            cause: .requestFailed(statusCode: 400, data: data),
            response: ResponseSnapshot(statusCode: 400, headers: headers, body: data))
    }

    @Test func problemDetailsOfAFailure() {
        for type in ["application/problem+json", "Application/Problem+JSON; charset=utf-8"] {
            #expect(failure(type: type).problemDetails == ProblemDetails(title: "t"))
        }
        let response = NetworkResponse<Int>(
            request: nil, response: nil, data: nil, result: .failure(.timeout), failure: failure())
        #expect(response.failure?.problemDetails?.title == "t")
        // Longer than the preview in the snapshot.
        let detail = String(repeating: "d", count: 5000)
        #expect(failure(#"{"detail":"\#(detail)"}"#).problemDetails?.detail == detail)
    }

    @Test func otherFailuresHaveNoProblemDetails() {
        for type in ["application/json", "application/problem+xml", "text/html", "", nil] {
            #expect(failure(type: type).problemDetails == nil)
        }
        #expect(failure("oops").problemDetails == nil)
        #expect(failure(nil).problemDetails == nil)
        #expect(NetworkFailure.timeout().problemDetails == nil)
    }

    /// The title names the kind of problem, for logs and users. The detail is about one occurrence, and may hold personal data.
    @Test func descriptionOfAFailureHasTheTitle() {
        let failure = failure(#"{"title":"Out of\ncredit.","detail":"Alice owes 30."}"#)
        #expect(failure.description == "request_failed, status 400, Out of credit.")
        #expect(failure.localizedDescription(in: english) == "Server responded with code 400. Out of credit.")
        #expect(failure.failureReason(in: english) == "The server did not accept the request. Alice owes 30.")
        #expect(failure.localizedDescription(in: Locale(identifier: "de")).hasSuffix("400 geantwortet. Out of credit."))
    }

    /// A server's text is cut, and has neither secrets nor characters that change the direction of text.
    @Test func titlesAreCutAndRedacted() throws {
        let long = String(repeating: "x", count: 5000)
        for text in ["\u{202E}" + long, "xxx \u{202E}token=s3cr3t " + long] {
            let body = try JSONEncoder().encode(ProblemDetails(title: text, detail: text))
            let failure = failure(String(decoding: body, as: UTF8.self))
            for text in [failure.description, failure.localizedDescription, failure.failureReason ?? ""] {
                #expect(text.contains("xxx"))
                #expect(text.utf8.count < 500 && !text.contains("s3cr3t") && !text.contains("\u{202E}"), "\(text)")
            }
        }
    }

    @Test func otherBodiesAreNotInTheDescription() {
        for failure in [failure("s3cr3t", type: "text/plain"), failure(#"{"title":1}"#)] {
            #expect(failure.description == "request_failed, status 400")
            #expect(failure.errorDescription == failure.cause.errorDescription)
            #expect(failure.failureReason == failure.cause.failureReason)
        }
    }

    @Test func descriptionsHoldNoSecret() {
        let problem = ProblemDetails(
            type: "https://a.example/p?token=s3cr3t", title: "s3cr3t", status: 400, detail: "s3cr3t",
            instance: "s3cr3t", extensions: ["s3cr3t": "s3cr3t"])
        #expect(textsShowing("s3cr3t", of: problem) == [])
        #expect(problem.description == "https://a.example/p?token=[REDACTED], status 400")
        #expect(ProblemDetails().description == "about:blank" && ProblemDetails().type == "about:blank")
    }

    @Test func mutatedBodiesDoNotTrap() {
        var random = SeededGenerator(state: 11)
        let original = Data(#"{"type":"urn:x","title":"té","status":403,"detail":"d","x":[1,{"y":null}]}"#.utf8)
        var read = 0
        for _ in 0..<2000 where ProblemDetails(random.mutate(original)) != nil { read += 1 }
        #expect((1..<2000).contains(read))
    }
}
