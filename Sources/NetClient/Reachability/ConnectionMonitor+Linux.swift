#if os(Linux)
    import Dispatch
    import NetCore

    #if !canImport(Network)
        /// The source of this platform.
        func platformStatusSource() -> any StatusSource { NetlinkSource() }
    #endif

    /// Linux's news: rtnetlink, on Dispatch's thread; a call costs nothing while nothing changes.
    ///
    /// The first status comes before ``start(_:)`` returns (three questions to the kernel, some 100 µs). Where netlink is
    /// not to be had, the status is ``ConnectionStatus/unknown``.
    final class NetlinkSource: StatusSource {
        private struct State {
            var isStopped = false
            var events: (any DispatchSourceRead)?
        }

        private let state = Locked(State())
        private let queue = DispatchQueue(label: "networking.connectionMonitor.source")

        deinit {
            stop()
        }

        func start(_ report: @escaping @Sendable (ConnectionStatus) -> Void) {
            let reader: NetlinkReader
            do {
                reader = try NetlinkReader()
            } catch {
                return report(.unknown)
            }
            report(reader.status)
            let events = DispatchSource.makeReadSource(fileDescriptor: reader.news.descriptor, queue: queue)
            events.setEventHandler { [weak self] in
                do {
                    if try reader.takeNews() { report(reader.status) }
                } catch {
                    // It would go on waking us.
                    self?.stop()
                    report(.unknown)
                }
            }
            // The descriptor has to be open for as long as Dispatch looks at it.
            events.setCancelHandler { withExtendedLifetime(reader) {} }
            let isStopped = state.withLock { state in
                state.events = events
                return state.isStopped
            }
            events.activate()
            if isStopped { events.cancel() }
        }

        func stop() {
            let events = state.withLock { state in
                state.isStopped = true
                defer { state.events = nil }
                return state.events
            }
            events?.cancel()
        }
    }
#endif
