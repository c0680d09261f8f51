@Suite struct TracePropagationTests {
    private let parent = TraceContext(traceID: .random(), spanID: .random(), isSampled: true, traceState: "a=1")

    private func send(
        _ interceptor: TracePropagationInterceptor = TracePropagationInterceptor(),
        headers: [String: String] = [:], context: RequestContext? = nil, answers: TransportResponse...
    ) async throws -> [StubTransport.Exchange] {
        let rest = Locked(answers[...])
        let transport = StubTransport { _, _, _ in rest.withLock { $0.popFirst() } ?? answer() }
        let clock = TestClock(autoAdvance: true)
        let client = NetworkClient(
            interceptors: [interceptor], retryPolicy: .default, transport: transport, clock: clock)
        _ = try await client.response(for: request(headers: headers), context: context)
        return transport.exchanges
    }

    private func traces(_ exchanges: [StubTransport.Exchange]) -> [TraceContext?] {
        exchanges.map { TraceContext(headers: HTTPHeaders($0.request.allHTTPHeaderFields ?? [:])) }
    }

    @Test func currentTraceIsPropagated() async throws {
        let exchanges = try await TraceContext.$current.withValue(parent) { try await send() }
        let sent = try #require(traces(exchanges).first ?? nil)
        #expect(sent.traceID == parent.traceID && sent.spanID != parent.spanID && sent.isSampled)
        #expect(exchanges[0].request.value(forHTTPHeaderField: "tracestate") == "a=1")
        #expect(exchanges[0].context.traceContext == sent, "inner interceptors read the sent trace")
    }

    @Test func traceOfTheContextWinsOverTheTasks() async throws {
        let context = RequestContext.with { $0.traceContext = parent }
        let exchanges = try await TraceContext.$current.withValue(TraceContext()) { try await send(context: context) }
        #expect(traces(exchanges).map { $0?.traceID } == [parent.traceID])
    }

    @Test(arguments: [true, false]) func attemptsAreSpansOfOneTrace(_ hasParent: Bool) async throws {
        let exchanges = try await TraceContext.$current.withValue(hasParent ? parent : nil) {
            try await send(answers: answer(503), answer(503), answer())
        }
        let traces = traces(exchanges)
        #expect(exchanges.count == 3 && !traces.contains(nil))
        #expect(Set(traces.map { $0?.traceID }).count == 1 && Set(traces.map { $0?.spanID }).count == 3)
        if hasParent { #expect(traces[0]?.traceID == parent.traceID) }
    }

    @Test func callsWithoutATraceStartOne() async throws {
        let first = try await traces(send())
        let second = try await traces(send())
        #expect(first.first??.isSampled == true && first[0]?.traceID != second[0]?.traceID)
        let unsampled = try await traces(send(TracePropagationInterceptor(newTraces: .unsampled)))
        #expect(unsampled.first??.isSampled == false)
        let none = try await send(TracePropagationInterceptor(newTraces: .none))
        #expect(none.first?.request.ownFields == [:] && none.first?.context.traceContext == nil)
    }

    @Test func traceparentOfTheCallerIsKept() async throws {
        let own = TraceContext()
        let exchanges = try await TraceContext.$current.withValue(parent) {
            try await send(headers: ["TraceParent": own.traceparent], answers: answer(503), answer())
        }
        #expect(traces(exchanges) == [own, own] && exchanges[0].request.value(forHTTPHeaderField: "tracestate") == nil)
        #expect(exchanges[0].context.traceContext == own)
        // Even a malformed one.
        let odd = try await send(headers: ["traceparent": "x"])
        #expect(odd[0].request.value(forHTTPHeaderField: "traceparent") == "x")
    }

    @Test func tracestateWithoutATraceparentIsRemoved() async throws {
        let exchanges = try await send(headers: ["tracestate": "b=2"])
        #expect(exchanges[0].request.value(forHTTPHeaderField: "tracestate") == nil && traces(exchanges)[0] != nil)
    }

    private let abroad = answer(302, headers: ["Location": "https://b.example/"])
    private let home = answer(302, headers: ["Location": "https://a.example/back"])

    @Test func redirectToAnotherOriginDropsTheTrace() async throws {
        let exchanges = try await send(answers: abroad, home, answer())
        let traces = traces(exchanges)
        #expect(traces.map { $0 != nil } == [true, false, true])
        #expect(traces[0]?.traceID == traces[2]?.traceID, "redirects belong to the call")
    }

    @Test func scopeEverywhereKeepsTheTrace() async throws {
        let traces = try await traces(send(TracePropagationInterceptor(scope: .everywhere), answers: abroad, answer()))
        #expect(traces.map { $0 != nil } == [true, true])
    }

    @Test func scopeOfOrigins() async throws {
        func scope(_ urls: String...) -> TracePropagationInterceptor {
            TracePropagationInterceptor(scope: .origins(urls.compactMap { URL(string: $0) }))
        }
        let there = try await traces(send(scope("https://B.example:443/x"), answers: abroad, answer()))
        #expect(there.map { $0 != nil } == [false, true])
        for wrong in ["http://a.example", "https://a.example:444", "https://www.a.example", "about:blank"] {
            #expect(try await traces(send(scope(wrong))).map { $0 != nil } == [false], "\(wrong)")
        }
    }

    @Test func interceptorWithoutAClientAddsTheTrace() async throws {
        let transport = StubTransport { _, _, _ in answer() }
        let next = Next { try await transport.send($0, body: $1, context: $2) }
        _ = try await TracePropagationInterceptor().intercept(request(), next: next)
        #expect(transport.sent("traceparent").compactMap { $0 }.count == 1)
    }

    @Test func failureHasTheTrace() async throws {
        let client = NetworkClient(
            interceptors: [TracePropagationInterceptor()], transport: StubTransport(.failure(lostConnection)))
        // One in some hundred random trace IDs looks like a card number, and is redacted.
        for _ in 0..<5 {
            let failed = try await failure { try await client.send(request()) }
            if failed.request?.headers["traceparent"].flatMap({ TraceContext(traceparent: $0) }) != nil { return }
        }
        Issue.record("no failure has its trace")
    }
}
