@Suite struct PagesTests {
    /// A transport for these pages: URL → body and `Link` field.
    private func transport(_ pages: [String: (body: String, link: String?)]) -> StubTransport {
        StubTransport { request, _, _ in
            guard let page = request.url.flatMap({ pages[$0.absoluteString] }) else { return answer(404) }
            return answer(200, page.body, headers: page.link.map { ["Link": $0] } ?? [:])
        }
    }

    private func pages(
        _ transport: StubTransport, _ first: URLRequest? = nil, maximumPages: Int = 1000
    ) throws -> PageSequence<[Int]> {
        NetworkClient(transport: transport)
            .pages(of: [Int].self, for: try first ?? request(), maximumPages: maximumPages)
    }

    private func reason(_ failure: NetworkFailure) -> PaginationError.Reason? {
        if case .decodingError(let error) = failure.cause { (error as? PaginationError)?.reason } else { nil }
    }

    @Test func pagesAreRequestedOneByOne() async throws {
        let transport = transport([
            "https://a.example/?p=1": ("[1,2]", "<?p=2>; rel=\"next\", <?p=3>; rel=last"),
            "https://a.example/?p=2": ("[3]", "</?p=1>; rel=prev, <https://a.example/?p=3>; rel=NEXT"),
            "https://a.example/?p=3": ("[]", "<?p=2>; rel=prev"),
        ])
        let fields = ["Authorization": "t", "X-Request-ID": "1"]
        let pages = try pages(transport, request("https://a.example/?p=1", headers: fields))
        #expect(transport.exchanges.isEmpty, "nothing is sent before the first page is read")
        var values: [[Int]] = []
        for try await page in pages {
            values.append(page.value)
            #expect(transport.exchanges.count == values.count, "one request for each page")
            #expect(page.index == values.count - 1 && page.response.status == 200)
            #expect(page.request.url?.query == "p=\(values.count)")
        }
        #expect(values == [[1, 2], [3], []])
        for request in transport.exchanges.map(\.request) {
            #expect(request.ownFields == fields && request.httpMethod == "GET")
        }
        // Again from the start.
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next()?.value == [1, 2] && transport.exchanges.count == 4)
    }

    @Test(arguments: [("/2", "oops", "decoding_error"), ("/gone", nil, "request_failed")])
    func errorEndsTheSequence(_ path: String, body: String?, code: String) async throws {
        var pages: [String: (body: String, link: String?)] = ["https://a.example/": ("[1]", "<\(path)>;rel=next")]
        if let body { pages["https://a.example\(path)"] = (body, "</3>;rel=next") }
        let transport = transport(pages)
        var iterator = try self.pages(transport).makeAsyncIterator()
        #expect(try await iterator.next()?.value == [1])
        let failure = try await failure { try await iterator.next() }
        #expect(failure.code == code && failure.request?.url?.path == path)
        #expect(failure.statusCode == (body == nil ? 404 : 200))
        #expect(try await iterator.next() == nil && transport.exchanges.count == 2)
    }

    @Test(arguments: [
        ("</>;rel=next", PaginationError.Reason.loop), ("<>;rel=next", .loop), ("<#top>;rel=next", .loop),
        ("<https://a.example/#x>;rel=next", .loop), ("<http://a.example/2>;rel=next", .insecure),
        ("<HTTP://b.example/2>;rel=next", .insecure), ("<file:///etc/passwd>;rel=next", .scheme),
        ("<javascript:x>;rel=next", .scheme), ("<http://[>;rel=next", .malformedLink),
        ("<https:///p>;rel=next", .malformedLink),
    ]) func invalidLinksEndTheSequence(_ link: String, expected: PaginationError.Reason) async throws {
        let transport = transport(["https://a.example/": ("[1]", link)])
        var iterator = try self.pages(transport).makeAsyncIterator()
        #expect(try await iterator.next()?.value == [1], "the page itself is valid")
        let failure = try await failure { _ = try await iterator.next() }
        #expect(reason(failure) == expected)
        #expect(failure.request?.url?.absoluteString == "https://a.example/" && failure.statusCode == 200)
        #expect(failure.description.contains("The link to the next page"))
        #expect(try await iterator.next() == nil && transport.exchanges.count == 1)
    }

    @Test func loopsOfSeveralPagesAreDetected() async throws {
        let transport = transport([
            "https://a.example/": ("[1]", "</2>;rel=next"), "https://a.example/2": ("[2]", "</3>;rel=next"),
            "https://a.example/3": ("[3]", "</2>;rel=next"),
        ])
        let seen = Locked(0)
        let failure = try await failure { for try await _ in try pages(transport) { seen.withLock { $0 += 1 } } }
        #expect(reason(failure) == .loop && seen.withLock { $0 } == 3)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 3]) func maximumPagesLimitsEndlessPages(_ maximum: Int) async throws {
        let transport = StubTransport { request, _, _ in
            let page = Int(request.url?.lastPathComponent ?? "") ?? 0
            return answer(200, "[]", headers: ["Link": "</\(page + 1)>;rel=next"])
        }
        let endless = try pages(transport, maximumPages: maximum)
        let failure = try await failure { for try await _ in endless {} }
        #expect(reason(failure) == .tooManyPages && transport.exchanges.count == max(0, maximum))
        // The maximum is inclusive.
        let single = try pages(self.transport(["https://a.example/": ("[1]", nil)]), maximumPages: 1)
        #expect(try await single.reduce(0) { count, _ in count + 1 } == 1)
    }

    // MARK: Other origins

    private func sentHeaders(
        _ links: [String: (body: String, link: String?)], from url: String = "https://a.example/"
    ) async throws -> [[String: String]] {
        let transport = transport(links)
        // An interceptor of seed 000.
        let hook = Hook(adapting: { request in
            if request.value(forHTTPHeaderField: "Cookie") == nil {
                request.setValue("t", forHTTPHeaderField: "Authorization")
            }
        })
        let key = Before { request, _ in request.setValue("k", forHTTPHeaderField: "X-Api-Key") }
        let client = NetworkClient(interceptors: [hook, key], transport: transport)
        for try await _ in client.pages(of: [Int].self, for: try request(url, headers: ["X-Request-ID": "1"])) {}
        return transport.exchanges.map { $0.request.ownFields }
    }

    /// From a.example to b.example and back.
    private let abroad: [String: (body: String, link: String?)] = [
        "https://a.example/": ("[]", "<https://b.example/2>;rel=next"),
        "https://b.example/2": ("[]", "<https://a.example/3>;rel=next"), "https://a.example/3": ("[]", nil),
    ]

    @Test func linkToAnotherOriginDropsInterceptorsCredentials() async throws {
        let full = ["X-Request-ID": "1", "Authorization": "t", "X-Api-Key": "k"]
        #expect(try await sentHeaders(abroad) == [full, ["X-Request-ID": "1"], full])
        // Another scheme is another origin.
        let plain = ["http://a.example/": ("[]", "<https://a.example/2>;rel=next"), "https://a.example/2": ("[]", nil)]
        #expect(try await sentHeaders(plain, from: "http://a.example/") == [full, ["X-Request-ID": "1"]])
    }

    /// They are not restored, as with redirects.
    @Test func linkToAnotherOriginDropsCallersCredentials() async throws {
        let transport = transport(abroad)
        let fields = ["Authorization": "t", "Cookie": "c", "Host": "a.example", "X-Request-ID": "1"]
        for try await _ in try pages(transport, request(headers: fields)) {}
        let sent = transport.exchanges.map(\.request.ownFields)
        #expect(sent == [fields, ["X-Request-ID": "1"], ["X-Request-ID": "1"]])
        #expect(transport.exchanges.allSatisfy { $0.context.origin?.absoluteString == "https://a.example/" })
    }

    /// A link is relative to the final URL. Credentials that a redirect dropped are not restored.
    @Test func linksOfARedirectedPage() async throws {
        let transport = StubTransport { request, _, _ in
            switch request.url?.absoluteString {
            case "https://a.example/": answer(302, headers: ["Location": "https://b.example/dir/1"])
            case "https://b.example/dir/1": answer(200, "[1]", headers: ["Link": "<2>;rel=next"])
            case "https://b.example/dir/2": answer(200, "[2]", headers: ["Link": "<https://a.example/3>;rel=next"])
            case "https://a.example/3": answer(200, "[3]")
            default: answer(404)
            }
        }
        let pages = try pages(transport, request(headers: ["Authorization": "t"]))
        #expect(try await pages.reduce(into: []) { $0.append($1.value) } == [[1], [2], [3]])
        #expect(transport.sent("Authorization") == ["t", nil, nil, nil])
    }

    @Test func linkToHTTPIsRefusedAfterARedirectToHTTPS() async throws {
        let transport = StubTransport { request, _, _ in
            request.url?.scheme == "http"
                ? answer(302, headers: ["Location": "https://a.example/"])
                : answer(200, "[1]", headers: ["Link": "<http://a.example/2>;rel=next"])
        }
        let pages = try pages(transport, request("http://a.example/"))
        #expect(reason(try await failure { for try await _ in pages {} }) == .insecure)
    }

    // MARK: Requests and contexts

    @Test func furtherPagesOfAPOSTAreRequestedByGET() async throws {
        let transport = transport(["https://a.example/": ("[1]", "</2>;rel=next"), "https://a.example/2": ("[2]", nil)])
        var first = try request("https://a.example/", .post, headers: ["Content-Type": "a/b", "Accept": "c/d"])
        first.httpBody = Data("q".utf8)
        for try await _ in try pages(transport, first) {}
        #expect(transport.exchanges.map(\.request.httpMethod) == ["POST", "GET"])
        #expect(transport.exchanges.map(\.body) == [Data("q".utf8), nil])
        #expect(transport.exchanges.last?.request.ownFields == ["Accept": "c/d"])
    }

    @Test func contextAppliesToEachPage() async throws {
        let transport = transport(["https://a.example/": ("[1]", "</2>;rel=next"), "https://a.example/2": ("[2]", nil)])
        var context = RequestContext()
        context.partition = "u1"
        let client = NetworkClient(transport: transport)
        let pages = { client.pages(for: try request(), serializer: DataSerializer(), context: context) }
        for try await _ in try pages() {}
        #expect(transport.exchanges.map(\.context.partition) == ["u1", "u1"])
        context.validation = .contentTypes("application/json")
        let failure = try await failure { for try await _ in try pages() {} }
        #expect(failure.underlyingError is ResponseValidation.UnacceptableContentType)
    }

    @Test func cancellationStopsThePageInFlight() async throws {
        let transport = StubTransport { request, _, context in
            if request.url?.path == "/2" { try await context.clock.sleep(for: .infinity) }
            return answer(200, "[1]", headers: ["Link": "</2>;rel=next"])
        }
        let clock = TestClock()
        let client = NetworkClient(transport: transport, clock: clock)
        let (first, count) = (try request(), Locked(0))
        let task = Task { for try await _ in client.pages(of: [Int].self, for: first) { count.withLock { $0 += 1 } } }
        try await clock.waitForSleepers()
        task.cancel()
        #expect(try await failure { try await task.value }.isCancellation && count.withLock { $0 } == 1)
    }

    // MARK: Other kinds of pagination

    private struct Envelope: Decodable, Sendable {
        let items: [Int]
        let cursor: String?
    }

    @Test func cursorsInTheBody() async throws {
        let client = NetworkClient(
            transport: StubTransport { _, body, _ in
                let cursor = String(decoding: try await body?.collect(upTo: 10) ?? Data(), as: UTF8.self)
                return answer(200, cursor == "c2" ? #"{"items":[2]}"# : #"{"items":[1],"cursor":"c2"}"#)
            })
        var first = try request("https://a.example/", .post)
        first.httpBody = Data("c1".utf8)
        let pages = PageSequence(first: first) { request in
            let (data, response) = try await client.data(for: request)
            return (try JSONDecoder().decode(Envelope.self, from: data), response)
        } next: { page in
            var next = page.request
            guard let cursor = page.value.cursor else { return nil }
            next.httpBody = Data(cursor.utf8)
            return next
        }
        let items = try await pages.reduce(into: []) { $0 += $1.value.items }
        #expect(items == [1, 2], "the same URL with another body is another page")
    }

    @Test func cursorThatDoesNotChangeIsALoop() async throws {
        let first = try request()
        let pages = PageSequence(first: first, fetch: { _ in (value: 1, response: answer()) }, next: { $0.request })
        #expect(reason(try await failure { for try await _ in pages {} }) == .loop)
        // Other errors are not wrapped.
        let other = PageSequence(
            first: first, fetch: { _ in (value: 1, response: answer()) }, next: { _ in throw PluginError(name: "p") })
        await #expect(throws: PluginError(name: "p")) { for try await _ in other {} }
    }
}
