#if canImport(Darwin)
    import NetCore

    /// The updates of background downloads that no reader has taken yet: the newest progress of each download, and every end.
    final class BackgroundUpdates: Sendable {
        typealias Update = BackgroundDownloads.Update

        private struct State {
            /// In the order in which they came. A progress stands where the first came that was not read.
            var waiting: [Update] = []
            var readers: [(id: UInt64, continuation: CheckedContinuation<Update?, Never>)] = []
            var lastReader: UInt64 = 0
            var isFinished = false
        }

        private let state = Locked(State())

        func post(_ update: Update) {
            let reader = state.withLock { state -> CheckedContinuation<Update?, Never>? in
                guard !state.isFinished else { return nil }
                if !state.readers.isEmpty { return state.readers.removeFirst().continuation }
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

        /// No more updates. Those that wait can still be read.
        func finish() {
            let readers = state.withLock { state in
                state.isFinished = true
                defer { state.readers = [] }
                return state.readers
            }
            for reader in readers { reader.continuation.resume(returning: nil) }
        }

        /// The next update, each for one reader. Nil at the end, or if the task is cancelled, which takes no update.
        func next() async -> Update? {
            let id = state.withLock { state in
                state.lastReader += 1
                return state.lastReader
            }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let answer = state.withLock { state -> Update?? in
                        if Task.isCancelled { return .some(nil) }
                        if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                        if state.isFinished { return .some(nil) }
                        state.readers.append((id, continuation))
                        return nil
                    }
                    if let answer { continuation.resume(returning: answer) }
                }
            } onCancel: {
                let reader = state.withLock { state in
                    state.readers.firstIndex { $0.id == id }.map { state.readers.remove(at: $0).continuation }
                }
                reader?.resume(returning: nil)
            }
        }
    }

    extension BackgroundDownloads.Update {
        fileprivate var isProgress: Bool {
            if case .progress = event { true } else { false }
        }
    }
#endif
