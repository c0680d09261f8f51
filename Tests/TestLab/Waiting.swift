package import NetCore

/// Polls until there is an answer, with a pause of 1 ms that grows to 20 ms, for events of other processes.
///
/// - Parameter limit: the time limit in seconds.
/// - Throws: ``LabError`` that names `what` after the limit, `CancellationError`, and what `answer` throws.
package func waitUntil<Answer>(
    _ what: String, within limit: TimeInterval = 120, _ answer: () throws -> Answer?
) async throws -> Answer {
    let clock = SystemClock()
    let deadline = clock.uptime + limit
    var pause = 0.001
    while true {
        try Task.checkCancellation()
        if let answer = try answer() { return answer }
        guard clock.uptime < deadline else { throw LabError("Not within \(limit) s: \(what)") }
        try await clock.sleep(for: pause)
        pause = min(pause * 1.3, 0.02)
    }
}

/// Checks what has a limit of time, with longer and longer ones until it holds: a busy machine can be slower than a short limit.
///
/// - Throws: with the longest limit, what `holds` throws, or ``LabError`` if it returns false.
package func withLimits(_ limits: [TimeInterval] = [0.3, 3, 12], _ holds: (TimeInterval) async throws -> Bool)
    async throws
{
    for limit in limits.dropLast() where (try? await holds(limit)) == true { return }
    let longest = limits[limits.count - 1]
    guard try await holds(longest) else { throw LabError("It does not hold with a limit of \(longest) s.") }
}

/// Polls until a number has been the same so many times in a row: what it counts has come to rest.
///
/// - Parameter number: the number, or nil if it has not begun to count.
package func waitUntilSteady(_ what: String, samples: Int, _ number: () throws -> Int?) async throws {
    var last: Int?
    var equal = 0
    try await waitUntil(what) {
        let now = try number()
        equal = now == last && now != nil ? equal + 1 : 0
        last = now
        return equal >= samples ? () : nil
    }
}
