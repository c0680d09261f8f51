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

/// Runs some work so many times at the same time, and returns its values in no order.
///
/// - Parameter work: gets a number from 0 to `count` - 1.
package func atOnce<Value: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<count { group.addTask { try await work(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

/// An error of the test tools themselves, such as a missing program or a server that did not start.
///
/// It is not a fault of the code under test, so the text says how to fix it.
package struct LabError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// The error that the last system call left in `errno`.
    static func system(_ call: String, _ code: Int32 = errno) -> LabError {
        LabError("\(call): \(String(cString: strerror(code)))")
    }
}
