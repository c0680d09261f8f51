import NetCore

/// International names in the form that DNS has (RFC 3492).
enum Punycode {
    /// The domain in lower case, its labels of other letters as `xn--`.
    static func domain(_ text: Substring) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return String(text).asciiLowercased }
        return text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
            .map { label in
                label.utf8.allSatisfy { $0 < 0x80 }
                    ? String(label) : "xn--" + encoded(label.unicodeScalars.map(\.value))
            }
            .joined(separator: ".")
    }

    /// The encoding procedure of RFC 3492, section 6.3. The work is quadratic in the label, which is at most 255 bytes long.
    private static func encoded(_ scalars: [UInt32]) -> String {
        var output = scalars.filter { $0 < 0x80 }.map { UInt8(truncatingIfNeeded: $0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var handled = basicCount
        var code: UInt32 = 128
        var delta = 0
        var bias = 72
        while handled < scalars.count, let next = scalars.filter({ $0 >= code }).min() {
            delta += Int(next - code) * (handled + 1)
            code = next
            for scalar in scalars {
                if scalar < code { delta += 1 }
                guard scalar == code else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func append(_ delta: Int, bias: Int, to output: inout [UInt8]) {
        var rest = delta
        var step = base
        while true {
            let threshold = min(max(step - bias, 1), 26)
            if rest < threshold { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            step += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value + 97 : value - 26 + 48)
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - 1) * 26 / 2 {
            delta /= base - 1
            steps += base
        }
        return steps + base * delta / (delta + 38)
    }

    private static let base = 36
}
