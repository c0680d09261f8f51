#if canImport(Combine)
    public import Combine
    public import NetCore

    extension ConnectionMonitoring {
        /// The status now, and then each change, as a publisher of Combine. Of several changes that came before the subscriber asked for
        /// the next, it gets the newest.
        public var statusPublisher: AnyPublisher<ConnectionStatus, Never> {
            // Held along by the closure: a monitor that is released tells no more.
            StreamPublisher { statuses }.eraseToAnyPublisher()
        }
    }
#endif
