import NetCore

/// A value that is available without a network: from the server, from a cache, or from the app's own storage.
///
/// ```swift
/// let cache = DataCache(maxAge: 300)
/// let products = OfflineFirst(key: "products", cache: cache) { () async throws -> [Product] in
///     try await client.execute(request)
/// }
/// let list = try await products.value(.networkFirst)
/// ```
///
/// To show the stored value at once, and then the new one, iterate over ``values``:
///
/// ```swift
/// let newest = OfflineFirst(key: "newest", cache: DataCache()) { () async throws -> Product in
///     try await client.execute(request)
/// }
/// for try await snapshot in newest.values { print(snapshot.value) }
/// ```
///
/// A fetched value is stored in the cache and in the app's storage. An error of either is thrown only if there is no value and no other error.
public struct OfflineFirst<Value: Sendable>: Sendable {
    /// A value with its source.
    public struct Snapshot: Sendable {
        /// The source of a value.
        public enum Source: Hashable, Sendable {
            /// The server.
            case network
            case cache(isFresh: Bool)
            /// The app's own storage.
            case storage
        }

        public let value: Value
        public let source: Source
    }

    /// A value from a cache.
    public struct Cached: Sendable {
        public let value: Value
        /// Whether the value may be used without asking the server.
        public let isFresh: Bool

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
    private let background = BackgroundWork()

    /// Creates a value from closures, for any kind of cache and storage.
    ///
    /// - Parameters:
    ///   - cached: returns the value in the cache, of any age; nil if there is none.
    ///   - store: stores a new value in the cache.
    ///   - load: returns the value in the app's own storage; nil if there is none.
    ///   - save: stores a new value in the app's storage.
    ///   - fetch: asks the server. Its error decides whether a stored value may be used instead: see ``NetCore/NetworkError/isOutage``.
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

    /// Returns the value.
    ///
    /// - Parameter mode: the order of the sources. The stored value of an ``OfflineInterceptor/Mode`` is that of the cache, or else that of the
    ///   storage.
    /// - Throws: the error of `fetch`, if there is no stored value or the mode forbids it; ``NetworkError/noData`` for
    ///   ``OfflineInterceptor/Mode/cacheOnly`` without a stored value.
    public func value(_ mode: OfflineInterceptor.Mode = .staleOnError) async throws -> Snapshot {
        switch mode {
        case .cacheOnly:
            guard let stored = try await stored() else { throw NetworkError.noData }
            return stored
        case .staleWhileRevalidate:
            if let stored = try? await stored() {
                // One at a time. The next caller learns of an error.
                if stored.source != .cache(isFresh: true) { background.start("refresh") { _ = try? await refresh() } }
                return stored
            }
        case .cacheFirst, .staleOnError:
            if let cached = try? await cached(), cached.isFresh {
                return Snapshot(value: cached.value, source: .cache(isFresh: true))
            }
        case .networkFirst, .networkOnly: break
        }
        do {
            return try await refresh()
        } catch {
            guard mode == .networkFirst || mode == .staleOnError, isOutage(error), let stored = try? await stored()
            else { throw error }
            return stored
        }
    }

    private func refresh() async throws -> Snapshot {
        let value = try await fetch()
        // The value is returned even if it cannot be stored.
        try? await store(value)
        try? await save(value)
        return Snapshot(value: value, source: .network)
    }

    private func stored() async throws -> Snapshot? {
        do {
            if let cached = try await cached() {
                return Snapshot(value: cached.value, source: .cache(isFresh: cached.isFresh))
            }
        } catch {
            guard let value = try await load() else { throw error }
            return Snapshot(value: value, source: .storage)
        }
        return try await load().map { Snapshot(value: $0, source: .storage) }
    }
}

extension OfflineFirst where Value: Codable {
    /// Creates a value that is stored as JSON in a ``DataCache``.
    ///
    /// - Parameters:
    ///   - key: the key in the cache. Values of different users need different keys.
    ///   - cache: its `maxAge` decides whether a value is fresh. Over a ``DiskCache`` the value survives the process.
    ///   - load: returns the value in the app's own storage; nil if there is none.
    ///   - save: stores a new value in the app's storage.
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
    /// The stored value, of any age, and then the new one.
    ///
    /// Each use of this property starts a request at once, so the new value loads while the app shows the stored one. The first value is
    /// left out if nothing is stored. If the server cannot be reached, asking for the second one throws the error of `fetch`. Leaving the
    /// loop or cancelling the task ends both. To leave the request running, use ``OfflineInterceptor/Mode/staleWhileRevalidate``.
    public var values: AsyncThrowingStream<Snapshot, any Error> {
        AsyncThrowingStream { values in
            let request = Task {
                if let stored = try? await stored() { values.yield(stored) }
                do {
                    values.yield(try await refresh())
                    values.finish()
                } catch {
                    values.finish(throwing: error)
                }
            }
            values.onTermination = { _ in request.cancel() }
        }
    }
}
