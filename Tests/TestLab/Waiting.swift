package import NetCore

/// Asks again and again, with a pause of a millisecond that grows to 20, until there is an answer.
///
/// For what tells nobody when it happens: another process, or the log it writes.
///
/// - Parameter limit: seconds. Long enough that only what never happens meets it.
/// - Throws: ``LabError`` that names `what` after the limit, `CancellationError`, and what `answer` throws.
package func waitUntil<Answer>(
    _ what: String,
    within limit: TimeInterval = 120,
    _ answer: () throws -> Answer?
) async throws -> Answer {
    let clock = SystemClock()
    let deadline = clock.uptime + limit
    var pause = 0.001
    while true {
        try Task.checkCancellation()
        if let answer = try answer() { return answer }
        guard clock.uptime < deadline else { throw LabError("Waited \(limit) s in vain until \(what)") }
        try await clock.sleep(for: pause)
        pause = min(pause * 1.3, 0.02)
    }
}
