import Foundation

/// How the work of a function that reads foreign text grows with the text.
///
/// Work is the CPU time of this thread alone (`CLOCK_THREAD_CPUTIME_ID`): other tests and other processes do not count, and the code under
/// test needs no counter. It is not a wall-clock limit: only the ratio of two measurements counts, each the best of several. From 64 to
/// 256 KiB linear work becomes 4 times as much, quadratic work 16 times; the limit is halfway between.
package enum Growth {
    /// Twice the least doubling that is not linear: 2.83 per doubling.
    package static let limit = 8.0

    /// The ratio of the work at 256 KiB to that at 64 KiB; nil where it is linear without doubt, since the work is too little to be measured.
    ///
    /// Cheap for what is linear: a look at 2 and 8 KiB first, the sizes that count only where two such looks are in doubt.
    package static func ratio(of unit: [UInt8], prefix: [UInt8] = [], _ work: (String) -> Void) -> Double? {
        for times in [1, 3] {
            let quick = measure(unit, prefix, 2 << 10, times: times, work)
            // No CPU looks at 8 KiB for each of 8 Ki bytes in half a millisecond.
            guard quick.large > 0.0005, quick.large / quick.small > limit * 0.7 else { return nil }
            // Quadratic without doubt: at 256 KiB it would take 20 s. Work within a window of some KiB may look so on a slow machine, in a few
            // milliseconds, and is linear beyond the window.
            if times == 3, quick.large > 0.02, quick.large / quick.small > limit * 1.5 {
                return quick.large / quick.small
            }
        }
        var ratio = Double.infinity
        for _ in 0..<3 {
            let result = measure(unit, prefix, 64 << 10, times: ratio.isFinite ? 5 : 1, work)
            ratio = min(ratio, result.large / result.small)
            if ratio < limit || result.large > 1 { break }
        }
        return ratio
    }

    private static func measure(
        _ unit: [UInt8], _ prefix: [UInt8], _ size: Int, times: Int, _ work: (String) -> Void
    ) -> (small: Double, large: Double) {
        func text(_ size: Int) -> String { Self.text(unit, prefix: prefix, size: size) }
        // A pause of the machine during the only measurement of the smaller size would pass for linear work.
        return (max(best(text(size), times: times + 2, work), 1e-7), best(text(size * 4), times: times, work))
    }

    /// The ratio of the work on the larger input to that on the smaller one, which has a quarter of its elements.
    package static func ratio<Input>(small: Input, large: Input, _ work: (Input) -> Void) -> Double {
        var ratio = Double.infinity
        for times in [1, 3, 5] {
            ratio = min(ratio, best(large, times: times, work) / max(best(small, times: times, work), 1e-7))
            if ratio < limit { break }
        }
        return ratio
    }

    private static func best<Input>(_ input: Input, times: Int, _ work: (Input) -> Void) -> Double {
        (0..<times).map { _ in
            let start = cpuTime()
            work(input)
            return cpuTime() - start
        }.min() ?? 0
    }

    /// The prefix and so many copies of the unit.
    package static func text(_ unit: [UInt8], prefix: [UInt8] = [], size: Int) -> String {
        guard !unit.isEmpty else { return String(decoding: prefix, as: UTF8.self) }
        var copies = unit
        while copies.count < size { copies += copies }
        let bytes = prefix + copies.prefix(size / unit.count * unit.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func cpuTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Worst inputs for scanners of text: each byte, each pair of delimiters, what opens something and never closes it, nested.
    package static let units: [(prefix: String, unit: [UInt8])] = {
        let delimiters = Array("\"\\,;:=@/&<[{ -".utf8)
        let bytes = (UInt8.min..<0x81).map { ("", [$0]) }
        let pairs = delimiters.flatMap { first in delimiters.filter { $0 != first }.map { ("", [first, $0]) } }
        let words = [
            "a=", "a=b;", "a=\"b\",", "\"a\":", "{\"a\":", "[{\"a\":[", "{\"token\":{\"a\":1},", "\\\"", "\\\\",
            "\\u0061", "%41", "%2541", "token=/",
            "token=", "token: ", "token=\"", "password='", "token=\\", "token   ", "=token", "api-key:", "://",
            "http://", "http://a@", "https://a:b",
            "a:b@", "user:pw@", "eyJ", "eyJhbGci.", "bearer ", "Basic ", "basic a", "Bearer aaaa",
            "Authorization: Token ", "Digest a=\"", "sk-", "sk_live_",
            "AKIA", "ghp_", "-----BEGIN ", "-----END ", "-----BEGIN A-----", "4111 ", "4111-1111 ", "4111111111111111 ",
            "1.1", "41 11 11 11 ",
            "<a>;", "<a>;b=\"", "<", ">;rel=\"a\",", "W/\"", "bytes 0-", "Cookie: a=b; ", "a1B2c3D4", "aA", "A1",
            "\u{301}", "a\u{301}", "\u{1F1E6}",
            "\u{200D}", "👩‍👩‍👧‍👦", "é", "क्ष", "\u{0}", "AccountKey=", "Set-Cookie: a=", "&token=/", "%70assword=", "pass",
            "passpasspass=", ";a=", "/token/",
            "password password password ", "code: ", "\n ", "#token=", "{\\\"token\\\":\\\"",
            "token=[", "token={\"", "<token>", "<token>expired<", "a>", "token: Optional(", "token=b'", "token=>",
            "[token]=", "bearer\t", "token:\\u0022", "\\u0022", "token:\\u0022basic [REDACTED]",
        ]
        let starts = [
            "\"", "'", "token=\"", "token='", "{\"a\":\"", "[\"", "<", "<a>;b=\"", "http://", "Cookie: ", "{\"token\":",
            "-----BEGIN ",
        ]
        let unterminated = starts.flatMap { start in
            ["a", "@", "\\", ":", "=", " ", ";", "/", "\"", "'"].filter { $0 != start }.map { (start, Array($0.utf8)) }
        }
        return bytes + pairs + words.map { ("", Array($0.utf8)) } + unterminated
    }()
}

/// Something that reads foreign text, whose work must be linear in it.
package struct GrowthReader: Sendable, CustomStringConvertible {
    package let description: String
    /// The source files whose scanning this exercises, beneath `Sources`: `Scripts/lint` reads them off the tests.
    package let files: [String]
    private let units: [(prefix: String, unit: [UInt8])]
    private let read: @Sendable (String) -> Void

    /// - Parameters:
    ///   - units: worst inputs that only this reader knows, beside ``Growth/units``.
    package init(
        _ name: String, of files: String..., units: [(prefix: String, unit: [UInt8])] = [],
        read: @escaping @Sendable (String) -> Void
    ) {
        description = name
        self.files = files
        self.units = units
        self.read = read
    }

    /// The inputs for which the work grows faster than the text; empty if it is linear.
    ///
    /// On a thread of its own: work of seconds must not take the threads that other tests wait on.
    package func failures() async -> [String] {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: measured()) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private func measured() -> [String] {
        (units + Growth.units).compactMap { prefix, unit in
            guard let ratio = Growth.ratio(of: unit, prefix: Array(prefix.utf8), read), ratio >= Growth.limit else {
                return nil
            }
            return
                "\(prefix.debugDescription) and many \(String(decoding: unit, as: UTF8.self).debugDescription): \(ratio)"
        }
    }
}
