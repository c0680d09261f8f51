import NetCache
import NetCore

extension CacheStoreConformance {
    /// What is given back.
    static let contentChecks: [Check] = [
        Check("gives back what was committed") { bench in
            let entry = bench.entry("one")
            try await bench.put(entry, "hello")
            try bench.expect(try await bench.store.entries(for: bench.key), equals: [entry], "entries")
            try await bench.expectBody(Data("hello".utf8), of: entry)
            // Reading takes nothing away.
            try await bench.expectBody(Data("hello".utf8), of: entry)
        },
        Check("knows nothing of what was not stored") { bench in
            try bench.expect(try await bench.ids(), equals: [], "entries")
            let found = try await bench.body(bench.entry("none"))
            try bench.expect(found, equals: nil, "a body")
        },
        Check("keeps bodies of any size, in any pieces, byte for byte") { bench in
            // Each block is another one, and no block is as long as a power of two.
            let block = Data((0..<49_999).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) })
            let all = (0..<60).reduce(into: Data()) { $0 += Data([UInt8($1)]) + block }
            let pieces = [
                [], [Data()], [Data(all.prefix(1))], [all],
                stride(from: 0, to: all.count, by: 60_001).map {
                    Data(all[$0..<min(all.count, $0 + 60_001)])
                },
            ]
            for (number, chunks) in pieces.enumerated() {
                let entry = bench.entry("size-\(number)")
                // Where the length is not told before, too.
                let length = number.isMultiple(of: 2) ? nil : chunks.reduce(0) { $0 + Int64($1.count) }
                try await bench.put(entry, chunks, length: length)
                try await bench.expectBody(chunks.reduce(Data(), +), of: entry)
            }
        },
        Check("keeps all of a head") { bench in
            var entry = bench.entry("head", seconds: 0.125)
            entry.status = 206
            entry.headers.append(name: "Set-Cookie", value: "a=1")
            entry.headers.append(name: "Set-Cookie", value: "b=2; Path=/")
            entry.headers.append(name: "X-Text", value: "\"quoted\", ünïcode")
            entry.headers.append(name: "X-Empty", value: "")
            entry.requestHeaders = ["Accept": "text/plain;q=0.5, */*"]
            entry.expireTime = Date(timeIntervalSince1970: 1_800_000_000.5)
            try await bench.put(entry, "x")
            try bench.expect(try await bench.store.entries(for: bench.key), equals: [entry], "entries")
            entry.responseURL = nil
            entry.expireTime = nil
            try await bench.store.update(entry, for: bench.key)
            try bench.expect(
                try await bench.store.entries(for: bench.key), equals: [entry], "entries without optionals")
        },
        Check("gives the variants of a key, the newest first") { bench in
            for (number, language) in ["en", "de", "fr"].enumerated() {
                try await bench.put(bench.entry(language, variant: language, seconds: Double(number)), language)
            }
            try bench.expect(try await bench.ids(), equals: ["fr", "de", "en"], "order")
            for language in ["en", "de", "fr"] {
                try await bench.expectBody(Data(language.utf8), of: bench.entry(language))
            }
        },
        Check("keeps keys apart, whatever stands in them") { bench in
            let long = String(repeating: "x", count: 5_000)
            let urls = [
                "https://a.example/x", "https://a.example/X", "https://a.example/x/", "https://a.example/x?",
                "https://a.example/../x", "https://a.example/x%00", "https://a.example/ü", "https://a.example/\(long)a",
                "https://a.example/\(long)b", "",
            ]
            let keys = urls.flatMap { url in ["", "a", "b"].map { HTTPCacheKey(url: url, owner: $0) } }
            for (number, key) in keys.enumerated() { try await bench.put(bench.entry("same"), "\(number)", for: key) }
            for (number, key) in keys.enumerated() {
                try await bench.expectBody(Data("\(number)".utf8), of: bench.entry("same"), for: key)
            }
        },
    ]
}
