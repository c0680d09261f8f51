/// All clients of a process share the configuration, so the test that configures runs in a process of its own.
@Suite struct NetworkManagerTests {
    @Test func unconfiguredClientsDoNotRetryAndUsePlainJSON() throws {
        let configuration = NetworkManager.clientConfiguration
        #expect(configuration.retryPolicy.maxRetries == 0 && configuration.baseURL == nil)
        #expect((NetworkClient(transport: people()).decoder as? JSONDecoder)?.usesISO8601 == false)
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func clientsStartFromTheConfiguration() async {
            await #expect(processExitsWith: .success) {
                var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://c.example/v2"))
                configuration.timeoutInterval = 11
                configuration.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData
                configuration.decoder = .iso8601
                NetworkManager.configure(configuration)
                let transport = people()
                let client = NetworkClient(transport: transport)
                try await client.send(Request<Person>(method: .get, path: "/user"))
                let sent = try #require(transport.exchanges.first?.request)
                #expect(sent.url?.absoluteString == "https://c.example/v2/user" && sent.timeoutInterval == 11)
                #expect(sent.cachePolicy == .reloadIgnoringLocalAndRemoteCacheData)
                #expect((client.decoder as? JSONDecoder)?.usesISO8601 == true)
                #expect((client.encoder as? JSONEncoder)?.contentType == "application/json")
                let own = NetworkClient(environment: try lab(), decoder: .json, transport: transport)
                try await own.request(GetPerson(id: "1"))
                #expect(transport.exchanges.last?.request.url?.absoluteString == "https://a.example/v1/people/1")
                #expect((own.decoder as? JSONDecoder)?.usesISO8601 == false)
            }
        }

        @Test(.ownProcess) func configuredProviderKeepsItsRulesInDerivedClients() async {
            await #expect(processExitsWith: .success) {
                var configuration = NetworkClient.Configuration()
                configuration.authenticationProvider = NumberedTokens(partition: "ann", prefix: "https://a.example/")
                NetworkManager.configure(configuration)
                let provider = NetworkManager.authenticationProvider
                let transport = people()
                configuration.transport = transport
                let plain = NetworkClient(configuration: configuration)
                configuration.authenticationProvider = provider
                let configured = NetworkClient(configuration: configuration)
                for host in ["a.example", "b.example"] {
                    let request = Request<Person>(absoluteURL: try #require(URL(string: "https://\(host)/")))
                    try await plain.send(request.authenticated(by: provider))
                    try await configured.send(request)
                }
                #expect(transport.sent("Authorization") == ["Bearer 0", "Bearer 0", nil, nil])
                #expect(transport.exchanges.map { $0.context.identity?.name } == ["ann", "ann", nil, nil])
            }
        }
    #endif

    /// This module has no cache that could use a `URLCache`.
    @Test func urlCacheIsRefused() async throws {
        let session = URLSessionConfiguration.default
        session.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: nil)
        var configuration = NetworkClient.Configuration()
        configuration.setTransport(mapping: session)
        let failure = try await failure { try await NetworkClient(configuration: configuration).send(request()) }
        #expect(failure.description.contains("ResponseCache(store: URLCacheStore(cache))"))
    }

    @Test func settingsOfAClientWithABaseURL() throws {
        let url = try lab().baseURL
        let client = NetworkClient(baseURL: url, retryPolicy: RetryPolicy(maxRetries: 7), decoder: .iso8601)
        #expect(client.configuration.retryPolicy.maxRetries == 7 && client.environment?.baseURL == url)
        #expect((client.decoder as? JSONDecoder)?.usesISO8601 == true)
    }
}

extension JSONDecoder {
    fileprivate var usesISO8601: Bool { if case .iso8601 = dateDecodingStrategy { true } else { false } }
}
