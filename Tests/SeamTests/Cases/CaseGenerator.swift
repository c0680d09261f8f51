import TestLab

/// Makes cases from a seed: first so that each pair of values of two settings is in one of them, then any.
struct CaseGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(state: seed)
        // The first numbers of a small state are small as well.
        for _ in 0..<16 { _ = random.next() }
    }

    private struct Choice: Hashable { let setting: Int, value: Int }
    private struct Pair: Hashable { let first: Choice, second: Choice }

    /// A property of a case and its values.
    private struct Setting: Sendable {
        let size: Int
        let get: @Sendable (SeamCase) -> Int
        let set: @Sendable (inout SeamCase, Int) -> Void
        init<Value: Equatable & Sendable>(_ path: any WritableKeyPath<SeamCase, Value> & Sendable, _ values: [Value]) {
            size = values.count
            get = { values.firstIndex(of: $0[keyPath: path]) ?? 0 }
            set = { $0[keyPath: path] = values[$1] }
        }
    }

    private static let flags = [false, true]
    private static let settings = [
        Setting(\.door, SeamCase.Door.allCases), Setting(\.source, SeamCase.Source.allCases),
        Setting(\.cache, SeamCase.Cache.allCases), Setting(\.redirect, SeamCase.Redirect.allCases),
        Setting(\.vary, SeamCase.Vary.allCases), Setting(\.sharing, SeamCase.Sharing.allCases),
        Setting(\.clients, SeamCase.Clients.allCases), Setting(\.refreshes, flags), Setting(\.retries, flags),
        Setting(\.setsCookie, flags), Setting(\.isPerCall, flags),
    ]

    private static func make(_ values: [Int], ownsTransport: Bool) -> SeamCase {
        var result = SeamCase(ownsTransport: ownsTransport)
        for (setting, value) in zip(settings, values) { setting.set(&result, value) }
        return result.normalized
    }

    private static func choices(of seam: SeamCase) -> [Choice] {
        settings.enumerated().map { Choice(setting: $0.offset, value: $0.element.get(seam)) }
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
        var values = Self.settings.map { Int.random(in: 0..<$0.size, using: &random) }
        for choice in fixed { values[choice.setting] = choice.value }
        return Self.make(values, ownsTransport: Int.random(in: 0..<16, using: &random) == 0)
    }

    /// Cases that have each pair of values that can be had.
    mutating func allPairs() -> [SeamCase] {
        var missing: [Pair] = []
        let sizes = Self.settings.map(\.size)
        for (first, firstSize) in sizes.enumerated() {
            for (second, secondSize) in sizes.enumerated() where second > first {
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
