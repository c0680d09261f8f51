import NetCore

extension OfflineFirst {
    /// What is stored, however old, and then what is new: two values at the most.
    ///
    /// The first is left out if nothing is stored. If the server cannot be reached, the second is an error: what was shown is what
    /// there is. Nothing runs by itself: the server is asked when the second value is, and leaving the loop or cancelling the
    /// task ends it.
    public var values: Values { Values(source: self) }

    /// A sequence of up to two values.
    public struct Values: AsyncSequence, Sendable {
        /// A value, and where it comes from.
        public typealias Element = Snapshot

        let source: OfflineFirst<Value>

        /// Starts from what is stored.
        public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

        /// Goes through the values.
        public struct Iterator: AsyncIteratorProtocol {
            private enum Step { case stored, network, ended }

            private let source: OfflineFirst<Value>
            private var step = Step.stored

            init(source: OfflineFirst<Value>) {
                self.source = source
            }

            /// What is stored, then what is new, then nil.
            ///
            /// - Throws: what asking the server throws.
            public mutating func next() async throws -> Snapshot? {
                try Task.checkCancellation()
                if step == .stored {
                    step = .network
                    if let stored = await source.storedIgnoringFailure() { return stored }
                }
                guard step == .network else { return nil }
                step = .ended
                return try await source.refresh()
            }
        }
    }
}
