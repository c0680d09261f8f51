import NetTesting
import Networking
import Testing

/// Seed 000, chapter Interceptors. The interceptor of its sections 1 and 2 stands at the end of this file.
@Suite struct InterceptorsTests {
    let server: MockServer

    init() throws {
        server = try MockServer { request in
            guard request.headers["Authorization"] == "Bearer fresh" else { return .status(401) }
            return .json(text: #"{"id": 1, "name": "Leia"}"#)
        }
    }

    /// Sends a request with the interceptor of the chapter.
    private func send(
        _ tokens: TokenStore, _ method: HTTPMethod = .get, clock: any NetworkClock = .system
    ) async -> NetworkResponse<User> {
        await TokenStore.$shared.withValue(tokens) {
            await Networking(transport: .platform, interceptor: AuthInterceptor(), clock: clock)
                .request(url: server.url("/me"), method: method, bodyParameters: method == .post ? ["a": 1] : [:])
        }
    }

    /// Section 1, Request Adaptation: token and device are in every request.
    @Test func requestAdaptation() async throws {
        let response = await send(TokenStore("fresh"))
        #expect(response.value?.name == "Leia")
        // The request as it was sent.
        #expect(response.request?.value(forHTTPHeaderField: "X-Device-ID") == Device.id)
        let request = try await server.takeRequest()
        #expect((request.headers["Authorization"], request.headers["X-Device-ID"]) == ("Bearer fresh", Device.id))
    }

    /// Section 1: "Throw an error if you cannot adapt – the request will fail early with .invalidRequest."
    @Test func adaptThatThrows() async throws {
        struct NoToken: Error {}
        struct Strict: RequestInterceptor {
            func adapt(_ request: URLRequest) async throws -> URLRequest { throw NoToken() }
        }
        let response: NetworkResponse<User> = await Networking(interceptor: Strict()).request(url: server.url("/me"))
        #expect(response.error == .invalidRequest && response.failure?.underlyingError is NoToken)
        #expect(server.requests.isEmpty && server.connectionCount == 0)
    }

    /// Section 2: 401, then a refresh, then 200, in every call style. The caller keeps neither the chain nor the facade.
    @Test func tokenRefresh() async throws {
        try await TokenStore.$shared.withValue(TokenStore("stale")) {
            let networking = Networking(interceptor: AuthInterceptor())
            let user: User = try await networking.request(url: server.url("/me"))
            #expect((user.name, TokenStore.shared.refreshes) == ("Leia", 1))
        }
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer stale", "Bearer fresh"])

        let print = Transcript()
        TokenStore.$shared.withValue(TokenStore("stale")) {
            _ = Networking(interceptor: AuthInterceptor()).request(url: server.url("/me"))
                .responseDecodable(of: User.self) { print($0.value?.name) }
                .responseVoid { print($0.isSuccess) }
        }
        #expect(try await (print.said(2), server.requests.count) == (["Leia", "true"], 4))
    }

    /// Section 2: "401 → try token refresh once". The second 401 is the caller's, also for a POST.
    @Test func tokenRefreshOnce() async throws {
        let response = await send(TokenStore("stale", next: "stale too"), .post)
        #expect(response.error?.statusCode == 401 && response.failure?.retryAttempt == 1)
        #expect(server.requests.map(\.bodyText) == [#"{"a":1}"#, #"{"a":1}"#])
    }

    /// Section 2: a refresh that fails is the caller's error.
    @Test func refreshThatFails() async throws {
        let response = await send(TokenStore("stale", next: nil))
        #expect(response.error == .unknown(nil) && response.error?.embeddedError is AuthService.Refused)
        #expect(server.requests.count == 1)
    }

    /// Section 2: "5xx → exponential back-off up to 3 attempts", by a clock that is moved and takes no time.
    @Test(arguments: [2, 3, 4]) func exponentialBackoff(failures: Int) async throws {
        let clock = TestClock(autoAdvance: true)
        server.enqueue(Array(repeating: .status(503), count: failures))
        #expect(await send(TokenStore("fresh"), clock: clock).isSuccess == (failures < 4))
        let delays = [1.0, 2, 4].prefix(failures)
        #expect(clock.sleeps.count == delays.count)
        // The jitter of ±10 % that the checklist in section 4 asks for.
        for (slept, delay) in zip(clock.sleeps, delays) { #expect(abs(slept - delay) <= delay * 0.1 + 1e-6) }
        #expect(server.requests.count == delays.count + 1)
    }

    /// Section 2, the `RetryResult` enum: there are these four cases and no other.
    @Test(arguments: [
        RetryResult.doNotRetry, .retry, .retryWithDelay(7),
        .retryWithExponentialBackoff(ExponentialBackoff(baseDelay: 3, backoffBase: 2, jitter: 0)),
    ]) func retryResults(result: RetryResult) async throws {
        let delay: TimeInterval? =
            switch result {
            case .doNotRetry: nil
            case .retry: 0
            /// immediate
            case .retryWithDelay(let delay): delay
            case .retryWithExponentialBackoff(let backoff): backoff.delay(for: 0)
            }
        struct Fixed: RequestInterceptor {
            let result: RetryResult
            func retry(
                _ request: URLRequest, dueTo error: NetworkError, currentRetryCount: Int
            ) async throws -> RetryResult { currentRetryCount == 0 ? result : .doNotRetry }
        }
        let clock = TestClock(autoAdvance: true)
        let networking = Networking(transport: .platform, interceptor: Fixed(result: result), clock: clock)
        let response: NetworkResponse<User> = await networking.request(url: server.url("/"))
        #expect((response.statusCode, server.requests.count) == (401, delay == nil ? 1 : 2))
        #expect(clock.sleeps.reduce(0, +) == delay ?? 0)
    }

    /// Section 2, the `ExponentialBackoff` helper: its defaults and its formula.
    @Test func backoffHelper() {
        let backoff = ExponentialBackoff()
        #expect(backoff.baseDelay == 1 && backoff.backoffBase == 2)
        /// retryCount = 0 → base, 1 → base*2, 2 → base*4 …
        #expect((0...3).map { backoff.delay(for: $0) } == [1, 2, 4, 8])
        #expect(ExponentialBackoff(baseDelay: 0.5, backoffBase: 3).delay(for: 2) == 4.5)
    }

    /// Section 3, Wiring the Interceptor.
    @Test func wiring() async throws {
        try await TokenStore.$shared.withValue(TokenStore("fresh")) {
            let networking = Networking(
                sessionProvider: DefaultSessionProvider(),
                interceptor: AuthInterceptor()
            )
            let user: User = try await networking.request(url: server.url("/me"))
            #expect(user.name == "Leia")
        }
    }

    /// Section 3: "If `.doNotRetry` is returned, the error is propagated."
    @Test func errorIsPropagated() async throws {
        server.enqueue(.text("no", status: 403))
        let response = await send(TokenStore("fresh"))
        #expect((response.error, server.requests.count) == (.requestFailed(statusCode: 403, data: Data("no".utf8)), 1))
    }
}

// What the chapter takes for granted.

/// A task-local, so that tests in parallel have one each.
private final class TokenStore: Sendable {
    @TaskLocal static var shared = TokenStore(nil)

    private let state: Locked<(token: String?, refreshes: Int)>
    private let next: String?

    init(_ token: String?, next: String? = "fresh") {
        state = Locked((token, 0))
        self.next = next
    }

    var accessToken: String? { state.withLock { $0.token } }
    var refreshes: Int { state.withLock { $0.refreshes } }

    func refresh() throws {
        guard let next else { throw AuthService.Refused() }
        state.withLock { $0 = (next, $0.refreshes + 1) }
    }
}

private enum AuthService {
    struct Refused: Error {}

    static func refreshToken() async throws { try TokenStore.shared.refresh() }
}

private enum Device { static let id = "device-1" }

// Sections 1 and 2, word for word; the ellipsis of section 1 is the extension of section 2.
private struct AuthInterceptor: RequestInterceptor {

    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var r = request
        /// 1️⃣ Inject bearer token
        if let token = TokenStore.shared.accessToken {
            r.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }

        /// 2️⃣ Example: add device-id header
        r.setValue(Device.id, forHTTPHeaderField: "X-Device-ID")

        /// 3️⃣ Example: sign query params
        /// sign(&r)

        return r
    }
}

extension AuthInterceptor {

    func retry(
        _ request: URLRequest,
        dueTo error: NetworkError,
        currentRetryCount: Int
    ) async throws -> RetryResult {

        /// 1️⃣ 401 → try token refresh once
        if case .requestFailed(let code, _) = error, code == 401, currentRetryCount == 0 {
            try await AuthService.refreshToken()
            return .retry
        }

        /// 2️⃣ 5xx → exponential back-off up to 3 attempts
        if case .requestFailed(let code, _) = error,
            (500..<600).contains(code),
            currentRetryCount < 3
        {
            return .retryWithExponentialBackoff(ExponentialBackoff(baseDelay: 1))
        }

        /// 3️⃣ Network offline? do not retry (let caller handle)
        if error == .noInternetConnection { return .doNotRetry }

        return .doNotRetry
    }
}
