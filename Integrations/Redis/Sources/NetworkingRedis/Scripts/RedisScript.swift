internal import Crypto
internal import NetCore

/// A Lua script, which Redis runs as one atomic step.
///
/// All its keys must be in one slot of a Redis Cluster: they have the same text in braces.
struct RedisScript: Sendable {
    let text: String
    /// The name of the script for `EVALSHA`.
    let digest: String

    init(_ text: String) {
        self.text = text
        digest = Insecure.SHA1.hash(data: Data(text.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

extension RedisClient {
    /// Runs a script. Its text is sent only if the server does not know it, as after a restart.
    func run(_ script: RedisScript, keys: [String], _ arguments: [RedisCommand.Word] = []) async throws -> RedisValue {
        let rest = ["\(keys.count)"] + keys.map { RedisCommand.Word($0) } + arguments
        let key = keys.first.map { RedisCommand.Word($0) }
        do {
            return try await send(RedisCommand(["EVALSHA", .init(script.digest)] + rest, key: key))
        } catch RedisError.refused(let words) where words.hasPrefix("NOSCRIPT") {
            return try await send(RedisCommand(["EVAL", .init(script.text)] + rest, key: key))
        }
    }
}
