import NetTesting
import Networking
import Testing

/// Uploads whose answers belong to the main actor, and whose forms are made of what does.
struct UploadTests {
    let url = URL(string: "https://api.example.com/x") ?? URL(fileURLWithPath: "/")
    let client = NetworkClient(environment: Backend(), transport: makeTransport())
    let mine = Seen(decodedOnMain: true), shared = Seen(decodedOnMain: false)
    let content = Data("a".utf8)

    private struct Post<Response>: Endpoint {
        var path: String { "/x" }
        var method: HTTPMethod { .post }
    }

    @Test func uploadsToURLs() async throws {
        let uploader = Networking(client: client)
        let a: Mine = try await uploader.upload(.data(content), to: url)
        let b: Shared = try await uploader.upload(.data(content), to: url)
        let c: NetworkResponse<Mine> = await uploader.upload(.form(["a": 1]), to: url, headers: ["X-A": "1"])
        let d: Mine = try await uploader.upload(.multipart { $0.append(value: "1", name: "a") }, to: url)
        #expect(try Seen(a) == mine && Seen(b) == shared && Seen(c.get()) == mine && Seen(d) == mine)
        let task: TransferTask<NetworkResponse<Mine>> = uploader.upload(.data(content), to: url).task
        #expect(Seen(try await task.value.get()) == mine)
        let e: Mine? = await withCheckedContinuation { continuation in
            uploader.upload(.data(content), to: url) { (response: NetworkResponse<Mine>) in
                #expect(isOnMainQueue())
                continuation.resume(returning: response.value)
            }
        }
        #expect(e.map { Seen($0) } == mine)
    }

    @Test func uploadsToEndpoints() async throws {
        let (progress, task) = client.upload(.data(content), to: Post<Mine>())
        var last: TransferProgress?
        for await update in progress { last = update }
        #expect(last?.isComplete == true)
        #expect(Seen(try await task.value) == mine)
        #expect(Seen(try await client.upload(.data(content), to: Post<Shared>()).task.value) == shared)
        let any: any TransferClientProtocol = client
        #expect(Seen(try await any.upload(.data(content), to: Post<Mine>()).task.value) == mine)
        #expect(Seen(try await any.upload(.data(content), to: Post<Shared>()).task.value) == shared)
        let form = MultipartFormData()
        form.append(value: "1", name: "a")
        #expect(Seen(try await client.upload(formData: form, to: Post<Mine>()).task.value) == mine)
    }

    @Test func uploadsForRequests() async throws {
        let a = try await client.upload(for: Request<Mine>(method: .post, path: "/x"), from: content)
        let b = try await client.upload(for: Request<Shared>(method: .post, path: "/x"), from: content)
        let c: Mine = try await client.upload(content, filename: "a", mimeType: "text/plain", to: Post<Mine>())
        #expect(Seen(a) == mine && Seen(b) == shared && Seen(c) == mine)
    }

    @Test(arguments: [(0, NetworkError.timeout), (60_000_000_000, .cancelled)] as [(UInt64, NetworkError)])
    func aFailureOrACancellationReachesTheMainActor(nanoseconds: UInt64, cause: NetworkError) async {
        let transport = StubTransport { _, _, _ in
            try await Task.sleep(nanoseconds: nanoseconds)
            throw URLError(.timedOut)
        }
        let client = NetworkClient(environment: Backend(), transport: transport)
        let task = client.upload(.data(content), to: Post<Mine>()).task
        if cause == .cancelled { task.cancel() }
        let failure = await #expect(throws: NetworkFailure.self) { _ = try await task.value }
        #expect(failure?.cause == cause)
    }
}
