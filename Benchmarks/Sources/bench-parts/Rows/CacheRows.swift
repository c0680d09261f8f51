import Foundation
import NetCache
import NetClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A hit in memory: through the whole client, and what `URLCache` takes for its look-up alone.
func cacheRows() async throws -> [Row] {
    guard let url = URL(string: "https://example.com/users?page=1") else { return [] }
    let body = Data(repeating: 0x61, count: 4096)
    let fields = [
        "Content-Type": "application/json", "Content-Length": "4096", "Cache-Control": "max-age=86400", "ETag": "\"1\"",
        "Date": httpDate(), "Vary": "Accept-Language", "Server": "nginx", "X-Request-ID": "5f0c",
    ]
    var request = URLRequest(url: url)
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    request.setValue("en;q=1.0", forHTTPHeaderField: "Accept-Language")
    let hit = request
    var missing = request
    missing.url = URL(string: "https://example.com/none")
    missing.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
    let miss = missing

    let transport = OneAnswer(headers: HTTPHeaders(fields), body: body)
    let client = NetworkClient(cache: ResponseCache(), transport: transport)
    _ = try await client.data(for: hit)
    let bare = NetworkClient(transport: transport)

    let urlCache = URLCache(memoryCapacity: 1 << 26, diskCapacity: 0, diskPath: nil)
    if let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields) {
        urlCache.storeCachedResponse(CachedURLResponse(response: response, data: body), for: hit)
    }
    return [
        Row(name: "cache: memory hit of 4 KiB, whole pipeline", goal: "under 10 µs", operations: 20_000) { count in
            for _ in 0..<count { _ = try await client.data(for: hit) }
        },
        Row(name: "cache: only-if-cached, nothing stored", operations: 20_000) { count in
            for _ in 0..<count { _ = try await client.response(for: miss) }
        },
        Row(name: "cache: the same pipeline without a cache", operations: 20_000) { count in
            for _ in 0..<count { _ = try await bare.data(for: hit) }
        },
        Row(name: "cache: URLCache.cachedResponse alone", operations: 20_000) { count in
            for _ in 0..<count where urlCache.cachedResponse(for: hit)?.data.count != body.count {
                throw BrokenPeer()
            }
        },
    ]
}

private struct BrokenPeer: Error {}

/// A transport that has the answer ready.
private struct OneAnswer: HTTPTransport {
    let headers: HTTPHeaders
    let body: Data

    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        TransportResponse(status: 200, headers: headers, url: request.url, body: HTTPBody(self.body))
    }
}

private func httpDate() -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: Date())
}
