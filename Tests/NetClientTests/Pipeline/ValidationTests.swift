import NetCache

@Suite struct ValidationTests {
    private static let html: HTTPHeaders = ["Content-Type": "text/html"]
    private static let json: HTTPHeaders = ["Content-Type": "application/json"]

    private func client(
        _ answers: TransportResponse..., interceptors: [any HTTPInterceptor] = [],
        callInterceptors: [any HTTPInterceptor] = [], retryPolicy: RetryPolicy = .none
    ) -> (client: NetworkClient, transport: StubTransport) {
        let rest = Locked(answers[...])
        let transport = StubTransport { _, _, _ in
            guard let answer = rest.withLock({ $0.popFirst() }) else { throw PluginError(name: "no answer left") }
            return answer
        }
        let client = NetworkClient(
            interceptors: interceptors, retryPolicy: retryPolicy, transport: transport,
            callInterceptors: callInterceptors, clock: TestClock(autoAdvance: true))
        return (client, transport)
    }

    private func context(_ validation: ResponseValidation) -> RequestContext { .with { $0.validation = validation } }

    // MARK: For one call

    @Test func statusCodesOfACall() async throws {
        let (client, _) = client(answer(404, "none"), answer(200, "some"))
        let (data, response) = try await client.data(for: request(), context: context([.statusCodes(404)]))
        #expect(data == Data("none".utf8) && response.status == 404)
        let failure = try await failure { try await client.data(for: request(), context: context([.statusCodes(404)])) }
        #expect(failure.cause == .requestFailed(statusCode: 200, data: Data("some".utf8)))
        #expect(failure.response?.bodyPreview == "some" && failure.request?.url?.host == "a.example")
    }

    @Test func contentTypeOfACall() async throws {
        let (client, _) = client(answer(200, "<p>", headers: Self.html), answer(200, "1", headers: Self.json))
        let context = context(.contentTypes("application/json"))
        func value() async throws -> Int {
            try await client.value(for: request(), context: context, serializer: DecodableSerializer())
        }
        let failure = try await failure { try await value() }
        #expect(failure.cause == .decodingError(PluginError()))
        typealias Unacceptable = ResponseValidation.UnacceptableContentType
        let expected = Unacceptable(expected: ["application/json"], received: "text/html")
        #expect(failure.underlyingError as? Unacceptable == expected)
        #expect(failure.description.hasSuffix("status 200, expected application/json, received text/html"))
        #expect(failure.response?.bodyPreview == "<p>" && !failure.isRetryable)
        #expect(try await value() == 1)
        // The status is checked first.
        let page = self.client(answer(500, "<p>", headers: Self.html)).client
        let error = try await TestLab.failure { try await page.data(for: request(), context: context) }
        #expect(error.cause == .requestFailed(statusCode: 500, data: Data("<p>".utf8)))
    }

