import NetCore
import NetSecurity
import Testing

@Suite struct BackgroundSessionProviderTests {
    @Test func providerMakesABackgroundSession() throws {
        let identifier = UUID().uuidString
        let provider = try DefaultSessionProvider.background(identifier: identifier)
        #expect(provider.session.configuration.identifier == identifier && provider.session === provider.session)
        #expect(try DefaultSessionProvider.background(identifier: identifier).session === provider.session)
    }
}
