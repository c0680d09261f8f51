import NetTesting
import Networking
import Testing

/// A response at a key path, by each front door, with a model of the main actor and one of none.
struct KeyPathTests {
    let url = URL(string: "https://api.example.com/x") ?? URL(fileURLWithPath: "/")
    let client = NetworkClient(
        environment: Backend(),
        transport: StubTransport { request, _, _ in
            let report = try JSONEncoder().encode(Report(sentOnMain: isOnMainQueue()))
            let text = #"{"data": {"items": [null, \#(String(decoding: report, as: UTF8.self))]}}"#
            return TransportResponse(status: 200, url: request.url, body: HTTPBody(text))
        })
    let mine = Seen(decodedOnMain: true), shared = Seen(decodedOnMain: false)
    let path = "data.items.1"

    var networking: Networking { Networking(client: client) }

    var config: RequestConfig {
        var config = RequestConfig(url: url)
        config.options.responseKeyPath = path
        return config
    }

    struct AtPath<Response>: Endpoint {
        var path: String { "/x" }
        var options: RequestOptions { .atPath }
    }

    @Test func endpoints() async throws {
        #expect(try await Seen(client.request(AtPath<Mine>())) == mine)
        #expect(try await Seen(client.request(AtPath<Shared>())) == shared)
        #expect(try await Seen(client.builder(for: AtPath<Mine>()).send()) == mine)
        #expect(try await Seen(client.builder(for: AtPath<Shared>()).response().get()) == shared)
        #expect(try await Seen(client.builder(for: GetMine()).keyPath(path).send()) == mine)
        #expect(try await Seen(client.builder(for: GetMine()).keyPath(path).response().get()) == mine)
        #expect(try await Seen(client.builder(for: GetShared()).keyPath("data").keyPath(path).send()) == shared)
        let pages = try client.builder(for: GetShared()).keyPath(path).pages()
        for try await page in pages { #expect(Seen(page.value) == shared) }
    }

    @Test func requests() async throws {
        var request = Request<Mine>(path: "/mine")
        request.options.responseKeyPath = path
        #expect(try await Seen(client.send(request)) == mine)
        var other = Request<Shared>(path: "/shared")
        other.options.responseKeyPath = path
        #expect(try await Seen(client.send(other)) == shared)
        var context = RequestContext()
        context.options.responseKeyPath = path
        let serializer = DecodableSerializer(Shared.self)
        let value = try await client.value(for: URLRequest(url: url), context: context, serializer: serializer)
        #expect(Seen(value) == shared)
        let pages = client.pages(of: Shared.self, for: URLRequest(url: url), context: context)
        for try await page in pages { #expect(Seen(page.value) == shared) }
        let direct = try await client.value(
            for: URLRequest(url: url), serializer: DecodableSerializer(Shared.self, keyPath: path))
        #expect(Seen(direct) == shared)
    }

    @Test func theFacade() async throws {
        let a: Mine = try await networking.request(config)
        let b: Shared = try await networking.request(config)
        let c: NetworkResponse<Mine> = await networking.request(config)
        let d: NetworkResponse<Shared> = await networking.request(config)
        #expect(try Seen(a) == mine && Seen(b) == shared && Seen(c.get()) == mine && Seen(d.get()) == shared)
    }

    @Test func completionsAndChains() async throws {
        let (config, path, bare, networking) = (config, path, RequestConfig(url: url), networking)
        #expect(await answer { networking.request(config, completion: $0) } == mine)
        #expect(await answer { networking.chain(config).responseDecodable(of: Mine.self, completion: $0) } == mine)
        #expect(
            await answer { networking.chain(bare).responseDecodable(of: Mine.self, keyPath: path, completion: $0) }
                == mine)
        let onQueue: NetworkResponse<Shared> = await withCheckedContinuation { continuation in
            networking.chain(bare).responseDecodable(of: Shared.self, keyPath: path, queue: .global()) {
                continuation.resume(returning: $0)
            }
        }
        #expect(try Seen(onQueue.get()) == shared)
    }
}

extension RequestOptions {
    fileprivate nonisolated static var atPath: RequestOptions {
        var options = RequestOptions()
        options.responseKeyPath = "data.items.1"
        return options
    }
}
