import NetCore

extension RateLimiter {
    func waitForToken(of origin: Origin, _ request: URLRequest, _ context: RequestContext) async throws {
        let id = state.withLock { $0.nextID() }
        try await context.waitInLine(
            of: .rate, at: origin, for: request,
            enter: { [self] in enter(origin, id: id, context, $0) },
            quit: { [self] in quit(origin, id: id) })
    }

    private func enter(
        _ origin: Origin, id: UInt64, _ context: RequestContext, _ continuation: CheckedContinuation<Void, any Error>
    ) -> LineEntry {
        let now = context.clock.uptime
        return state.withLock { state in
            // See `ConcurrencyLimiter.enter`: a cancellation is seen here, or finds the waiter in the line.
            if Task.isCancelled { return .cancelled }
            if takeToken(of: origin, now: now, in: &state) { return .granted }
            guard let index = state.hosts.index(forKey: origin) else { return .cancelled }
            if let maxWaitingPerHost, state.hosts.values[index].line.count >= maxWaitingPerHost { return .full }
            let ahead = state.hosts.values[index].line.count(before: context.priority)
            let due = state.hosts.values[index].bucket.dueTime(after: ahead, rate: rate)
            if let deadline = context.deadline, due > deadline { return .tooLate }
            state.hosts.values[index].line.append(continuation, id: id, priority: context.priority)
            if state.hosts.values[index].driver == nil {
                let driverID = state.nextID()
                state.hosts.values[index].driverID = driverID
                state.hosts.values[index].driver = Task { [self, clock = context.clock] in
                    await handOutTokens(of: origin, driverID: driverID, clock: clock)
                }
            }
            return .waiting
        }
    }

    private func quit(_ origin: Origin, id: UInt64) {
        let (waiter, driver) = state.withLock { state -> (CheckedContinuation<Void, any Error>?, Task<Void, Never>?) in
            guard let index = state.hosts.index(forKey: origin),
                let waiter = state.hosts.values[index].line.remove(id)
            else { return (nil, nil) }
            guard state.hosts.values[index].line.isEmpty else { return (waiter, nil) }
            defer { state.hosts.values[index].driver = nil }
            return (waiter, state.hosts.values[index].driver)
        }
        driver?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    /// Sleeps until the next token is there and gives it to who is next, until nobody waits.
    private func handOutTokens(of origin: Origin, driverID: UInt64, clock: any NetworkClock) async {
        while true {
            let now = clock.uptime
            let (served, pause) = state.withLock { state -> ([CheckedContinuation<Void, any Error>], TimeInterval?) in
                // Another driver is at it, if the line was empty for a moment.
                guard let index = state.hosts.index(forKey: origin), state.hosts.values[index].driver != nil,
                    state.hosts.values[index].driverID == driverID
                else { return ([], nil) }
                var served: [CheckedContinuation<Void, any Error>] = []
                while !state.hosts.values[index].line.isEmpty,
                    state.hosts.values[index].bucket.take(now: now, rate: rate),
                    let next = state.hosts.values[index].line.popNext()
                {
                    served.append(next)
                }
                if state.hosts.values[index].line.isEmpty {
                    state.hosts.values[index].driver = nil
                    return (served, nil)
                }
                return (served, state.hosts.values[index].bucket.dueTime(rate: rate) - now)
            }
            for waiter in served { waiter.resume() }
            guard let pause else { return }
            do {
                try await clock.sleep(for: pause)
            } catch {
                // Cancelled by the last who left the line.
                return
            }
        }
    }
}
