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
