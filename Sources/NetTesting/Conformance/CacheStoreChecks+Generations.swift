import NetCache
import NetCore

extension CacheStoreConformance {
    /// Invalidations that overlap storing. A store without generations passes where it need not have any.
    static let generationChecks: [Check] = [
        Check("an update of a head that is not there any more does nothing") { bench in
            let old = bench.entry("one")
            var new = old
            new.responseTime += 60
            let generation = try await bench.store.generation(of: bench.key.url)
            func update() async throws -> Bool {
                try await bench.store.update(new, for: bench.key, replacing: old, since: generation)
            }
            try bench.expect(try await update(), equals: false, "an update of nothing")
            try await bench.put(old, "body")
            try bench.expect(try await update(), equals: true, "an update of the head that is there")
            try bench.expect(try await bench.store.entries(for: bench.key), equals: [new], "entries")
            try bench.expect(try await update(), equals: false, "an update of a head that was replaced")
            try await bench.expectBody(Data("body".utf8), of: new)
            try await bench.store.remove(new, for: bench.key)
            try bench.expect(try await update(), equals: false, "an update of a head that was removed")
            try bench.expect(try await bench.ids(), equals: [], "entries")
        },
        Check("what was begun before an invalidation is not stored after it, in a store with generations") { bench in
            let url = bench.key.url
            guard try await bench.store.generation(of: url) != nil else { return }
            let ends: [(String, @Sendable () async throws -> Void)] = [
                ("removeAll(url:)", { try await bench.store.removeAll(url: url) }),
                ("removeAll()", { try await bench.store.removeAll() }),
                ("advanceGeneration(of:)", { try await bench.store.advanceGeneration(of: url) }),
            ]
            for (name, end) in ends {
                let generation = try await bench.store.generation(of: url)
                let again = try await bench.store.generation(of: url)
                try bench.expect(again, equals: generation, "the generation, with nothing in between")
                let entry = bench.entry("one")
                let writer = try await bench.store.beginStoring(entry, for: bench.key, length: 3, since: generation)
                try await writer?.write(Data("old".utf8))
                try await end()
                let isNew = try await bench.store.generation(of: url) != generation
                try bench.expect(isNew, equals: true, "whether \(name) changes the generation")
                do {
                    try await writer?.commit()
                    throw ConformanceFailure("a commit after \(name) does not throw")
                } catch is CancellationError {
                    try bench.expect(try await bench.ids(), equals: [], "entries after \(name)")
                }
            }
        },
    ]
}
