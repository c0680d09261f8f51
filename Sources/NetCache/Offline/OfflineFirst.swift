import NetCore

/// A value that can be had without a network: from the server, from a cache, or from the app's own storage (seed 002).
///
/// ```swift
/// let cache = DataCache(maxAge: 300)
/// let products = OfflineFirst(key: "products", cache: cache) { () async throws -> [Product] in
///     try await client.execute(request)
/// }
/// let list = try await products.value(.networkFirst)
/// ```
///
/// To show at once what there is, and then what is new, go through ``values``:
///
/// ```swift
/// let newest = OfflineFirst(key: "newest", cache: DataCache()) { () async throws -> Product in
///     try await client.execute(request)
/// }
/// for try await snapshot in newest.values { show(snapshot.value) }
/// ```
///
/// What was fetched is stored in the cache and in the app's storage. A cache or a storage that fails costs no value that is there:
/// its error is thrown only where there is nothing else to throw.
public struct OfflineFirst<Value: Sendable>: Sendable {
    /// A value, and where it comes from.
    public struct Snapshot: Sendable {
        /// Where a value comes from.
        public enum Source: Hashable, Sendable {
            /// The server, now.
            case network
            /// The cache.
            case cache(isFresh: Bool)
            /// The app's own storage.
            case storage
        }

        /// The value.
        public let value: Value
        /// Where it comes from.
        public let source: Source
    }

    /// A value from a cache.
    public struct Cached: Sendable {
        /// The value.
        public let value: Value
        /// Whether it is new enough to be used without asking the server.
        public let isFresh: Bool

        /// A value from a cache.
        public init(_ value: Value, isFresh: Bool) {
            self.value = value
            self.isFresh = isFresh
        }
    }

    private let cached: @Sendable () async throws -> Cached?
    private let fetch: @Sendable () async throws -> Value
    private let store: @Sendable (Value) async throws -> Void
    private let load: @Sendable () async throws -> Value?
    private let save: @Sendable (Value) async throws -> Void

    /// A value by closures, for a cache and a storage of any kind.
    ///
    /// - Parameters:
    ///   - cached: gives what the cache has, however old; nil if it has nothing.
    ///   - store: puts a new value into the cache.
    ///   - load: gives what the app's own storage has; nil if it has nothing.
    ///   - save: puts a new value into the app's storage.
    ///   - fetch: asks the server. What it throws decides whether something stored may stand in: see
    ///     ``NetCore/NetworkError/isOutage``.
    public init(
        cached: @escaping @Sendable () async throws -> Cached?,
        store: @escaping @Sendable (Value) async throws -> Void,
        load: @escaping @Sendable () async throws -> Value? = { nil },
        save: @escaping @Sendable (Value) async throws -> Void = { _ in },
        fetch: @escaping @Sendable () async throws -> Value
    ) {
        self.cached = cached
        self.store = store
        self.load = load
        self.save = save
        self.fetch = fetch
    }

    /// The value.
    ///
    /// - Parameter mode: where it comes from first, and where from otherwise. Where ``OfflineMode`` says "what is stored", that is the
    ///   cache's, or else the storage's.
    /// - Throws: what `fetch` throws, if nothing stored may stand in or there is nothing; ``NetworkError/noData`` for
    ///   ``OfflineMode/cacheOnly`` where nothing is stored.
    public func value(_ mode: OfflineMode = .staleOnError) async throws -> Snapshot {
        if mode == .cacheOnly {
            guard let stored = try await stored() else { throw NetworkError.noData }
            return stored
        }
        if mode.readsFreshFirst, let cached = await readCache(), cached.isFresh {
            return Snapshot(value: cached.value, source: .cache(isFresh: true))
        }
        do {
            return try await refresh()
        } catch {
            guard mode == .networkFirst || mode == .staleOnError, Self.isOutage(error),
                let stored = await storedIgnoringFailure()
            else { throw error }
            return stored
        }
    }

    /// Asks the server, and stores the answer.
    func refresh() async throws -> Snapshot {
        let value = try await fetch()
        // The value is there: that it cannot be kept is no reason to withhold it.
        do { try await store(value) } catch {}
        do { try await save(value) } catch {}
        return Snapshot(value: value, source: .network)
    }

    /// What the cache has, or else the storage.
    func stored() async throws -> Snapshot? {
        var failure: (any Error)?
        do {
            if let cached = try await cached() {
                return Snapshot(value: cached.value, source: .cache(isFresh: cached.isFresh))
            }
        } catch {
            failure = error
        }
        if let value = try await load() { return Snapshot(value: value, source: .storage) }
        if let failure { throw failure }
        return nil
    }

    /// The same, where there is another error to be thrown.
    func storedIgnoringFailure() async -> Snapshot? {
        do { return try await stored() } catch { return nil }
    }

    private func readCache() async -> Cached? {
        do { return try await cached() } catch { return nil }
    }

    static func isOutage(_ error: any Error) -> Bool {
        networkError(in: error)?.isOutage ?? false
    }
}

extension OfflineFirst where Value: Codable {
    /// A value that is kept as JSON in a ``DataCache``.
    ///
    /// - Parameters:
    ///   - key: names the value in the cache. Values of different users need different keys.
    ///   - cache: says by its `maxAge` what is fresh. Over a ``DiskCache`` the value outlives the process.
    ///   - load: gives what the app's own storage has; nil if it has nothing.
    ///   - save: puts a new value into the app's storage.
    ///   - fetch: asks the server.
    public init(
        key: String, cache: DataCache,
        load: @escaping @Sendable () async throws -> Value? = { nil },
        save: @escaping @Sendable (Value) async throws -> Void = { _ in },
        fetch: @escaping @Sendable () async throws -> Value
    ) {
        self.init(
            cached: {
                guard let item = await cache.item(for: key) else { return nil }
                return Cached(try JSONDecoder().decode(Value.self, from: item.data), isFresh: item.isFresh)
            },
            store: { await cache.set(try JSONEncoder().encode($0), for: key) },
            load: load, save: save, fetch: fetch)
    }
}

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
