import Foundation
import NetCache
import NetTesting
import Testing

@testable import NetworkingRedis

struct ClusterTests {
    /// The values of the specification, and of `CLUSTER KEYSLOT`.
    @Test func slotsAreThoseOfRedis() async throws {
        #expect(ClusterSlot.crc16("123456789".utf8) == 0x31C3)
        let keys = [
            "foo", "{user1000}.following", "foo{}{bar}", "foo{{bar}}zap", "foo{bar}{zap}", "", "{", "}{", "a{b", "ü{é}",
            "{a}",
        ]
        try await withNode { server in
            let redis = patientClient(server.address)
            for key in keys {
                let slot = try await redis.send(RedisCommand(["CLUSTER", "KEYSLOT", .init(key)]))
                #expect(slot == .integer(Int64(ClusterSlot.of(Data(key.utf8)))), "\(key)")
            }
        }
    }

    @Test func allKeysOfAResourceAreInOneSlot() throws {
        let secret = try CacheSecret(secret)
        for url in ["https://a.example/", "https://a.example/}x{", ""] {
            let places = ["", "a", "{b}"].map {
                CachePlace(HTTPCacheKey(url: url, owner: $0), prefix: "p:", secret: secret)
            }
            let keys = places.flatMap { place in
                [place.state, place.heads] + ["1", "}"].map { place.body(place.field(of: $0)) }
            }
            #expect(Set(keys.map { ClusterSlot.of(Data($0.utf8)) }).count == 1)
            #expect(Set(keys).count == 1 + 3 * 3)
        }
    }

    @Test(arguments: [
        ("MOVED 3999 10.0.0.2:6381", RedisAddress.tcp(host: "10.0.0.2", port: 6381)),
        ("ASK 0 ::1:6381", .tcp(host: "::1", port: 6381)),
        ("MOVED 1 :7000", .tcp(host: "seed", port: 7000)), ("MOVED 16384 a:1", nil), ("MOVED x a:1", nil),
        ("MOVED 1 a", nil),
        ("MOVED 1 a:99999", nil), ("MOVED", nil), ("ERR MOVED 1 a:1", nil),
    ])
    func readsRedirections(_ words: String, _ address: RedisAddress?) {
        #expect(ClusterRedirection(words, from: .tcp(host: "seed", port: 1))?.address == address)
    }

    /// A cluster with one node that has all slots: it refuses a script with keys of two slots.
    @Test(arguments: CacheStoreConformance.checks)
    func theStoreConformsOnACluster(_ check: CacheStoreConformance.Check) async throws {
        try await withNode { server in
            let redis = patientClient(server.address)
            _ = try await redis.send(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"])
            try await untilUp([redis])
            let error = await #expect(throws: RedisError.self) {
                try await redis.run(RedisScript("return redis.call('MGET', KEYS[1], KEYS[2])"), keys: ["{a}", "{b}"])
            }
            guard case .refused(let words)? = error, words.contains("CROSSSLOT") else {
                Issue.record("\(String(describing: error))")
                return
            }
            try await CacheStoreConformance { try RedisCacheStore(patientClient(server.address), key: secret) }.run(
                check)
        }
    }

    /// Two real nodes with half of the slots each: half of the keys are on the one that the client does not know.
    @Test func followsRedirections() async throws {
        try await RedisServer.inFolder { folder in
            var (servers, ports) = ([RedisServer](), [[Int]]())
            for index in 0..<2 {
                let own = folder.appendingPathComponent("\(index)")
                try FileManager.default.createDirectory(at: own, withIntermediateDirectories: false)
                let started = try await RedisServer.start(in: own, ports: 2, Self.options)
                servers.append(started.server)
                ports.append(started.ports)
            }
            let nodes = servers.map { patientClient($0.address) }
            _ = try await nodes[0].send(["CLUSTER", "ADDSLOTSRANGE", "0", "8191"])
            _ = try await nodes[1].send(["CLUSTER", "ADDSLOTSRANGE", "8192", "16383"])
            _ = try await nodes[0].send(["CLUSTER", "MEET", "127.0.0.1", "\(ports[1][0])", "\(ports[1][1])"])
            try await untilUp(nodes)

            let redis = patientClient(servers[0].address)
            let store = try RedisCacheStore(redis, key: secret)
            let keys = (0..<20).map { HTTPCacheKey(url: "https://a.example/\($0)") }
            for _ in 0..<2 {
                for key in keys { try await store.put(entry("one"), key.url, for: key) }
                for key in keys { #expect(try await store.text(entry("one"), for: key) == key.url) }
            }
            for (node, server) in zip(nodes, servers) {
                #expect(try await node.send(["DBSIZE"], to: server.address) != .integer(0))
            }
            try await store.removeAll()
            for (node, server) in zip(nodes, servers) {
                #expect(try await node.send(["DBSIZE"], to: server.address) == .integer(0))
            }
            for server in servers { await server.stop() }
        }
    }

    private static func options(_ ports: [Int]) -> [String] {
        ["--cluster-enabled", "yes", "--cluster-port", "\(ports[1])"]
    }

    private func withNode(_ body: (RedisServer) async throws -> Void) async throws {
        try await RedisServer.inFolder { folder in
            let server = try await RedisServer.start(in: folder, ports: 2, Self.options).server
            try await body(server)
            await server.stop()
        }
    }

    private func untilUp(_ nodes: [RedisClient]) async throws {
        for node in nodes {
            while try await node.send(["CLUSTER", "INFO"]).text?.contains("cluster_state:ok") != true {
                try await Task.sleep(nanoseconds: 20_000_000)
            }
        }
    }
}
