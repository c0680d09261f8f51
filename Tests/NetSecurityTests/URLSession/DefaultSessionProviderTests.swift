import NetSecurity
import TestLab
import Testing

@Suite struct DefaultSessionProviderTests {
    @Test func concurrentCallersGetTheSameSession() async throws {
        let provider = DefaultSessionProvider()
        let sessions = try await atOnce(50) { _ in ObjectIdentifier(provider.session) }
        #expect(Set(sessions) == [ObjectIdentifier(provider.session)])
        provider.session.invalidateAndCancel()
    }

    @Test func configurationIsCopied() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 7
        let provider = DefaultSessionProvider(configuration: configuration)
        configuration.timeoutIntervalForRequest = 99
        #expect(provider.session.configuration.timeoutIntervalForRequest == 7)
        provider.session.invalidateAndCancel()
    }

    @Test func providersHaveTheirOwnSessions() {
        let one: any URLSessionProviding = DefaultSessionProvider()
        let other: any URLSessionProviding = DefaultSessionProvider()
        #expect(one.session !== other.session)
        one.session.invalidateAndCancel()
        other.session.invalidateAndCancel()
    }
}
