import AuthenticationServices
import NetCore
import NetSecurity
import Testing

/// One sheet at a time, as on a device.
@MainActor @Suite(.serialized, .timeLimit(.minutes(5)))
struct SystemWebStepTests {
    private let redirect: URL
    private let page: URL

    init() throws {
        redirect = try #require(URL(string: "myapp://callback"))
        page = try #require(URL(string: "https://login.example.com/authorize?state=7"))
    }

    private func step(isEphemeral: Bool = true) -> SystemWebStep {
        SystemWebStep(redirectURI: redirect, isEphemeral: isEphemeral) { FakeWindow() }
    }

    private func callback(_ step: SystemWebStep) async throws -> URL {
        let page = page
        return try await step.callback { redirect in
            #expect(redirect.absoluteString == "myapp://callback")
            return page
        }
    }

    @Test(arguments: [true, false])
    func givesWhatTheSheetCameBackWith(isEphemeral: Bool) async throws {
        let answer = try #require(URL(string: "myapp://callback?code=abc&state=7"))
        FakeSheet.play = { sheet in
            #expect(sheet.page.host == "login.example.com" && sheet.scheme == "myapp")
            #expect(sheet.prefersEphemeralWebBrowserSession == isEphemeral)
            #expect(sheet.presentationContextProvider != nil)
            sheet.finish(answer, nil)
        }
        #expect(try await callback(step(isEphemeral: isEphemeral)) == answer)
    }

    @Test func theUserMayCloseTheSheet() async {
        FakeSheet.play = { $0.finish(nil, ASWebAuthenticationSessionError(.canceledLogin)) }
        let error = await #expect(throws: OAuthError.self) { try await callback(step()) }
        #expect(error?.code == "cancelled")
    }

    @Test func otherErrorsAreGivenAsTheyAre() async {
        FakeSheet.play = { $0.finish(nil, ASWebAuthenticationSessionError(.presentationContextInvalid)) }
        let error = await #expect(throws: ASWebAuthenticationSessionError.self) { try await callback(step()) }
        #expect(error?.code == .presentationContextInvalid)
        FakeSheet.play = { $0.finish(nil, nil) }
        let other = await #expect(throws: OAuthError.self) { try await callback(step()) }
        #expect(other?.code == "invalid_callback")
    }

    @Test func aSystemThatShowsNoSheetIsAnError() async {
        FakeSheet.play = nil
        let error = await #expect(throws: OAuthError.self) { try await callback(step()) }
        guard case .unsupported? = error else {
            Issue.record("The error is \(String(describing: error)).")
            return
        }
    }

    @Test func cancellingTheTaskClosesTheSheet() async throws {
        let (shown, tell) = AsyncStream<Void>.makeStream()
        FakeSheet.play = { _ in tell.finish() }
        let waiting = Task { try await callback(step()) }
        for await _ in shown {}
        waiting.cancel()
        let error = await #expect(throws: OAuthError.self) { try await waiting.value }
        #expect(error?.code == "cancelled")
    }

    @Test func aTaskThatWasCancelledBeforeShowsNothing() async throws {
        let wasShown = Locked(false)
        FakeSheet.play = { _ in wasShown.withLock { $0 = true } }
        let waiting = Task { () async throws -> URL in
            while !Task.isCancelled { await Task.yield() }
            return try await callback(step())
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(!wasShown.withLock { $0 })
    }
}
