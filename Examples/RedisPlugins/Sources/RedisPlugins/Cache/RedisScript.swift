/// What has to happen as a whole, in Redis's Lua. `KEYS[1]` is the hash of a URL, `ARGV[1]` what the names of bodies begin with, `ARGV[2]` a
/// field of the hash.
///
/// The names of bodies are made in the scripts, which one server allows and a Redis Cluster does not.
enum RedisScript {
    /// How long the name of a body is, with which each head begins: a UUID.
    static let tokenLength = 36

    private static let nameOfOldBody = "local old = redis.call('HGET', KEYS[1], ARGV[2])\n"

    /// The body to a head; nothing if there is none.
    static let body =
        nameOfOldBody + """
            if not old then return false end
            return redis.call('GET', ARGV[1] .. string.sub(old, 1, \(tokenLength)))
            """

    /// Puts a head (`ARGV[3]`) in place of another, whose body goes, for `ARGV[4]` seconds.
    static let commit =
        nameOfOldBody + """
            if old then redis.call('UNLINK', ARGV[1] .. string.sub(old, 1, \(tokenLength))) end
            redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
            redis.call('EXPIRE', KEYS[1], ARGV[4])
            """

    /// Puts another entry (`ARGV[3]`) into a head that is there, for `ARGV[4]` seconds.
    static let update =
        nameOfOldBody + """
            if not old then return end
            local token = string.sub(old, 1, \(tokenLength))
            redis.call('HSET', KEYS[1], ARGV[2], token .. ARGV[3])
            redis.call('EXPIRE', KEYS[1], ARGV[4])
            redis.call('EXPIRE', ARGV[1] .. token, ARGV[4])
            """

    /// Removes a head and its body.
    static let remove =
        nameOfOldBody + """
            if not old then return end
            redis.call('UNLINK', ARGV[1] .. string.sub(old, 1, \(tokenLength)))
            redis.call('HDEL', KEYS[1], ARGV[2])
            """

    /// Removes a hash, and the bodies to all its heads.
    static let removeAll = """
        for _, head in ipairs(redis.call('HVALS', KEYS[1])) do
            redis.call('UNLINK', ARGV[1] .. string.sub(head, 1, \(tokenLength)))
        end
        redis.call('UNLINK', KEYS[1])
        """
}
