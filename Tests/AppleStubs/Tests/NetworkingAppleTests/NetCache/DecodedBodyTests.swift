import NetCache
import NetClient
import NetCore
import NetTesting
import NetTransport
import TestLab
import Testing

/// A body that `URLSession` has decoded is stored without the fields of its coding.
@Suite(.timeLimit(.minutes(1))) struct DecodedBodyTests {
    private static let text = Data(String(repeating: "hello ", count: 1000).utf8)
    private static let coded = "H4sIAAAAAAACA+3EMQ0AAAgDMCuYI+FYgv8PEbzt0elka2zbtm3btm3b9uMDwTcMQHAXAAA="

    @Test(arguments: [false, true])
    func cacheStoresTheDecodedBody(_ isLent: Bool) async throws {
        let coded = try #require(Data(base64Encoded: Self.coded))
        let server = try MockServer { request in
            guard request.headers["If-None-Match"] == nil else {
                return MockResponse.status(304).header("Content-Encoding", "gzip").header("ETag", "\"1\"")
            }
            return MockResponse.data(coded).header("Content-Encoding", "gzip")
                .header("ETag", "\"1\"").header("Cache-Control", "no-cache")
        }
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let transport = isLent ? try URLSessionTransport(session: session) : URLSessionTransport()
        // Other tests empty the caches in memory.
        let folder = try TemporaryDirectory()
        let cache = ResponseCache(store: DiskCache(directory: folder.url))
        let client = NetworkClient(cache: cache, transport: transport)
        for number in 1...3 {
            let (data, response) = try await client.data(for: URLRequest(url: server.url("/zeros")))
            #expect(data == Self.text && response.status == 200 && response.headers["Content-Encoding"] == nil)
            #expect(response.headers["Content-Length"].map { $0 == "\(Self.text.count)" } ?? true)
            #expect(server.requests.count == number)
        }
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-None-Match"] == "\"1\"" })
    }
}
