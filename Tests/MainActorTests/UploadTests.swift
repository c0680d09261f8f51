import Foundation
import NetTesting
import Networking
import Testing

/// Uploads whose answers belong to the main actor, and whose forms are made of what does.
struct UploadTests {
    let url = URL(string: "https://api.example.com/x") ?? URL(fileURLWithPath: "/")
    let client = NetworkClient(environment: Backend(), transport: makeTransport())
    let mine = Seen(decodedOnMain: true)
    let shared = Seen(decodedOnMain: false)
    let headers: HTTPHeaders = ["X-A": "1"]

    private struct Post<Response>: Endpoint {
        var path: String { "/x" }
        var method: HTTPMethod { .post }
    }

    @Test func toAURL() async throws {
        let uploader = Networking(client: client)
        let a: Mine = try await uploader.upload(.data(Data("a".utf8)), to: url)
        let b: Shared = try await uploader.upload(.data(Data("a".utf8)), to: url)
        let c: NetworkResponse<Mine> = await uploader.upload(.form(["a": 1]), to: url, headers: headers)
        let d: Mine = try await uploader.upload(.multipart { $0.append(value: "1", name: "a") }, to: url)
        #expect(Seen(a) == mine && Seen(b) == shared && Seen(d) == mine)
        #expect(try Seen(c.get()) == mine)
        let task: TransferTask<NetworkResponse<Mine>> = uploader.upload(.data(Data("a".utf8)), to: url).task
        #expect(Seen(try await task.value.get()) == mine)
        let e: Mine? = await withCheckedContinuation { continuation in
            uploader.upload(.data(Data("a".utf8)), to: url) { (response: NetworkResponse<Mine>) in
                #expect(isOnMainQueue())
                continuation.resume(returning: response.value)
            }
        }
        #expect(e.map { Seen($0) } == mine)
    }

    @Test func toAnEndpoint() async throws {
        let (progress, task) = client.upload(.data(Data("a".utf8)), to: Post<Mine>())
        var last: TransferProgress?
        for await update in progress { last = update }
        #expect(last?.isComplete == true)
        #expect(Seen(try await task.value) == mine)
        #expect(Seen(try await client.upload(.data(Data("a".utf8)), to: Post<Shared>()).task.value) == shared)
        let any: any TransferClientProtocol = client
        #expect(Seen(try await any.upload(.data(Data("a".utf8)), to: Post<Mine>()).task.value) == mine)
        #expect(Seen(try await any.upload(.data(Data("a".utf8)), to: Post<Shared>()).task.value) == shared)
        let form = MultipartFormData()
        form.append(value: "1", name: "a")
        #expect(Seen(try await client.upload(formData: form, to: Post<Mine>()).task.value) == mine)
    }

    @Test func forARequest() async throws {
        let a = try await client.upload(for: Request<Mine>(method: .post, path: "/x"), from: Data("a".utf8))
        let b = try await client.upload(for: Request<Shared>(method: .post, path: "/x"), from: Data("a".utf8))
        let c: Mine = try await client.upload(Data("a".utf8), filename: "a", mimeType: "text/plain", to: Post<Mine>())
        #expect(Seen(a) == mine && Seen(b) == shared && Seen(c) == mine)
    }

    @Test func aFailureAndACancellationReachTheMainActor() async {
        let client = NetworkClient(
            environment: Backend(), transport: StubTransport { _, _, _ in throw URLError(.timedOut) })
        let task = client.upload(.data(Data("a".utf8)), to: Post<Mine>()).task
        let failure = await #expect(throws: NetworkFailure.self) { _ = try await task.value }
        #expect(failure?.cause == .timeout)
        let waiting = NetworkClient(
            environment: Backend(),
            transport: StubTransport { _, _, _ in
                try await Task.sleep(nanoseconds: 60_000_000_000)
                throw URLError(.timedOut)
            })
        let cancelled = waiting.upload(.data(Data("a".utf8)), to: Post<Mine>()).task
        cancelled.cancel()
        let second = await #expect(throws: NetworkFailure.self) { _ = try await cancelled.value }
        #expect(second?.cause == .cancelled)
    }
}
