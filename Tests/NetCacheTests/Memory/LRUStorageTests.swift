import Foundation
import Testing

@testable import NetCache

@Suite("LRUStorage")
struct LRUStorageTests {
    /// Compares it with the plainest thing that does the same, over many random operations. The generator is seeded, so a
    /// failure comes again.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func behavesAsAPlainList(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var storage = LRUStorage(maxBytes: 100, maxEntries: 7)
        var model = PlainList(maxBytes: 100, maxEntries: 7)
        for step in 0..<3000 {
            let key = "k\(random.next(below: 12))"
            switch random.next(below: 20) {
            case 0..<9:
                let data = Data(count: random.next(below: 60) * random.next(below: 3))
                storage.set(.init(data: data, expireTime: nil), for: key)
                model.set(data.count, for: key)
            case 9..<16:
                try #require(storage.use(key)?.data.count == model.use(key), "step \(step)")
            case 16..<19:
                storage.remove(key)
                model.entries.removeAll { $0.key == key }
            default:
                let length = random.next(below: 60)
                storage.removeAll { $0.data.count > length }
                model.entries.removeAll { $0.bytes > length }
            }
            try #require(storage.count == model.entries.count, "step \(step)")
            try #require(storage.byteCount == model.byteCount, "step \(step)")
        }
    }

    @Test func removedSlotsAreUsedAgain() {
        var storage = LRUStorage(maxBytes: 1000, maxEntries: 3)
        for round in 0..<10_000 { storage.set(.init(data: Data([1]), expireTime: nil), for: "\(round)") }
        #expect(storage.count == 3)
        #expect(storage.use("9997") != nil)
        #expect(storage.use("9996") == nil)
        let slots = Mirror(reflecting: storage).children.first { $0.label == "slots" }?.value as? [Any]
        #expect((slots?.count ?? .max) <= 3)
    }
}

private struct PlainList {
    let maxBytes: Int
    let maxEntries: Int
    /// The newest is last.
    var entries: [(key: String, bytes: Int)] = []

    init(maxBytes: Int, maxEntries: Int) {
        self.maxBytes = maxBytes
        self.maxEntries = maxEntries
    }

    var byteCount: Int { entries.reduce(0) { $0 + $1.bytes } }

    mutating func use(_ key: String) -> Int? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        entries.append(entries.remove(at: index))
        return entries.last?.bytes
    }

    mutating func set(_ bytes: Int, for key: String) {
        entries.removeAll { $0.key == key }
        guard bytes <= maxBytes else { return }
        entries.append((key, bytes))
        while byteCount > maxBytes || entries.count > maxEntries { entries.removeFirst() }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func next(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
