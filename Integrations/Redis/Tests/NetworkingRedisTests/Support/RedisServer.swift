import Foundation
import NetworkingRedis

/// A `redis-server` of one test, in a folder of its own, that keeps nothing on disk.
///
/// A small shell stands between: it kills the server (SIGKILL) when its standard input ends, which happens by itself when this process ends.
final class RedisServer: Sendable {
    struct NotStarted: Error, CustomStringConvertible {
        let output: String
        var description: String { "redis-server did not start (on Debian: apt-get install redis-server): \(output)" }
    }

    let address: RedisAddress
    private let process = Process()
    private let input = Pipe()
    private let ended: AsyncStream<Never>

    /// Runs the body with a server, and ends the server.
    static func run<Result: Sendable>(
        _ options: [String] = [], _ body: (RedisServer) async throws -> Result
    ) async throws -> Result {
        try await inFolder { folder in
            let server = try await RedisServer(in: folder, options)
            do {
                let result = try await body(server)
                await server.stop()
                return result
            } catch {
                await server.stop()
                throw error
            }
        }
    }

    /// Runs the body with a folder in which servers may be started, one after the other.
    static func inFolder<Result: Sendable>(_ body: (URL) async throws -> Result) async throws -> Result {
        // Short, since the path of a socket has a hundred characters at most.
        let folder = URL(fileURLWithPath: "/tmp/redis-\(UUID().uuidString.prefix(13))", isDirectory: true)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// The address of a server in that folder.
    static func address(in folder: URL) -> RedisAddress { .unixSocket(path: folder.path + "/socket") }

    /// Starts a server, and returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - port: a TCP port to listen at, or nil for a Unix-domain socket in the folder.
    ///   - options: further options of `redis-server`.
    init(in folder: URL, port: Int? = nil, _ options: [String] = []) async throws {
        address = port.map { .tcp(host: "127.0.0.1", port: $0) } ?? Self.address(in: folder)
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        self.ended = ended
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            [
                "-c", #"redis-server "$@" & server=$!; exec >&- 2>&-; read -r end; kill -s KILL "$server""#, "sh",
                "--port",
            ]
            + (port.map { ["\($0)", "--bind", "127.0.0.1"] } ?? ["0", "--unixsocket", folder.path + "/socket"])
            + ["--dir", folder.path, "--save", ""] + options
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        let mark = "eady to accept connections"
        let text = await Self.text(of: output.fileHandleForReading, upTo: mark)
        guard text.contains(mark) else {
            await stop()
            throw NotStarted(output: text)
        }
    }

    /// Starts a server that listens at TCP ports. Another program may take a free port first, so it tries again with others.
    ///
    /// - Parameters:
    ///   - count: the number of ports.
    ///   - isPlain: whether the first port is the one without TLS.
    ///   - options: returns further options for the ports.
    static func start(
        in folder: URL, ports count: Int, isPlain: Bool = true, _ options: ([Int]) -> [String]
    ) async throws -> (server: RedisServer, ports: [Int]) {
        for _ in 0..<9 {
            let ports = try await freePorts(count)
            do {
                return (try await RedisServer(in: folder, port: isPlain ? ports[0] : nil, options(ports)), ports)
            } catch let error as NotStarted where error.output.contains("already in use") {
                continue
            }
        }
        throw NotStarted(output: "no free ports")
    }

    /// Kills the server, and returns when it has ended. May be called more than once.
    func stop() async {
        try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        try? input.fileHandleForWriting.close()
        for await _ in ended {}
    }

    /// Returns the output up to a mark, or to its end.
    private static func text(of output: FileHandle, upTo mark: String) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var text = ""
                while !text.contains(mark) {
                    let data = output.availableData
                    guard !data.isEmpty else { break }
                    text += String(decoding: data, as: UTF8.self)
                }
                continuation.resume(returning: text)
            }
        }
    }
}
