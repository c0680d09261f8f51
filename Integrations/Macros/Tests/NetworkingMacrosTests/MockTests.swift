import Foundation
import NetClient
import NetCore
import NetTesting
import NetTransfer
import NetworkingMacros
import Testing

@Suite struct MockTests {
    @Test func answersAndRecords() async throws {
        let mock = UsersMock()
        mock.onUser = { @MainActor id in User(id: id, name: "Leia") }
        mock.onSearch = { @MainActor text, page, _ in [User(id: page ?? 0, name: text)] }
        mock.onDelete = { _ in }
        let users: any Users = mock
        let user = try await users.user(id: 7)
        let found = try await users.search(text: "x", page: 2, order: nil)
        try await users.delete(id: 9)
        #expect(user == User(id: 7, name: "Leia") && found == [User(id: 2, name: "x")])
        #expect(mock.userCalls == [7] && mock.deleteCalls == [9])
        #expect(mock.searchCalls.map(\.text) == ["x"] && mock.searchCalls.map(\.page) == [2])
        #expect(mock.eventsCalls.isEmpty && mock.createCalls.isEmpty)
    }

    @Test func saysWhichClosureToSet() async throws {
        let mock = UsersMock()
        let failure = await #expect(throws: NetworkFailure.self) { _ = try await mock.user(id: 7) }
        #expect(failure?.cause == .unsupported("UsersMock.onUser is not set. Set it before the call."))
        #expect(mock.userCalls == [7])
        let shop = ShopMock()
        let response = await shop.change(id: "1", nil)
        #expect(response.error == .unsupported("ShopMock.onChange is not set. Set it before the call."))
        let download = await #expect(throws: NetworkFailure.self) {
            _ = try await shop.load(name: "a", to: nil, options: Downloader.Options()).task.value
        }
        #expect(download?.cause == .unsupported("ShopMock.onLoad is not set. Set it before the call."))
        let upload = await #expect(throws: NetworkFailure.self) {
            _ = try await shop.storeForm(photo: .empty).task.value
        }
        #expect(upload?.cause == .unsupported("ShopMock.onStoreForm is not set. Set it before the call."))
        let events = await #expect(throws: NetworkFailure.self) {
            for try await _ in mock.events() {}
        }
        #expect(events?.cause == .unsupported("UsersMock.onEvents is not set. Set it before the call."))
    }

    @Test func throwsTypedErrors() async throws {
        let shop = ShopMock()
        shop.onItem = { (_, _) async throws(NetworkFailure) in throw .notFound() }
        do throws(NetworkFailure) {
            _ = try await shop.item(id: UUID(), name: "")
            Issue.record("not thrown")
        } catch {
            #expect(error.kind == .notFound)
        }
    }

    @Test func generics() async throws {
        let mock = EchoMock()
        mock.onEcho = { value, _ in value }
        let echoed: Int = try await mock.echo(7, count: 1)
        #expect(echoed == 7)
        mock.onEcho = { _, _ in "text" }
        let failure = await #expect(throws: NetworkFailure.self) { let _: Int = try await mock.echo(7, count: 1) }
        #expect(failure?.cause == .unsupported("EchoMock.onEcho returned String. The caller expects Int."))
        let store = StoreMock<Int>()
        store.onValues = { [1, 2] }
        let values = try await store.values()
        #expect(values == [1, 2] && store.valuesCalls.count == 1)
    }

    @Test func isSendable() async throws {
        let mock = FreeMock()
        mock.onNumber = { 1 }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = try? await mock.number() } }
        }
        #expect(mock.numberCalls.count == 50)
    }
}

/// Generics, isolation and names, against a server; and other clients.
@Suite struct ClientTests {
    @Test func generics() async throws {
        try await withServer { server, client in
            server.enqueue(.json(text: "[1, 2]"), .noContent, .json(text: "7"), .noContent)
            let store = StoreClient<Int>(client)
            let values = try await store.values()
            try await store.add(3)
            let echoed = try await EchoClient(client).echo(7, count: 2)
            try await EchoClient(client).send(["a"])
            #expect(values == [1, 2] && echoed == 7)
            #expect(server.requests.map(\.bodyText) == ["", "3", "7", #"["a"]"#])
        }
    }

    @Test func isolation() async throws {
        try await withServer { server, client in
            server.on("/number", .json(text: "7"))
            let free = FreeClient(client)
            let number = try await Task.detached { try await free.number() }.value
            let onMain = try await OnMainClient(client).number()
            let hidden = try await hiddenNumber(client)
            #expect(number == 7 && onMain == 7 && hidden == 7)
        }
    }

    @Test func namesOfTheGeneratedCode() async throws {
        try await withServer { server, client in
            server.enqueue(.json(text: "1"), .json(text: "2"))
            let names = NamesClient(client)
            let first = try await names.default(client: "c", call: 5, handler: "r")
            let second = try await names.in(in: "i")
            #expect(first == 1 && second == 2)
            #expect(server.requests.map(\.target) == ["/c/5?handler=r", "/i"])
        }
    }

    @Test func otherClients() async throws {
        let mock = MockNetworkClient()
        let leia = User(id: 7, name: "Leia")
        await mock.stub(.get, "/users/7") { (_: Request<User>) in leia }
        let user = try await UsersClient(mock).user(id: 7)
        #expect(user.name == "Leia")
        // What only a NetworkClient can do is refused.
        let events = await #expect(throws: NetworkFailure.self) { for try await _ in UsersClient(mock).events() {} }
        let retry = await #expect(throws: NetworkFailure.self) { _ = try await ShopClient(mock).flaky() }
        let response = await ShopClient(mock).change(id: "1", nil)
        #expect(events?.kind == .unsupported && retry?.kind == .unsupported)
        #expect(response.failure?.kind == .unsupported)
        let offline = ShopClient(Offline())
        let upload = await #expect(throws: NetworkFailure.self) {
            _ = try await offline.storeForm(photo: .empty).task.value
        }
        let download = await #expect(throws: NetworkFailure.self) {
            _ = try await offline.load(name: "a", to: nil, options: Downloader.Options()).task.value
        }
        #expect(upload?.kind == .unsupported && download?.kind == .unsupported)
    }
}

/// A client that cannot transfer files.
nonisolated private struct Offline: NetworkClientProtocol {
    nonisolated(nonsending) func request<E: Endpoint>(_ endpoint: E) async throws(NetworkFailure) -> E.Response {
        throw .noConnection()
    }
    nonisolated(nonsending) func send<Value>(_ request: Request<Value>, cached: Bool?) async throws(NetworkFailure)
        -> Value
    {
        throw .noConnection()
    }
    nonisolated(nonsending) func execute<Value: Decodable>(_ request: URLRequest) async throws(NetworkFailure) -> Value
    {
        throw .noConnection()
    }
}
