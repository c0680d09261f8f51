import NetSecurity
import Testing

@Suite struct DefaultSessionProviderTests {
    @Test func makesOneSessionAlsoForManyAtOnce() async {
        let provider = DefaultSessionProvider()
        let sessions = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<50 { group.addTask { ObjectIdentifier(provider.session) } }
            return await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
        }
        #expect(sessions == [ObjectIdentifier(provider.session)])
        provider.session.invalidateAndCancel()
    }

    @Test func takesTheConfigurationAsItWas() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 7
        let provider = DefaultSessionProvider(configuration: configuration)
        configuration.timeoutIntervalForRequest = 99
        #expect(provider.session.configuration.timeoutIntervalForRequest == 7)
        provider.session.invalidateAndCancel()
    }

    @Test func twoProvidersHaveTwoSessions() {
        let one: any URLSessionProviding = DefaultSessionProvider()
        let other: any URLSessionProviding = DefaultSessionProvider()
        #expect(one.session !== other.session)
        one.session.invalidateAndCancel()
        other.session.invalidateAndCancel()
    }
}
