import NetTesting
import Networking
import TestLab
import Testing

/// What `NetworkManager.configure` sets holds for both front doors, and for each of their initialisers. In a process of its own, as it is
/// one for all clients of a process.
@Suite struct ProcessConfigurationTests {
    /// Without credentials to renew, a refused request is sent once, whatever the initialiser.
    @Test func unauthorizedIsNotRetriedWithoutCredentials() async throws {
        let server = try MockServer { _ in .status(401) }
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "POST"
        for client in [NetworkClient(), NetworkClient(cache: ResponseCache()), Networking().client] {
            let response = try await client.response(for: request)
            #expect(response.status == 401 && response.retryTrace.attempts == 1)
        }
        #expect(server.requests.count == 3)
    }

    private static func send(_ client: NetworkClient, _ path: String, in lab: SettingLab) async {
        do throws(NetworkFailure) {
            lab.note("got \(try await client.send(Request<SettingAnswer>(method: .get, path: path)).text)")
        } catch { lab.note("failed \(error.cause.code)") }
    }

    private static func send(_ networking: Networking, _ path: String, in lab: SettingLab) async {
        let response: NetworkResponse<SettingAnswer> = await networking.request(url: lab.server.url(path))
        lab.note(response.value.map { "got \($0.text)" } ?? "failed \(response.error?.code ?? "")")
    }

    #if os(macOS) || os(Linux)  // There are no exit tests elsewhere.
        @Test(.ownProcess) func credentialsGoThroughEveryInitialiser() async {
            await #expect(processExitsWith: .success) {
                let (lab, provider) = (try SettingLab(), FixedProvider(token: "process"))
                NetworkManager.configure(baseURL: lab.server.url, retryPolicy: .none, authProvider: provider)
                let clients = [
                    NetworkClient(), NetworkClient(cache: ResponseCache()), NetworkClient(interceptors: []),
                    NetworkClient(retryPolicy: .default, cache: .shared), NetworkClient(transport: PlatformTransport()),
                ]
                for client in clients { await Self.send(client, "/text", in: lab) }
                let facades = [
                    Networking(), Networking(configuration: TransportConfiguration()),
                    Networking(cache: NetworkCache()),
                    Networking(transport: PlatformTransport()), Networking(client: NetworkClient()),
                ]
                for facade in facades { await Self.send(facade, "/text", in: lab) }
                let sent = lab.observations.filter { $0.hasPrefix("GET") }
                #expect(sent.count == clients.count + facades.count)
                #expect(sent.allSatisfy { $0.contains("authorization: Bearer process") })
                // An environment of its own is another server.
                let other = try SettingLab()
                await Self.send(NetworkClient(baseURL: other.server.url), "/text", in: other)
                #expect(other.observations.first?.contains("authorization") == false)
            }
        }

        @Test(.ownProcess) func timeoutsRetriesAndCodersGoThroughBothDoors() async {
            await #expect(processExitsWith: .success) {
                let lab = try SettingLab()
                for (path, timeout) in [("/slow", 0.2), ("/flaky", 30), ("/text", 30)] as [(String, TimeInterval)] {
                    NetworkManager.configure(
                        baseURL: lab.server.url, retryPolicy: RetryPolicy(maxRetries: 1, delay: .immediate),
                        decoder: LoudDecoder(), encoder: .iso8601, timeoutInterval: timeout)
                    let start = lab.observations.count
                    await Self.send(NetworkClient(), path, in: lab)
                    let middle = lab.observations.count
                    await Self.send(Networking(), path, in: lab)
                    #expect(lab.observations[start..<middle] == lab.observations[middle...], "\(path)")
                }
                let outcomes = lab.observations.filter { !$0.hasPrefix("GET") }
                #expect(
                    outcomes == [
                        "failed timeout", "failed timeout", "got HELLO", "got HELLO", "got HELLO", "got HELLO",
                    ])
                // Dates in bodies, through both doors.
                let date = Date(timeIntervalSince1970: 0)
                _ = try await NetworkClient().send(
                    Request<SettingAnswer>(method: .post, path: "/text", body: ["at": date]))
                let response: NetworkResponse<SettingAnswer> = await Networking().request(
                    url: lab.server.url("/text"), method: .post, bodyParameters: ["at": date])
                #expect(response.isSuccess)
                let bodies = lab.server.requests.filter { $0.method == .post }.map(\.bodyText)
                #expect(bodies == Array(repeating: #"{"at":"1970-01-01T00:00:00Z"}"#, count: 2))
            }
        }

        @Test(.ownProcess) func cacheAndItsPolicyGoThroughBothDoors() async {
            await #expect(processExitsWith: .success) {
                let lab = try SettingLab()
                NetworkManager.configure(
                    baseURL: lab.server.url, cache: ResponseCache(), cachePolicy: .reloadIgnoringLocalCacheData)
                let (client, networking) = (NetworkClient(), Networking())
                for _ in 0..<2 {
                    await Self.send(client, "/client", in: lab)
                    await Self.send(networking, "/facade", in: lab)
                }
                #expect(lab.server.requests.map(\.path) == ["/client", "/facade", "/client", "/facade"])
            }
        }
    #endif
}
