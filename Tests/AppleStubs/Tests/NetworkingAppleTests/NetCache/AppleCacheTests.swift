import Dispatch
import NetClient
import NetCore
import NetTesting
import NetTransport
import TestLab
import Testing
import os

@testable import NetCache

@Suite(.timeLimit(.minutes(1))) struct ResponseCacheTests {
    private static let text = Data(String(repeating: "hello ", count: 1000).utf8)
    private static let coded = "H4sIAAAAAAACA+3EMQ0AAAgDMCuYI+FYgv8PEbzt0elka2zbtm3btm3b9uMDwTcMQHAXAAA="

    /// A body that `URLSession` has decoded is stored without the fields of its coding.
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

    /// A field that makes another owner over and over is named in the unified log, although nothing logs the calls.
    @Test func cacheNoticeInTheLogNamesTheField() async throws {
        let cache = ResponseCache(maxEntries: 100)
        let url = try #require(URL(string: "https://a.example/"))
        for number in 0..<20 {
            var request = URLRequest(url: url)
            request.setValue("\(number)", forHTTPHeaderField: "X-Apple-Probe-Token")
            var context = RequestContext()
            context.delivery = .collected(limit: 100)
            let next = Next(context: context) { request, _, _ in
                TransportResponse(
                    status: 200, headers: ["Cache-Control": "max-age=3600"], url: request.url, body: HTTPBody("x"))
            }
            _ = try await cache.intercept(request, next: next)
        }
        let shown = FakeUnifiedLog.entries(of: "networking.client").map(\.shown)
        #expect(shown.filter { $0.contains("x-apple-probe-token") }.count == 1)
    }
}

@Suite(.serialized, .timeLimit(.minutes(5)))
struct MemoryPressureTests {
    /// Counts what a watch says.
    private final class Listener: Sendable {
        private let watch = MemoryPressureWatch()
        private let heard = Locked<[MemoryPressure]>([])

        init() { watch.start { [heard] pressure in heard.withLock { $0.append(pressure) } } }
        var count: Int { heard.withLock(\.count) }
        func stop() { watch.stop() }

        func hears(_ pressure: MemoryPressure) async {
            while !heard.withLock({ $0.contains(pressure) }), !Task.isCancelled { await Task.yield() }
        }
    }

    @Test func memoryPressureEventsArrive() async throws {
        let listener = Listener()
        MemoryPressureDriver.signal(.warning)
        await listener.hears(.warning)
        MemoryPressureDriver.signal(.critical)
        await listener.hears(.critical)
        listener.stop()
        // Whatever was under way has come by the time when another one has heard something.
        let probe = Listener()
        MemoryPressureDriver.signal(.warning)
        await probe.hears(.warning)
        let count = listener.count
        for _ in 0..<3 {
            let probe = Listener()
            MemoryPressureDriver.signal(.critical)
            await probe.hears(.critical)
            probe.stop()
        }
        #expect(listener.count == count)
        probe.stop()
    }

    @Test func memoryPressureEmptiesTheCache() async throws {
        let cache = NetworkCache()
        let url = try #require(URL(string: "https://example.com/a"))
        cache.setResponse(Data("kept".utf8), for: url, expireTime: nil)
        MemoryPressureDriver.signal(.critical)
        // It is told on a queue.
        while cache.getResponse(for: url) != nil { await Task.yield() }
        #expect(cache.getResponse(for: url) == nil)
    }

    @Test func currentPressureIsNilWithoutAnEvent() { #expect(MemoryPressure.current == nil) }
}
