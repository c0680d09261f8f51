import NetCache
import NetCore

extension CacheStoreConformance {
    /// Entries and bodies.
    static let contentChecks: [Check] = [
        Check("returns committed responses") { test in
            let entry = test.entry("one")
            try await test.put(entry, "hello")
            try test.expect(try await test.store.entries(for: test.key), equals: [entry], "entries")
            try await test.expectBody(Data("hello".utf8), of: entry)
            // Reading removes nothing.
            try await test.expectBody(Data("hello".utf8), of: entry)
        },
        Check("has nothing that was not stored") { test in
            try test.expect(try await test.ids(), equals: [], "entries")
            try test.expect(try await test.body(test.entry("none")), equals: nil, "a body")
        },
        Check("keeps bodies of any size, in any pieces, byte for byte") { test in
            // All blocks differ, and their length is not a power of two.
            let block = Data((0..<49_999).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) })
            let all = (0..<60).reduce(into: Data()) { $0 += Data([UInt8($1)]) + block }
            let pieces = [
                [], [Data()], [Data(all.prefix(1))], [all],
                stride(from: 0, to: all.count, by: 60_001).map { Data(all[$0..<min(all.count, $0 + 60_001)]) },
            ]
            for (number, chunks) in pieces.enumerated() {
                let entry = test.entry("size-\(number)")
                // Every other length is not given before.
                let length = number.isMultiple(of: 2) ? nil : chunks.reduce(0) { $0 + Int64($1.count) }
                try await test.put(entry, chunks, length: length)
                try await test.expectBody(chunks.reduce(Data(), +), of: entry)
            }
        },
        Check("keeps the whole head") { test in
            var entry = test.entry("head", seconds: 0.125)
            entry.status = 206
            entry.headers.append(name: "Set-Cookie", value: "a=1")
            entry.headers.append(name: "Set-Cookie", value: "b=2; Path=/")
            entry.headers.append(name: "X-Text", value: "\"quoted\", ünïcode")
            entry.headers.append(name: "X-Empty", value: "")
            entry.requestHeaders = ["Accept": "text/plain;q=0.5, */*"]
            entry.expireTime = Date(timeIntervalSince1970: 1_800_000_000.5)
            try await test.put(entry, "x")
            try test.expect(try await test.store.entries(for: test.key), equals: [entry], "entries")
            let old = entry
            entry.responseURL = nil
            entry.expireTime = nil
            try await test.update(entry, replacing: old)
            try test.expect(try await test.store.entries(for: test.key), equals: [entry], "entries without optionals")
        },
        Check("returns the variants of a key, the newest first") { test in
            for (number, language) in ["en", "de", "fr"].enumerated() {
                try await test.put(test.entry(language, variant: language, seconds: Double(number)), language)
            }
            try test.expect(try await test.ids(), equals: ["fr", "de", "en"], "order")
            for language in ["en", "de", "fr"] {
                try await test.expectBody(Data(language.utf8), of: test.entry(language))
            }
        },
        Check("keeps keys apart, whatever characters they have") { test in
            let long = String(repeating: "x", count: 5_000)
            let urls = [
                "https://a.example/x", "https://a.example/X", "https://a.example/x/", "https://a.example/x?",
                "https://a.example/../x", "https://a.example/x%00", "https://a.example/ü", "https://a.example/\(long)a",
                "https://a.example/\(long)b", "",
            ]
            let keys = urls.flatMap { url in ["", "a", "b"].map { HTTPCacheKey(url: url, owner: $0) } }
            for (number, key) in keys.enumerated() { try await test.put(test.entry("same"), "\(number)", for: key) }
            for (number, key) in keys.enumerated() {
                try await test.expectBody(Data("\(number)".utf8), of: test.entry("same"), for: key)
            }
        },
    ]

    /// Writers. A response is visible only after its commit.
    static let writerChecks: [Check] = [
        Check("shows nothing before the commit") { test in
            let entry = test.entry("one")
            let writer = try await test.begin(entry)
            try await writer.write(Data("half".utf8))
            try test.expect(try await test.ids(), equals: [], "entries before the commit")
            try test.expect(try await test.body(entry), equals: nil, "a body before the commit")
            try await writer.commit()
            try test.expect(try await test.ids(), equals: ["one"], "entries after it")
        },
        Check("forgets aborted and dropped writers") { test in
            let aborted = try await test.begin(test.entry("aborted"))
            try await aborted.write(Data("x".utf8))
            await aborted.abort()
            do {
                let dropped = try await test.begin(test.entry("dropped"))
                try await dropped.write(Data("x".utf8))
            }
            try test.expect(try await test.ids(), equals: [], "entries")
        },
        Check("an aborted replacement keeps the old response") { test in
            let entry = test.entry("one")
            try await test.put(entry, "old")
            let writer = try await test.begin(entry)
            try await writer.write(Data("new".utf8))
            try await test.expectBody(Data("old".utf8), of: entry)
            await writer.abort()
            try await test.expectBody(Data("old".utf8), of: entry)
        },
        Check("a commit replaces the entry with the same id") { test in
            try await test.put(test.entry("one"), "old")
            try await test.put(test.entry("other", variant: "de", seconds: 1), "other")
            let new = test.entry("one", seconds: 2)
            try await test.put(new, "new")
            try test.expect(try await test.ids(), equals: ["one", "other"], "entries")
            try await test.expectBody(Data("new".utf8), of: new)
            try await test.expectBody(Data("other".utf8), of: test.entry("other"))
        },
        Check("an update changes the head and keeps the body") { test in
            var entry = test.entry("one")
            try await test.put(entry, "body")
            entry.headers.add(name: "Age", value: "7")
            entry.responseTime += 60
            try await test.update(entry, replacing: test.entry("one"))
            try test.expect(try await test.store.entries(for: test.key), equals: [entry], "entries")
            try await test.expectBody(Data("body".utf8), of: entry)
        },
    ]

    /// Removals.
    static let removalChecks: [Check] = [
        Check("removes one response, and no other") { test in
            try await test.put(test.entry("one"), "1")
            try await test.put(test.entry("two", seconds: 1), "2")
            for _ in 0..<2 { try await test.store.remove(test.entry("one"), for: test.key) }
            try test.expect(try await test.ids(), equals: ["two"], "entries")
            try test.expect(try await test.body(test.entry("one")), equals: nil, "the removed body")
            try await test.expectBody(Data("2".utf8), of: test.entry("two"))
        },
        Check("removes the responses of a URL for all owners, and no others") { test in
            let keys = ["", "a", "b"].map { HTTPCacheKey(url: "https://a.example/x", owner: $0) }
            let others = ["x?y", "", "xx"].map { HTTPCacheKey(url: "https://a.example/" + $0) }
            for key in keys + others { try await test.put(test.entry("one"), key.url, for: key) }
            try await test.store.removeAll(url: "https://a.example/x")
            for key in keys { try test.expect(try await test.ids(key), equals: [], "entries of owner '\(key.owner)'") }
            for key in others { try await test.expectBody(Data(key.url.utf8), of: test.entry("one"), for: key) }
        },
        Check("removes all, and stores again") { test in
            let keys = (0..<20).map { HTTPCacheKey(url: "https://a.example/\($0)", owner: "\($0 % 3)") }
            for key in keys { try await test.put(test.entry("one"), "x", for: key) }
            try await test.store.removeAll()
            for key in keys { try test.expect(try await test.ids(key), equals: [], "entries of \(key.url)") }
            try await test.put(test.entry("one"), "again")
            try await test.expectBody(Data("again".utf8), of: test.entry("one"))
        },
    ]

    /// Concurrent access. Each body repeats one byte, so that a mixture is visible.
    static let sharingChecks: [Check] = [
        Check("writers at the same time do not mix") { test in
            try await atOnce(16) { number in
                let chunks = Array(repeating: Data(repeating: UInt8(number), count: 10_000), count: 10)
                try await test.put(test.entry("entry-\(number)", seconds: Double(number)), chunks)
            }
            try test.expect(try await test.ids().count, equals: 16, "how many entries")
            for number in 0..<16 {
                try await test.expectBody(
                    Data(repeating: UInt8(number), count: 100_000), of: test.entry("entry-\(number)"))
            }
        },
        Check("a reader gets one whole body while it is replaced and removed") { test in
            let entry = test.entry("one")
            try await test.put(entry, chunks(0))
            async let readers: Void = atOnce(4) { _ in
                for _ in 0..<20 { try await readWhole(entry, in: test) }
            }
            for number in 1..<20 {
                if number.isMultiple(of: 5) { try await test.store.remove(entry, for: test.key) }
                try await test.put(entry, chunks(number))
            }
            try await readers
            try await test.expectBody(chunks(19).reduce(Data(), +), of: entry)
        },
        Check("a body stays the same or fails when its entry is replaced") { test in
            let entry = test.entry("one")
            let old = Data(repeating: 1, count: 400_000)
            try await test.put(entry, [old])
            guard let body = try await test.store.body(of: entry, for: test.key) else {
                throw ConformanceFailure("the body is gone")
            }
            try await test.put(entry, [Data(repeating: 2, count: 400_000)])
            // It may be gone, but it must not be the new one.
            guard let data = try? await body.collect(upTo: .max) else { return }
            try test.expect(data == old, equals: true, "whether it is the body that was asked for")
        },
    ]

    private static func chunks(_ number: Int) -> [Data] {
        Array(repeating: Data(repeating: UInt8(truncatingIfNeeded: number), count: 50_000), count: 8)
    }

    /// Reads a body. If it ends without an error, it must be complete and of one writer.
    private static func readWhole(_ entry: HTTPCacheEntry, in test: CacheStoreFixture) async throws {
        guard let body = try await test.store.body(of: entry, for: test.key),
            let data = try? await body.collect(upTo: .max)
        else { return }
        try test.expect(data.count, equals: 400_000, "the length of a body that was read to its end")
        let first = data.first ?? 0
        try test.expect(
            data == Data(repeating: first, count: data.count), equals: true, "whether a body is of one writer")
    }

    /// Invalidations that overlap storing. A store need not have generations.
    static let generationChecks: [Check] = [
        Check("an update of a replaced or removed head does nothing") { test in
            let old = test.entry("one")
            var new = old
            new.responseTime += 60
            let generation = try await test.store.generation(of: test.key.url)
            func update() async throws -> Bool {
                try await test.store.update(new, for: test.key, replacing: old, since: generation)
            }
            try test.expect(try await update(), equals: false, "an update of nothing")
            try test.expect(try await test.ids(), equals: [], "entries after it")
            try await test.put(old, "body")
            try test.expect(try await update(), equals: true, "an update of the head that is there")
            try test.expect(try await test.store.entries(for: test.key), equals: [new], "entries")
            try test.expect(try await update(), equals: false, "an update of a head that was replaced")
            try await test.expectBody(Data("body".utf8), of: new)
            try await test.store.remove(new, for: test.key)
            try test.expect(try await update(), equals: false, "an update of a head that was removed")
            try test.expect(try await test.ids(), equals: [], "entries")
        },
        Check("a response begun before an invalidation is not stored after it, in a store with generations") { test in
            let url = test.key.url
            guard try await test.store.generation(of: url) != nil else { return }
            let ends: [(String, @Sendable () async throws -> Void)] = [
                ("removeAll(url:)", { try await test.store.removeAll(url: url) }),
                ("removeAll()", { try await test.store.removeAll() }),
                ("advanceGeneration(of:)", { try await test.store.advanceGeneration(of: url) }),
            ]
            for (name, end) in ends {
                let generation = try await test.store.generation(of: url)
                let again = try await test.store.generation(of: url)
                try test.expect(again, equals: generation, "the generation, with nothing in between")
                let entry = test.entry("one")
                let writer = try await test.store.beginStoring(entry, for: test.key, length: 3, since: generation)
                try await writer?.write(Data("old".utf8))
                try await end()
                let isNew = try await test.store.generation(of: url) != generation
                try test.expect(isNew, equals: true, "whether \(name) changes the generation")
                do {
                    try await writer?.commit()
                    throw ConformanceFailure("a commit after \(name) does not throw")
                } catch is CancellationError {
                    try test.expect(try await test.ids(), equals: [], "entries after \(name)")
                }
            }
        },
    ]
}
