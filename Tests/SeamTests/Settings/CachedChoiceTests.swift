import NetTesting
import Networking
import Testing

/// `cached:` decides, whatever the policy of the client (rule 27).
@Suite struct CachedChoiceTests {
    static let policies: [URLRequest.CachePolicy] = [
        .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
        .returnCacheDataElseLoad,
    ]

    @Test(arguments: policies, [true, false])
    func cachedDecides(policy: URLRequest.CachePolicy, isCached: Bool) async throws {
        let lab = try SettingLab()
        let client = client(lab, policy)
        for _ in 0..<2 {
            _ = try await client.send(Request<SettingAnswer>(method: .get, path: "/send"), cached: isCached)
            _ = try await client.builder(for: Request<SettingAnswer>(path: "/builder")).cached(isCached).send()
        }
        for path in ["/send", "/builder"] {
            #expect(lab.server.requests.filter { $0.path == path }.count == (isCached ? 1 : 2), "\(path)")
        }
    }

    @Test(arguments: policies, [true, false])
    func cachePolicyOfTheCallDecides(policy: URLRequest.CachePolicy, usesCache: Bool) async throws {
        let lab = try SettingLab()
        let client = client(lab, policy)
        let choice = CachePolicy(useCache: usesCache, storeCache: true)
        for _ in 0..<2 {
            let response: NetworkResponse<SettingAnswer> = await Networking(client: client).request(
                url: lab.server.url("/facade"), cachePolicy: choice)
            #expect(response.isSuccess)
            _ = try await client.builder(for: Request<SettingAnswer>(path: "/builder")).cachePolicy(choice).send()
            var context = RequestContext()
            context.cachePolicy = choice
            _ = try await client.data(for: URLRequest(url: lab.server.url("/data")), context: context)
        }
        for path in ["/facade", "/builder", "/data"] {
            #expect(lab.server.requests.filter { $0.path == path }.count == (usesCache ? 1 : 2), "\(path)")
        }
    }

    private func client(_ lab: SettingLab, _ policy: URLRequest.CachePolicy) -> NetworkClient {
        NetworkClient(baseURL: lab.server.url).with {
            $0.cache = ResponseCache()
            $0.cachePolicy = policy
        }
    }
}