    @Test(
        arguments: [
            (NetworkError.noData, NetworkError.noData),
            (NetworkError.requestFailed(statusCode: 409, data: nil), .requestFailed(statusCode: 409, data: nil)),
            (PluginError(), .decodingError(PluginError())), (NetworkFailure.timeout(), .timeout),
        ] as [(any Error, NetworkError)])
    func errorOfACustomCheckIsTheCause(_ thrown: any Error, cause: NetworkError) async throws {
        let (client, _) = client(answer(200, #"{"ok":false}"#))
        let check = ResponseValidation.custom { response, data in
            #expect(response.status == 200 && data == Data(#"{"ok":false}"#.utf8))
            throw thrown
        }
        let failure = try await failure { try await client.data(for: request(), context: context(check)) }
        #expect(failure.cause == cause && failure.response?.statusCode == 200)
    }

    // MARK: For a client

    @Test(arguments: [true, false]) func validationOfTheClient(_ isOutermost: Bool) async throws {
        let rules = [ValidationInterceptor([.contentTypes("application/json"), .statusCodes(200, 404)])]
        func make(_ answers: TransportResponse) -> NetworkClient {
            client(answers, interceptors: isOutermost ? [] : rules, callInterceptors: isOutermost ? rules : []).client
        }
        let (data, _) = try await make(answer(404, "{}", headers: Self.json)).data(for: request())
        #expect(data == Data("{}".utf8))
        let refused = try await failure { try await make(answer(201, "{}", headers: Self.json)).data(for: request()) }
        #expect(refused.cause == .requestFailed(statusCode: 201, data: Data("{}".utf8)))
        let mistyped = try await failure { try await make(answer(200, "<p>", headers: Self.html)).data(for: request()) }
        #expect(mistyped.underlyingError is ResponseValidation.UnacceptableContentType)
        #expect(mistyped.response?.bodyPreview == "<p>" && mistyped.request != nil)
    }

    @Test func statusCodesOfTheCallWinOverTheClients() async throws {
        let (client, _) = client(answer(404), answer(500), interceptors: [ValidationInterceptor(.statusCodes(404))])
        let ownRules = context(.statusCodes(500))
        let failure = try await failure { _ = try await client.data(for: request(), context: ownRules) }
        #expect(failure.cause == .requestFailed(statusCode: 404, data: Data()))
        #expect(try await client.data(for: request(), context: ownRules).response.status == 500)
    }

    @Test func redirectsAndRetriesComeBeforeTheValidation() async throws {
        let (client, transport) = client(
            answer(302, "<p>", headers: ["Location": "/there", "Content-Type": "text/html"]),
            answer(503, "<p>", headers: Self.html), answer(200, "1", headers: Self.json),
            interceptors: [ValidationInterceptor([.contentTypes("application/json"), .statusCodes(200..<400)])],
            retryPolicy: .default)
        #expect(try await client.data(for: request()).data == Data("1".utf8))
        #expect(transport.exchanges.map { $0.request.url?.path } == ["/", "/there", "/there"])
    }

    @Test func retryableErrorOfACheckIsRetried() async throws {
        let isBusy = ResponseValidation.custom { _, data in
            if data == Data("busy".utf8) { throw NetworkError.requestFailed(statusCode: 503, data: data) }
        }
        let (client, transport) = client(
            answer(200, "busy"), answer(200, "done"), interceptors: [ValidationInterceptor(isBusy)],
            retryPolicy: .default)
        #expect(try await client.data(for: request()).data == Data("done".utf8) && transport.exchanges.count == 2)
    }

    // MARK: Bodies

    @Test func customCheckGetsTheCollectedBody() async throws {
        let seen = Locked<[Data?]>([])
        let check = ResponseValidation.custom { _, data in seen.withLock { $0.append(data) } }
        func streamed() -> TransportResponse { TransportResponse(status: 200, url: nil, body: oneShot("abc")) }
        let (client, _) = client(streamed(), streamed(), interceptors: [ValidationInterceptor(check)])
        #expect(try await client.data(for: request()).data == Data("abc".utf8))
        // As a stream it stays one.
        let response = try await client.send(request())
        #expect(try await response.body.collect(upTo: 3) == Data("abc".utf8))
        #expect(seen.withLock { $0 } == [Data("abc".utf8), nil])
    }

    @Test func contentTypeOfAStreamIsChecked() async throws {
        let answer = TransportResponse(status: 200, headers: Self.html, url: nil, body: oneShot("abc"))
        let (client, _) = client(answer, interceptors: [ValidationInterceptor(.contentTypes("text/plain"))])
        let failure = try await failure { _ = try await client.send(request()) }
        #expect(failure.underlyingError is ResponseValidation.UnacceptableContentType)
        #expect(failure.response?.bodyPreview == nil)
    }

    @Test func errorOfTheBodyIsTheCause() async throws {
        let broken = TransportResponse(status: 200, url: nil, body: HTTPBody(pulling: { throw lostConnection }))
        let (client, _) = client(broken, interceptors: [ValidationInterceptor(.custom { _, _ in })])
        let failure = try await failure { _ = try await client.data(for: request()) }
        #expect(failure.cause == .networkUnavailable && failure.statusCode == 200)
    }

    @Test func sendDoesNotCheckTheStatus() async throws {
        let (client, _) = client(answer(500, "x"), interceptors: [ValidationInterceptor(.statusCodes(200))])
        #expect(try await client.send(request()).status == 500)
    }

    @Test(arguments: [(404, true), (203, false)])
    func onlyAcceptedStatusesAreCached(_ status: Int, isAccepted: Bool) async throws {
        let transport = StubTransport { _, _, _ in answer(status, "data", headers: ["Cache-Control": "max-age=600"]) }
        let rules = ValidationInterceptor(.statusCodes(200, 404))
        let client = NetworkClient(interceptors: [rules], cache: ResponseCache(), transport: transport)
        for _ in 0..<2 {
            if isAccepted {
                #expect(try await client.data(for: request()).data == Data("data".utf8))
            } else {
                try await failure { _ = try await client.data(for: request()) }
            }
        }
        #expect(transport.exchanges.count == (isAccepted ? 1 : 2))
    }
}
