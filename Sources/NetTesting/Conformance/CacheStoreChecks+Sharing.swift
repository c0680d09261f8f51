import NetCache
import NetCore

extension CacheStoreConformance {
    /// Several at once. Each body is made of one byte, so that a mixture shows.
    static let sharingChecks: [Check] = [
        Check("writers at the same time do not mix") { bench in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let chunks = Array(repeating: Data(repeating: UInt8(number), count: 10_000), count: 10)
                        try await bench.put(bench.entry("entry-\(number)", seconds: Double(number)), chunks)
                    }
                }
                try await group.waitForAll()
            }
            try bench.expect(try await bench.ids().count, equals: 16, "how many entries")
            for number in 0..<16 {
                try await bench.expectBody(
                    Data(repeating: UInt8(number), count: 100_000), of: bench.entry("entry-\(number)"))
            }
        },
        Check("a reader gets one whole body while it is replaced and removed") { bench in
            let entry = bench.entry("one")
            try await bench.put(entry, chunks(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 1..<20 {
                        if number.isMultiple(of: 5) { try await bench.store.remove(entry, for: bench.key) }
                        try await bench.put(entry, chunks(number))
                    }
                }
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<20 { try await readWhole(entry, in: bench) }
                    }
                }
                try await group.waitForAll()
            }
            try await bench.expectBody(chunks(19).reduce(Data(), +), of: entry)
        },
        Check("a body that was asked for is not another's when its entry is replaced") { bench in
            let entry = bench.entry("one")
            let old = Data(repeating: 1, count: 400_000)
            try await bench.put(entry, [old])
            guard let body = try await bench.store.body(of: entry, for: bench.key) else {
                throw ConformanceFailure("the body is gone")
            }
            try await bench.put(entry, [Data(repeating: 2, count: 400_000)])
            // It may be gone by now, but never be the other one.
            guard let data = try? await body.collect(upTo: .max) else { return }
            try bench.expect(data == old, equals: true, "whether it is the body that was asked for")
        },
    ]

    private static func chunks(_ number: Int) -> [Data] {
        Array(repeating: Data(repeating: UInt8(truncatingIfNeeded: number), count: 50_000), count: 8)
    }

    /// A body that ends with an error is no other body; one that ends well is whole, and of one writer.
    private static func readWhole(_ entry: HTTPCacheEntry, in bench: CacheStoreBench) async throws {
        guard let body = try await bench.store.body(of: entry, for: bench.key),
            let data = try? await body.collect(upTo: .max)
        else { return }
        try bench.expect(data.count, equals: 400_000, "the length of a body that was read to its end")
        let first = data.first ?? 0
        try bench.expect(
            data == Data(repeating: first, count: data.count), equals: true, "whether a body is of one writer")
    }
}
