import Foundation
import NIOCore
import NIOPosix
import NetCache
import NetClient
import NetCore
import NetTesting

@testable import NetworkingRedis

/// Long enough for a machine that is busy with something else.
let patience: TimeInterval = 60

/// The secret of the fleet in the tests.
let secret = Data((0..<32).map { UInt8($0) })

/// Returns a client that waits for a busy machine.
func patientClient(
    _ address: RedisAddress, timeout: TimeInterval = patience, pause: TimeInterval = 1,
    clock: any NetworkClock = .system,
    _ change: (inout RedisConfiguration) -> Void = { _ in }
) -> RedisClient {
    var configuration = RedisConfiguration(address)
    configuration.timeout = timeout
    configuration.pause = pause
    change(&configuration)
    return RedisClient(configuration, clock: clock)
}

extension RedisClient {
    /// All keys of the server.
    func keys() async throws -> [Data] {
        try await send(["KEYS", "*"]).elements?.compactMap(\.data) ?? []
    }
}

/// Returns free TCP ports of loopback. The system does not give them out again soon.
func freePorts(_ count: Int) async throws -> [Int] {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    var channels: [any Channel] = []
    for _ in 0..<count { channels.append(try await bootstrap.bind(host: "127.0.0.1", port: 0).get()) }
    let ports = channels.compactMap { $0.localAddress?.port }
    for channel in channels { try await channel.close() }
    return ports
}

func entry(_ id: String, seconds: TimeInterval = 0) -> HTTPCacheEntry {
    let time = Date(timeIntervalSince1970: 1_700_000_000 + seconds)
    return HTTPCacheEntry(
        id: id, status: 200, headers: ["X-Note": "visible-head"], responseURL: nil, requestHeaders: [:],
        requestTime: time, responseTime: time)
}

extension RedisCacheStore {
    func put(_ entry: HTTPCacheEntry, _ text: String, for key: HTTPCacheKey) async throws {
        guard let writer = try await beginStoring(entry, for: key, length: nil, since: nil) else {
            throw NetworkError.unsupported("The store refuses the response.")
        }
        try await writer.write(Data(text.utf8))
        try await writer.commit()
    }

    func text(_ entry: HTTPCacheEntry, for key: HTTPCacheKey) async throws -> String? {
        try await body(of: entry, for: key)?.collect(upTo: 1 << 20).text
    }
}

extension Data {
    var text: String { String(decoding: self, as: UTF8.self) }
}

/// A transport's end of a chain, for interceptors on their own.
func ending(
    status: Int = 200, context: RequestContext = RequestContext(),
    _ work: @escaping @Sendable () async throws -> Void = {}
) -> Next {
    Next(context: context) { request, _, _ in
        try await work()
        return TransportResponse(status: status, url: request.url, body: .empty)
    }
}
