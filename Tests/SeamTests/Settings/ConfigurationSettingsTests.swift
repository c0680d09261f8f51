import NetTesting
import Networking
@_spi(Reflection) import Swift
import Testing

/// Each setting of `NetworkClient.Configuration` shows, and is the same through each door (rule 26).
@Suite struct ConfigurationSettingsTests {
    /// A new setting needs a case.
    @Test func everyStoredSettingHasACase() {
        // Its mirror leaves out what may be secret.
        var settings: [String] = []
        _forEachField(of: NetworkClient.Configuration.self) { name, _, _, _ in
            settings.append(String(cString: name))
            return true
        }
        #expect(settings.count >= 25 && Set(SettingCase.all.map(\.name)) == Set(settings))
        #expect(SettingCase.all.count == settings.count)
    }

    @Test(arguments: SettingCase.all.map(\.name))
    func settingHasTheSameEffectThroughEachDoor(name: String) async throws {
        let setting = try #require(SettingCase.all.first { $0.name == name })
        let expected = try await observe(setting, .client, isSet: true)
        #expect(!expected.isEmpty)
        for door in SettingDoor.allCases {
            let seen = try await observe(setting, door, isSet: true)
            #expect(seen == expected, "through \(door)")
            let unset = setting.shows == nil ? try await observe(setting, door, isSet: false) : nil
            #expect(setting.shows?(seen) ?? (unset != seen), "\(name) through \(door): \(seen)")
        }
    }

    private func observe(_ setting: SettingCase, _ door: SettingDoor, isSet: Bool) async throws -> [String] {
        let lab = try SettingLab()
        let caller = SettingCaller(
            door, lab: lab, base: { setting.base(&$0, lab) }, change: { if isSet { setting.change(&$0, lab) } })
        await setting.play(caller)
        await caller.client.shutdown()
        await lab.server.stop()
        return lab.observations
    }
}

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
