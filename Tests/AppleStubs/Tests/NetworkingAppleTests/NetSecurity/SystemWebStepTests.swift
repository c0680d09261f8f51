import AppleLiberties
import AuthenticationServices
import NetCore
import NetSecurity
import Testing

/// One sheet at a time, as on a device.
@MainActor @Suite(.serialized, .timeLimit(.minutes(1)))
struct SystemWebStepTests {
    private let redirect: URL
    private let page: URL
    private let answer: URL

    init() throws {
        redirect = try #require(URL(string: "myapp://callback"))
        page = try #require(URL(string: "https://login.example.com/authorize?state=7"))
        answer = try #require(URL(string: "myapp://callback?code=abc&state=7"))
        FakeSheet.behavior = .chosen
    }

    private func step(_ redirectURI: URL? = nil, isEphemeral: Bool = true) -> OAuthClient.WebStep {
        OAuthClient.WebStep.system(redirectURI: redirectURI ?? redirect, isEphemeral: isEphemeral) { FakeWindow() }
    }

    private func callback(_ step: OAuthClient.WebStep) async throws -> URL {
        let page = page
        return try await step.callback { _ in page }
    }

    /// What a step ended with: nil if it has not by the time limit.
    private func error(of step: Task<URL, any Error>) async -> (any Error)? {
        let (errors, signal) = AsyncStream<any Error>.makeStream()
        Task {
            if case .failure(let error) = await step.result { signal.yield(error) }
            signal.finish()
        }
        for await error in errors { return error }
        return nil
    }

    /// A sign-in that was cancelled while its sheet was shown.
    private func cancelledSignIn() async -> Task<URL, any Error> {
        let (shown, signal) = AsyncStream<Void>.makeStream()
        FakeSheet.play = { _ in signal.finish() }
        let waiting = Task { try await callback(step()) }
        for await _ in shown {}
        waiting.cancel()
        return waiting
    }

    /// Every way in which the system may call the completion handler.
    nonisolated static let behaviors: [FakeSheet.Behavior] = CallbackQueue.allCases.flatMap { queue in
        [1, 2].flatMap { calls in
            [true, false].map { FakeSheet.Behavior(queue: queue, calls: calls, delay: 1, isImmediate: $0) }
        }
    }

    @Test(arguments: behaviors)
    func completionHandlerMayComeOnAnyQueueAndRepeatedly(_ behavior: FakeSheet.Behavior) async throws {
        FakeSheet.behavior = behavior
        FakeSheet.play = { [answer] in $0.finish(answer, nil) }
        #expect(try await callback(step()) == answer)
        FakeSheet.play = { $0.finish(nil, ASWebAuthenticationSessionError(.canceledLogin)) }
        let error = await #expect(throws: OAuthError.self) { try await callback(step()) }
        #expect(error?.code == "cancelled")
    }

    @Test(arguments: CallbackQueue.allCases, [0, 1, 2])
    func cancellationEndsTheSignIn(_ queue: CallbackQueue, _ times: Int) async throws {
        FakeSheet.behavior = FakeSheet.Behavior(queue: queue, callsAfterCancel: times)
        let before = FakeSheet.cancelCount
        let waiting = await cancelledSignIn()
        #expect((await error(of: waiting) as? OAuthError)?.code == "cancelled")
        // The sheet does not stay.
        while FakeSheet.cancelCount == before, !Task.isCancelled { await Task.yield() }
        #expect(FakeSheet.cancelCount == before + 1)
    }

    @Test func lateHandlerOfACancelledSheetIsIgnored() async throws {
        FakeSheet.behavior = FakeSheet.Behavior(queue: .background, callsAfterCancel: 2, delay: 5)
        let waiting = await cancelledSignIn()
        FakeSheet.play = { [answer] in $0.finish(answer, nil) }
        #expect(try await callback(step()) == answer)
        #expect((await error(of: waiting) as? OAuthError)?.code == "cancelled")
    }

    @Test(arguments: [
        ("https://example.com/callback", "https://example.com/callback?code=abc&state=7"),
        ("https://example.com", "https://example.com/?code=abc&state=7"),
        ("https://example.com/", "https://example.com/?code=abc&state=7"),
    ])
    func httpsRedirectURIUsesACallback(_ redirect: String, _ answer: String) async throws {
        let answer = try #require(URL(string: answer))
        let other = try #require(URL(string: "https://example.com/elsewhere?code=abc"))
        let third = try #require(URL(string: "https://example.org/callback?code=abc"))
        FakeSheet.play = { sheet in
            #expect(sheet.comesBack(to: answer) && !sheet.comesBack(to: other) && !sheet.comesBack(to: third))
            sheet.finish(sheet.comesBack(to: answer) ? answer : nil, nil)
        }
        let url = try #require(URL(string: redirect))
        #expect(try await callback(step(url)) == answer)
    }

    /// Systems before iOS 17.4 take no `https` back, and none takes a redirect URI without a host.
    @Test(arguments: [
        ("https://example.com/callback", false), ("http://example.com/callback", false), ("https:///callback", false),
        ("https:///callback", true),
    ])
    func unsupportedRedirectURIIsAnError(_ redirect: String, _ hasHTTPSCallbacks: Bool) async throws {
        FakeSheet.play = { sheet in
            Issue.record("There must be no sheet.")
            sheet.finish(nil, nil)
        }
        let url = try #require(URL(string: redirect))
        let step = step(url)
        var traits = SystemTraits.current
        traits.hasHTTPSCallbacks = hasHTTPSCallbacks
        let error = await #expect(throws: OAuthError.self) {
            try await SystemTraits.$current.withValue(traits) { try await callback(step) }
        }
        #expect(error?.code == "unsupported")
    }

    @Test(arguments: [true, false])
    func signInReturnsTheCallbackURL(isEphemeral: Bool) async throws {
        FakeSheet.play = { [answer] sheet in
            #expect(sheet.page.host == "login.example.com" && sheet.scheme == "myapp")
            #expect(sheet.prefersEphemeralWebBrowserSession == isEphemeral)
            #expect(sheet.presentationContextProvider != nil)
            sheet.finish(answer, nil)
        }
        #expect(try await callback(step(isEphemeral: isEphemeral)) == answer)
    }

    @Test func otherSheetErrorsAreKept() async {
        FakeSheet.play = { $0.finish(nil, ASWebAuthenticationSessionError(.presentationContextInvalid)) }
        let error = await #expect(throws: ASWebAuthenticationSessionError.self) { try await callback(step()) }
        #expect(error?.code == .presentationContextInvalid)
        FakeSheet.play = { $0.finish(nil, nil) }
        let other = await #expect(throws: OAuthError.self) { try await callback(step()) }
        #expect(other?.code == "invalid_callback")
    }

    @Test func sheetThatDoesNotStartIsAnError() async {
        FakeSheet.play = nil
        let error = await #expect(throws: OAuthError.self) { try await callback(step()) }
        #expect(error?.code == "unsupported")
    }

    @Test func cancelledTaskShowsNoSheet() async throws {
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
