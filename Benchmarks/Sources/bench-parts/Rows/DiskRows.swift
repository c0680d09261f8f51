import BenchKit
import Foundation
import Networking

/// The disk cache: a hit of 4 KiB by itself, through a client, and from `URLCache`; and a folder of 100,000 entries.
func diskRows() async throws -> [Row] {
    let small = try DiskBench(entries: 1000)
    let large = try DiskBench(entries: 100_000)
    let client = small.client()
    return [
        Row(name: "disk hit, 4 KiB", goal: "< 100 µs", operations: 2000, bytes: DiskBench.size) { count in
            try await small.fill()
            for number in 0..<count { try await small.hit(number % 1000) }
        },
        Row(name: "disk hit, 4 KiB, by a client", goal: "< 100 µs", operations: 2000, bytes: DiskBench.size) { count in
            for _ in 0..<count {
                let response = try await client.data(for: small.request(0))
                guard response.data.count == DiskBench.size else { throw Failure("no hit") }
            }
        },
        Row(name: "URLCache disk hit, 4 KiB", operations: 500, bytes: DiskBench.size) { count in
            for number in 0..<count { try small.urlCacheHit(number % 100) }
        },
        Row(name: "disk store, 4 KiB", operations: 1000, bytes: DiskBench.size) { count in
            for number in 0..<count { try await small.store(number % 1000) }
        },
        Row(name: "disk: open 100,000 entries, first hit", goal: "< 1 s", operations: 1) { count in
            try await large.fill()
            for _ in 0..<count { try await large.reopened().hit(77) }
        },
        Row(name: "disk: walk through 100,000 entries", goal: "< 1 s", operations: 1) { count in
            try await large.fill()
            for _ in 0..<count {
                guard await large.cache.trim().entryCount == 100_000 else { throw Failure("entries are missing") }
            }
        },
    ]
}

/// A folder with entries of 4 KiB.
private final class DiskBench: Sendable {
    static let size = 4096

    let directory: URL
    let cache: DiskCache
    private let count: Int
    private let isTemporary: Bool
    private let urlCache: URLCache
    private static let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    init(entries: Int) throws {
        count = entries
        isTemporary = true
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        cache = DiskCache(directory: directory, maxBytes: 4 << 30)
        urlCache = URLCache(
            memoryCapacity: 0, diskCapacity: 1 << 30, diskPath: directory.appendingPathComponent("urlcache").path)
    }

    private init(reopening other: DiskBench) {
        count = other.count
        isTemporary = false
        directory = other.directory
        cache = DiskCache(directory: directory, maxBytes: 4 << 30)
        urlCache = other.urlCache
    }

    deinit {
        if isTemporary { try? FileManager.default.removeItem(at: directory) }
    }

    func reopened() -> DiskBench { DiskBench(reopening: self) }

    private func key(_ number: Int) -> HTTPCacheKey { HTTPCacheKey(url: "https://example.com/items/\(number)") }

    func request(_ number: Int) throws -> URLRequest {
        guard let url = URL(string: key(number).url) else { throw Failure("no URL") }
        return URLRequest(url: url)
    }

    func fill() async throws {
        guard try await cache.entries(for: key(count - 1)).isEmpty else { return }
        for number in 0..<count { try await store(number) }
    }

    func store(_ number: Int) async throws {
        let now = Date()
        let entry = HTTPCacheEntry(
            id: "bench", status: 200,
            headers: [
                "Content-Type": "application/json", "Content-Length": "\(Self.size)", "Cache-Control": "max-age=3600",
                "ETag": "\"686897696a7c876b7e\"", "Server": "bench",
            ], responseURL: URL(string: key(number).url), requestHeaders: [:], requestTime: now, responseTime: now)
        let writer = try await cache.beginStoring(entry, for: key(number), length: Int64(Self.size), since: nil)
        try await writer?.write(Self.body)
        try await writer?.commit()
    }

    func hit(_ number: Int) async throws {
        guard let entry = try await cache.entries(for: key(number)).first,
            try await cache.body(of: entry, for: key(number))?.collect(upTo: .max).count == Self.size
        else { throw Failure("no hit") }
    }

    func client() -> NetworkClient {
        NetworkClient(cache: ResponseCache(store: cache), transport: Refusing())
    }

    func urlCacheHit(_ number: Int) throws {
        let request = try request(number)
        if let cached = urlCache.cachedResponse(for: request) {
            guard cached.data.count == Self.size else { throw Failure("no hit") }
            return
        }
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: ["Cache-Control": "max-age=3600", "Content-Length": "\(Self.size)"])
        else { throw Failure("no response") }
        urlCache.storeCachedResponse(CachedURLResponse(response: response, data: Self.body), for: request)
    }
}

/// Whoever comes as far as this has missed the cache.
private struct Refusing: HTTPTransport {
    func send(_ request: URLRequest, body: HTTPBody?, context: RequestContext) async throws -> TransportResponse {
        throw NetworkError.noInternetConnection
    }
}
