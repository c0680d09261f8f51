import Foundation
import NetLogging
import NetworkingRedis
import RedisPlugins
import Testing

struct RedisLogSinkTests {
    @Test func messagesOfSeveralServersAreInOneStream() async throws {
        try await withRedis { address in
            var configuration = RedisConfiguration(address)
            // Long enough for a machine that is busy with something else.
            configuration.timeout = 60
            let redis = RedisClient(configuration)
            for source in ["one", "two"] {
                let logger = NetworkLogger(sinks: [RedisLogSink(redis, stream: "log", source: source)])
                logger.logMessage("hello from \(source)", level: .warning, logPrivacy: .public)
                logger.logMessage("a secret", level: .info, logPrivacy: .private)
                await logger.flush()
                #expect(logger.failureCount == 0)
            }
            let entries = try #require(try await redis.send(["XRANGE", "log", "-", "+"]).elements)
            let messages = entries.map { entry in
                let words = (entry.elements?.last?.elements ?? []).compactMap(\.text)
                return Dictionary(
                    stride(from: 0, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) }, uniquingKeysWith: { $1 }
                )
            }
            #expect(messages.map { $0["source"] } == ["one", "one", "two", "two"])
            #expect(messages.map { $0["message"] } == ["hello from one", "<private>", "hello from two", "<private>"])
            #expect(messages.map { $0["level"] } == ["warning", "info", "warning", "info"])
            #expect(messages.allSatisfy { $0["time"].flatMap(Double.init) != nil })
        }
    }

    @Test func whileRedisIsDownMessagesAreCountedAsLost() async throws {
        let redis = RedisClient(.unixSocket(path: "/tmp/no-redis-\(UUID())"))
        let logger = NetworkLogger(sinks: [RedisLogSink(redis)])
        for _ in 0..<3 { logger.logMessage("lost", level: .error, logPrivacy: .public) }
        await logger.flush()
        #expect(logger.failureCount == 3)
    }

    /// Runs the body with a `redis-server` in a folder of its own. A small shell kills it when its standard input ends, which happens by itself when
    /// this process ends.
    private func withRedis(_ body: (RedisAddress) async throws -> Void) async throws {
        let folder = URL(fileURLWithPath: "/tmp/redis-\(UUID().uuidString.prefix(13))", isDirectory: true)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", #"redis-server "$@" & server=$!; exec >&- 2>&-; read -r end; kill -s KILL "$server""#, "sh", "--port",
            "0", "--unixsocket",
            folder.path + "/socket", "--dir", folder.path, "--save", "",
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        var text = ""
        while !text.contains("eady to accept connections") {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "redis-server did not start (on Debian: apt-get install redis-server)")
            text += String(decoding: data, as: UTF8.self)
        }
        try await body(.unixSocket(path: folder.path + "/socket"))
    }
}
