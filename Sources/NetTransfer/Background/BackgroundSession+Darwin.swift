#if canImport(Darwin)
    import NetCore

    /// The background session of an identifier, with its delegate.
    ///
    /// A process must not make a second session with an identifier before the first is invalid, so there is one for each. It is never invalidated.
    final class BackgroundSession: Sendable {
        private static let sessions = Locked<[String: BackgroundSession]>([:])

        let session: URLSession
        let delegate: BackgroundDelegate

        private init(_ configuration: URLSessionConfiguration, _ identifier: String) {
            delegate = BackgroundDelegate(.of(identifier))
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }

        /// Returns the session of an identifier, the same one each time. The settings are those of the first call.
        static func of(
            _ identifier: String, _ configure: (URLSessionConfiguration) -> Void = { _ in }
        ) -> BackgroundSession {
            sessions.withLock { sessions in
                if let session = sessions[identifier] { return session }
                let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
                configuration.sessionSendsLaunchEvents = true
                configure(configuration)
                let session = BackgroundSession(configuration, identifier)
                sessions[identifier] = session
                return session
            }
        }

        /// Removes a session that the system has invalidated, with this or any delegate, so that the next call makes another one.
        static func forget(_ identifier: String?, _ delegate: BackgroundDelegate?) {
            guard let identifier else { return }
            sessions.withLock { sessions in
                if delegate == nil || sessions[identifier]?.delegate === delegate { sessions[identifier] = nil }
            }
        }
    }

    /// Pairs an app's completion handlers with the event that a background session has delivered its events.
    ///
    /// The system calls the app's delegate on the main thread and the session's delegate on a queue, so either may come first. A gate lives
    /// as long as the process, since a handler may come before the session exists.
    final class BackgroundEventGate: Sendable {
        typealias Handler = @MainActor @Sendable () -> Void

        private struct State {
            var handlers: [Handler] = []
            /// Whether the events were delivered and no handler has been called for them.
            var hasFinished = false
            var sessions = 0
        }

        private static let gates = Locked<[String: BackgroundEventGate]>([:])

        private let state = Locked(State())

        /// Returns the gate of an identifier, the same one each time.
        static func of(_ identifier: String) -> BackgroundEventGate {
            gates.withLock { gates in
                let gate = gates[identifier] ?? BackgroundEventGate()
                gates[identifier] = gate
                return gate
            }
        }

        /// Calls the handler once: when the events are delivered, or now if they were.
        func add(_ handler: @escaping Handler) {
            update { state in
                state.handlers.append(handler)
                defer { state.hasFinished = false }
                return state.hasFinished
            }
        }

        func finish() {
            update { state in
                state.hasFinished = state.handlers.isEmpty
                return true
            }
        }

        func sessionBegins() { state.withLock { $0.sessions += 1 } }

        /// Notes the end of a session. After the last one no events come, but the system still waits for the handlers.
        func sessionEnds() {
            update { state in
                state.sessions -= 1
                return state.sessions <= 0
            }
        }

        /// - Parameter change: returns whether the handlers are due. They are called on the main thread, as UIKit requires.
        private func update(_ change: (inout State) -> Bool) {
            let handlers = state.withLock { state -> [Handler] in
                guard change(&state) else { return [] }
                defer { state.handlers = [] }
                return state.handlers
            }
            guard !handlers.isEmpty else { return }
            Task { @MainActor in
                for handler in handlers { handler() }
            }
        }
    }
#endif
