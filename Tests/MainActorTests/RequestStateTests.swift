import NetTesting
import Networking
import Testing

struct RequestStateTests {
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @Test func aModelOfTheMainActorIsLoaded() async {
        let client = NetworkClient(environment: Backend(), transport: makeTransport())
        let state = RequestState { try await client.request(GetMine()) }
        await state.load()
        #expect(state.value.map { Seen($0) } == Seen(decodedOnMain: true))
        let other = RequestState { try await client.builder(for: GetMine()).send() }
        await other.load()
        #expect(other.value.map { Seen($0) } == Seen(decodedOnMain: true))
        let shared = RequestState { try await client.builder(for: GetShared()).send() }
        await shared.load()
        #expect(shared.value.map { Seen($0) } == Seen(decodedOnMain: false))
    }
}
