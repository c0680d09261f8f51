import TestLab

/// Makes cases from a seed: first so that each pair of values of two settings is in one of them, then any.
struct CaseGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(state: seed)
        // The first numbers of a small state are small as well.
        for _ in 0..<16 { _ = random.next() }
    }

    private struct Choice: Hashable {
        let setting: Int
        let value: Int
    }

    private struct Pair: Hashable {
        let first: Choice
        let second: Choice
    }

    private static let sizes = [
        SeamCase.Door.allCases.count, SeamCase.Source.allCases.count, SeamCase.Cache.allCases.count,
        SeamCase.Redirect.allCases.count, SeamCase.Vary.allCases.count, SeamCase.Sharing.allCases.count,
        SeamCase.Clients.allCases.count, 2, 2, 2, 2,
    ]

    private static func make(_ values: [Int], ownsTransport: Bool) -> SeamCase {
        var result = SeamCase()
        result.door = SeamCase.Door.allCases[values[0]]
        result.source = SeamCase.Source.allCases[values[1]]
        result.cache = SeamCase.Cache.allCases[values[2]]
        result.redirect = SeamCase.Redirect.allCases[values[3]]
        result.vary = SeamCase.Vary.allCases[values[4]]
        result.sharing = SeamCase.Sharing.allCases[values[5]]
        result.clients = SeamCase.Clients.allCases[values[6]]
        result.refreshes = values[7] == 1
        result.retries = values[8] == 1
        result.setsCookie = values[9] == 1
        result.isPerCall = values[10] == 1
        result.ownsTransport = ownsTransport
        return result.normalized
    }

    private static func choices(of seam: SeamCase) -> [Choice] {
        func index<Value: CaseIterable & Equatable>(_ value: Value) -> Int {
            Array(Value.allCases).firstIndex(of: value) ?? 0
        }
        let flags = [seam.refreshes, seam.retries, seam.setsCookie, seam.isPerCall].map { $0 ? 1 : 0 }
        let values =
            [
                index(seam.door), index(seam.source), index(seam.cache), index(seam.redirect), index(seam.vary),
                index(seam.sharing), index(seam.clients),
            ] + flags
        return values.enumerated().map { Choice(setting: $0.offset, value: $0.element) }
    }

    private static func pairs(of seam: SeamCase) -> Set<Pair> {
        let choices = choices(of: seam)
        return Set(
            choices.enumerated().flatMap { index, first in
                choices[(index + 1)...].map { Pair(first: first, second: $0) }
            })
    }

    mutating func any() -> SeamCase { with([]) }

    /// Any case with these values, as far as they make sense.
    private mutating func with(_ fixed: [Choice]) -> SeamCase {
        var values = Self.sizes.map { Int.random(in: 0..<$0, using: &random) }
        for choice in fixed { values[choice.setting] = choice.value }
        return Self.make(values, ownsTransport: Int.random(in: 0..<16, using: &random) == 0)
    }

    /// Cases that have each pair of values that can be had.
    mutating func allPairs() -> [SeamCase] {
        var missing: [Pair] = []
        for (first, firstSize) in Self.sizes.enumerated() {
            for (second, secondSize) in Self.sizes.enumerated() where second > first {
                for value in 0..<firstSize {
                    missing += (0..<secondSize).map { other in
                        Pair(first: Choice(setting: first, value: value), second: Choice(setting: second, value: other))
                    }
                }
            }
        }
        var open = Set(missing)
        var result: [SeamCase] = []
        for pair in missing where open.contains(pair) {
            // Of several that have the pair, the one with the most others that are missing.
            let candidates = (0..<24).map { _ in with([pair.first, pair.second]) }
            let scored = candidates.map { (seam: $0, pairs: Self.pairs(of: $0)) }.filter { $0.pairs.contains(pair) }
            open.remove(pair)
            let counted = scored.map { ($0.seam, $0.pairs, $0.pairs.intersection(open).count) }
            guard let best = counted.max(by: { $0.2 < $1.2 }) else { continue }
            open.subtract(best.1)
            result.append(best.0)
        }
        return result
    }
}
