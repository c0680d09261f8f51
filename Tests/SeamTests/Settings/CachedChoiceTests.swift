import NetTesting
import Networking
import Testing

/// `cached:` or the call's cache policy decides, whatever the policy of the client (rule 27).
@Suite struct CachedChoiceTests {
    static let policies: [URLRequest.CachePolicy] = [
        .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
        .returnCacheDataElseLoad,
    ]

    @Test(arguments: policies, [true, false])
    func choiceOfTheCallDecides(policy: URLRequest.CachePolicy, usesCache: Bool) async throws {
        let lab = try SettingLab()
        let client = NetworkClient(baseURL: lab.server.url).with {
            ($0.cache, $0.cachePolicy) = (ResponseCache(), policy)
        }
        func builder(_ path: String) -> CallBuilder<SettingAnswer> {
            client.builder(for: Request<SettingAnswer>(path: path))
        }
        var context = RequestContext()
        let choice = CachePolicy(useCache: usesCache, storeCache: true)
        context.cachePolicy = choice
        for _ in 0..<2 {
            _ = try await client.send(Request<SettingAnswer>(method: .get, path: "/send"), cached: usesCache)
            _ = try await builder("/cached").cached(usesCache).send()
            _ = try await builder("/policy").cachePolicy(choice).send()
            let response: NetworkResponse<SettingAnswer> = await Networking(client: client).request(
                url: lab.server.url("/facade"), cachePolicy: choice)
            #expect(response.isSuccess)
            _ = try await client.data(for: URLRequest(url: lab.server.url("/data")), context: context)
        }
        for path in ["/send", "/cached", "/policy", "/facade", "/data"] {
            #expect(lab.server.requests.filter { $0.path == path }.count == (usesCache ? 1 : 2), "\(path)")
        }
    }
}
