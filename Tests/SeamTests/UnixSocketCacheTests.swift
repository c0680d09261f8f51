import NetTesting
import Networking
import TestLab
import Testing

#if os(Linux)
    @Suite(.timeLimit(.minutes(2))) struct UnixSocketCacheTests {
        @Test func cachedResponsesBelongToTheirSocket() async throws {
            let folder = try TemporaryDirectory()
            // They differ by case alone, which a host does not.
            let servers = try ["a.sock", "A.sock"].map { name in
                let path = folder.file(name).path
                let server = try MockServer(unixSocketPath: path) { _ in
                    .text(name).header("Cache-Control", "max-age=600")
                }
                return (name, server, "http+unix://\(PercentEncoding.encode(path))/v1/info")
            }
            let networking = Networking(client: NetworkClient(cache: ResponseCache(), resilience: .recommended))
            for _ in 0..<2 {
                for (name, _, address) in servers {
                    let text: String = try await networking.request(url: #require(URL(string: address)))
                    #expect(text == name)
                }
            }
            for (_, server, _) in servers { #expect(server.requests.count == 1) }
            await networking.shutdown()
        }
    }
#endif
