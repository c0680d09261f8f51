import NetCache
import NetCore

extension CacheStoreConformance {
    /// Writers: nothing before the commit, and nothing by halves.
    static let writerChecks: [Check] = [
        Check("shows nothing before the commit") { bench in
            let entry = bench.entry("one")
            let writer = try await bench.begin(entry)
            try await writer.write(Data("half".utf8))
            try bench.expect(try await bench.ids(), equals: [], "entries before the commit")
            let early = try await bench.body(entry)
            try bench.expect(early, equals: nil, "a body before the commit")
            try await writer.commit()
            try bench.expect(try await bench.ids(), equals: ["one"], "entries after it")
        },
        Check("forgets what was aborted, or dropped") { bench in
            let aborted = try await bench.begin(bench.entry("aborted"))
            try await aborted.write(Data("x".utf8))
            await aborted.abort()
            do {
                let dropped = try await bench.begin(bench.entry("dropped"))
                try await dropped.write(Data("x".utf8))
            }
            try bench.expect(try await bench.ids(), equals: [], "entries")
        },
        Check("an aborted replacement leaves what was there") { bench in
            let entry = bench.entry("one")
            try await bench.put(entry, "old")
            let writer = try await bench.begin(entry)
            try await writer.write(Data("new".utf8))
            try await bench.expectBody(Data("old".utf8), of: entry)
            await writer.abort()
            try await bench.expectBody(Data("old".utf8), of: entry)
        },
        Check("a commit takes the place of the entry with the same id") { bench in
            try await bench.put(bench.entry("one"), "old")
            try await bench.put(bench.entry("other", variant: "de", seconds: 1), "other")
            let new = bench.entry("one", seconds: 2)
            try await bench.put(new, "new")
            try bench.expect(try await bench.ids(), equals: ["one", "other"], "entries")
            try await bench.expectBody(Data("new".utf8), of: new)
            try await bench.expectBody(Data("other".utf8), of: bench.entry("other"))
        },
        Check("an update changes the head and keeps the body") { bench in
            var entry = bench.entry("one")
            try await bench.put(entry, "body")
            entry.headers.add(name: "Age", value: "7")
            entry.responseTime += 60
            try await bench.store.update(entry, for: bench.key)
            try bench.expect(try await bench.store.entries(for: bench.key), equals: [entry], "entries")
            try await bench.expectBody(Data("body".utf8), of: entry)
        },
        Check("an update of what is not there does nothing") { bench in
            try await bench.store.update(bench.entry("none"), for: bench.key)
            try bench.expect(try await bench.ids(), equals: [], "entries")
        },
    ]

    /// Removing.
    static let removalChecks: [Check] = [
        Check("removes one response, and no other") { bench in
            try await bench.put(bench.entry("one"), "1")
            try await bench.put(bench.entry("two", seconds: 1), "2")
            for _ in 0..<2 { try await bench.store.remove(bench.entry("one"), for: bench.key) }
            try bench.expect(try await bench.ids(), equals: ["two"], "entries")
            let gone = try await bench.body(bench.entry("one"))
            try bench.expect(gone, equals: nil, "the removed body")
            try await bench.expectBody(Data("2".utf8), of: bench.entry("two"))
        },
        Check("removes a URL's responses, whosever they are, and no others") { bench in
            let keys = ["", "a", "b"].map { HTTPCacheKey(url: "https://a.example/x", owner: $0) }
            let others = ["https://a.example/x?y", "https://a.example/", "https://a.example/xx"].map {
                HTTPCacheKey(url: $0)
            }
            for key in keys + others { try await bench.put(bench.entry("one"), key.url, for: key) }
            try await bench.store.removeAll(url: "https://a.example/x")
            for key in keys {
                try bench.expect(try await bench.ids(key), equals: [], "entries of owner '\(key.owner)'")
            }
            for key in others { try await bench.expectBody(Data(key.url.utf8), of: bench.entry("one"), for: key) }
        },
        Check("removes all, and goes on") { bench in
            let keys = (0..<20).map { HTTPCacheKey(url: "https://a.example/\($0)", owner: "\($0 % 3)") }
            for key in keys { try await bench.put(bench.entry("one"), "x", for: key) }
            try await bench.store.removeAll()
            for key in keys { try bench.expect(try await bench.ids(key), equals: [], "entries of \(key.url)") }
            try await bench.put(bench.entry("one"), "again")
            try await bench.expectBody(Data("again".utf8), of: bench.entry("one"))
        },
    ]
}
