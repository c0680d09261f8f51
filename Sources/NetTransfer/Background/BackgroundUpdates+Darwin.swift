#if canImport(Darwin)
    import NetCore

    /// The updates of background transfers that no reader has taken: the newest progress of each transfer, and every end.
    final class BackgroundUpdates: Sendable {
        typealias Update = BackgroundTransfers.Update

        private struct State {
            /// In order of arrival. A newer progress replaces the older one in its place.
            var waiting: [Update] = []
            var readers = WaiterList<Update?>()
            var isFinished = false
        }

        private let state = Locked(State())

        func post(_ update: Update) {
            let reader = state.withLock { state -> WaiterList<Update?>.Waiter? in
                guard !state.isFinished else { return nil }
                if let reader = state.readers.popFirst() { return reader }
                if update.isProgress,
                    let index = state.waiting.firstIndex(where: { $0.id == update.id && $0.isProgress })
                {
                    state.waiting[index] = update
                } else {
                    state.waiting.append(update)
                }
                return nil
            }
            reader?.resume(returning: update)
        }

        /// Ends the updates. Existing updates can still be read.
        func finish() {
            let readers = state.withLock { state in
                state.isFinished = true
                return state.readers.popAll()
            }
            for reader in readers { reader.resume(returning: nil) }
        }

        /// Returns the next update, which goes to one reader. Nil at the end, or if the task is cancelled, which takes no update.
        func next() async -> Update? {
            await state.wait(in: \.readers, cancelled: nil) { state -> Update?? in
                if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
                return state.isFinished ? .some(nil) : nil
            }
        }
    }

    extension BackgroundTransfers.Update {
        fileprivate var isProgress: Bool { if case .progress = event { true } else { false } }
    }
#endif
