/// The atomic steps of a ``RedisCacheStore``.
///
/// `KEYS[1]` is the state of a URL: 32 characters that change when its responses are removed (the epoch), and 32 that change with each
/// generation. `KEYS[2]` is a hash with the heads of one owner's responses, and the epoch in which they were stored in the field `e`. Heads of
/// another epoch do not count, so the loss of any key is a miss. `KEYS[3]` is the body of one response: the name of the hash, a colon, and the
/// field of the head.
///
/// A head starts with two decimal numbers: when the response was received and requested, in microseconds since 1970.
enum CacheScripts {
    private static let prelude = """
        local state = redis.call('GET', KEYS[1])
        local function isLive()
            return state and redis.call('HGET', KEYS[2], 'e') == string.sub(state, 1, 32)
        end
        local function clear()
            for _, field in ipairs(redis.call('HKEYS', KEYS[2])) do
                if field ~= 'e' then redis.call('UNLINK', KEYS[2] .. ':' .. field) end
            end
            redis.call('UNLINK', KEYS[2])
        end

        """

    /// The fields and heads of one owner.
    static let entries = RedisScript(
        prelude + """
            if not isLive() then return {} end
            return redis.call('HGETALL', KEYS[2])
            """)

    /// The body of a response. Arguments: the field.
    static let body = RedisScript(
        prelude + """
            if not isLive() or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return false end
            local body = redis.call('GET', KEYS[3])
            if not body then redis.call('HDEL', KEYS[2], ARGV[1]) end
            return body
            """)

    /// The state of a URL. Arguments: a new state if there is none, seconds to live.
    static let generation = RedisScript(
        prelude + """
            if not state then
                state = ARGV[1]
                redis.call('SET', KEYS[1], state, 'EX', ARGV[2])
            end
            return state
            """)

    /// Starts a generation. Arguments: a new state, seconds to live.
    static let advance = RedisScript(
        prelude + """
            local epoch = string.sub(state or ARGV[1], 1, 32)
            redis.call('SET', KEYS[1], epoch .. string.sub(ARGV[1], 33), 'EX', ARGV[2])
            """)

    /// Stores a response if the URL still has its state. Returns 1, or 0 if it does not. Arguments: the state, the field, the head, the body,
    /// seconds to live, the most responses of the owner.
    static let commit = RedisScript(
        prelude + """
            if state ~= ARGV[1] then return 0 end
            if not isLive() then
                clear()
                redis.call('HSET', KEYS[2], 'e', string.sub(state, 1, 32))
            end
            redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
            redis.call('SET', KEYS[3], ARGV[4], 'EX', ARGV[5])
            redis.call('EXPIRE', KEYS[2], ARGV[5])
            redis.call('EXPIRE', KEYS[1], ARGV[5])
            if redis.call('HLEN', KEYS[2]) - 1 > tonumber(ARGV[6]) then
                local oldest, time
                local all = redis.call('HGETALL', KEYS[2])
                for i = 1, #all, 2 do
                    local received = tonumber(string.match(all[i + 1], '^(%-?%d+) ') or 0)
                    if all[i] ~= 'e' and all[i] ~= ARGV[2] and (not time or received < time) then
                        oldest, time = all[i], received
                    end
                end
                if oldest then
                    redis.call('HDEL', KEYS[2], oldest)
                    redis.call('UNLINK', KEYS[2] .. ':' .. oldest)
                end
            end
            return 1
            """)

    /// Replaces a head. Returns 1, or 0 if it does not exist or is another one. Arguments: the field, the new head, seconds to live, the times
    /// of the old head, and the state, empty for any.
    static let update = RedisScript(
        prelude + """
            if not isLive() or (ARGV[6] ~= '' and state ~= ARGV[6]) then return 0 end
            local old = redis.call('HGET', KEYS[2], ARGV[1])
            if not old then return 0 end
            local received, requested = string.match(old, '^(%-?%d+) (%-?%d+) ')
            if not received or math.abs(received - ARGV[4]) >= 1000 or math.abs(requested - ARGV[5]) >= 1000 then
                return 0
            end
            redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
            for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[3]) end
            return 1
            """)

    /// Removes a response. Arguments: the field.
    static let remove = RedisScript(
        prelude + """
            redis.call('HDEL', KEYS[2], ARGV[1])
            redis.call('UNLINK', KEYS[3])
            """)

    /// Removes the responses of a URL: those of the owner at once, those of other owners by another epoch. Arguments: a new state, seconds to
    /// live.
    static let removeAll = RedisScript(
        prelude + """
            redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
            clear()
            """)
}
