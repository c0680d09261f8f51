#if canImport(Darwin)
    import NetCore

    /// Pairs the completion handlers of an app with the system's word that a background session has delivered its events.
    ///
    /// The system calls the app's delegate on the main thread and the session's delegate on a queue, so either may be first. One gate
    /// serves an identifier for the life of the process, since a handler may come before there is a session.
    final class BackgroundEventGate: Sendable {
        typealias Handler = @MainActor @Sendable () -> Void

        private struct State {
            var handlers: [Handler] = []
            /// Whether the events were delivered and no handler has come for them yet.
            var hasFinished = false
            var sessions = 0

            mutating func takeHandlers() -> [Handler] {
                defer { handlers = [] }
                return handlers
            }
        }

        private static let gates = Locked<[String: BackgroundEventGate]>([:])

        private let state = Locked(State())

        /// The gate of an identifier, the same one each time.
        static func of(_ identifier: String) -> BackgroundEventGate {
            gates.withLock { gates in
                let gate = gates[identifier] ?? BackgroundEventGate()
                gates[identifier] = gate
                return gate
            }
        }

        /// Calls the handler once: as soon as the events are delivered, or now if they were.
        func add(_ handler: @escaping Handler) {
            let isDue = state.withLock { state in
                defer { state.hasFinished = false }
                if !state.hasFinished { state.handlers.append(handler) }
                return state.hasFinished
            }
            if isDue { Self.call([handler]) }
        }

        /// The session has delivered its events.
        func finish() {
            let handlers = state.withLock { state in
                state.hasFinished = state.handlers.isEmpty
                return state.takeHandlers()
            }
            Self.call(handlers)
        }

        func sessionBegins() {
            state.withLock { $0.sessions += 1 }
        }

        /// A session has ended. After the last one no events come, and the system still waits for the handlers.
        func sessionEnds() {
            let handlers = state.withLock { state in
                state.sessions -= 1
                return state.sessions > 0 ? [] : state.takeHandlers()
            }
            Self.call(handlers)
        }

        /// On the main thread, as UIKit wants it.
        private static func call(_ handlers: [Handler]) {
            guard !handlers.isEmpty else { return }
            Task { @MainActor in
                for handler in handlers { handler() }
            }
        }
    }
#endif
