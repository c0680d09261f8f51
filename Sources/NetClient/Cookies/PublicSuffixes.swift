/// The domains under which names are registered (`com`, `co.uk`, `github.io`). A cookie must not be for all hosts below one.
struct PublicSuffixes: Sendable {
    private enum Source: Sendable {
        case list(SuffixList)
        #if os(Linux)
            case library(SuffixLibrary)
        #endif
    }

    private let source: Source

    /// The suffixes of a file in the format of publicsuffix.org.
    init(contentsOf file: URL) throws {
        source = .list(SuffixList(try Data(contentsOf: file)))
    }

    init(_ list: SuffixList) {
        source = .list(list)
    }

    /// The system's list, read once: libpsl, else the file of the `publicsuffix` package; nil if both are missing.
    static let system: PublicSuffixes? = {
        #if os(Linux)
            if let library = SuffixLibrary() { return PublicSuffixes(source: .library(library)) }
        #endif
        return try? PublicSuffixes(contentsOf: URL(fileURLWithPath: systemFile))
    }()

    static let systemFile = "/usr/share/publicsuffix/public_suffix_list.dat"

    private init(source: Source) {
        self.source = source
    }

    /// Whether the domain is a public suffix. An unlisted domain is one if it is a single label.
    ///
    /// - Parameter domain: In lower case, international names as `xn--`.
    func contains(_ domain: String) -> Bool {
        registrableDomain(of: domain) == nil
    }

    /// Returns the suffix and one more label: `example.co.uk` for `www.example.co.uk`. Nil if the host is a public suffix, or longer
    /// than 255 bytes.
    func registrableDomain(of host: String) -> String? {
        let host = host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
        guard host.utf8.count <= 255 else { return nil }
        return switch source {
        case .list(let list): list.registrableDomain(of: host)
        #if os(Linux)
            case .library(let library): library.registrableDomain(of: host)
        #endif
        }
    }
}

/// The rules of a file in the format of publicsuffix.org.
struct SuffixList: Sendable {
    private struct Rule: OptionSet {
        let rawValue: UInt8
        /// `co.uk`
        static let suffix = Rule(rawValue: 1)
        /// `*.ck`: each name one label longer is a suffix.
        static let wildcard = Rule(rawValue: 2)
        /// `!www.ck`: not a suffix, in spite of a wildcard.
        static let exception = Rule(rawValue: 4)
    }

    private var rules: [String: Rule] = [:]

    /// Lines that are not a rule are skipped.
    init(_ data: Data) {
        for line in data.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            // A rule ends at the first space.
            let text = line.prefix { !$0.isHTTPWhitespace }
            guard !text.isEmpty, !text.starts(with: "//".utf8), text.count <= 255 else { continue }
            insert(String(decoding: text, as: UTF8.self))
        }
    }

    private mutating func insert(_ rule: String) {
        var name = Substring(rule)
        var kind = Rule.suffix
        if name.hasPrefix("!") {
            kind = .exception
            name = name.dropFirst()
        } else if name.hasPrefix("*.") {
            kind = .wildcard
            name = name.dropFirst(2)
        }
        if name.hasPrefix(".") { name = name.dropFirst() }
        guard !name.isEmpty else { return }
        rules[Punycode.domain(name), default: []].insert(kind)
    }

    /// The algorithm of publicsuffix.org: an exception wins over all matching rules, else the longest rule. Without a rule, the last
    /// label is the suffix.
    ///
    /// - Parameter host: In lower case, at most 255 bytes, without a dot at the end.
    func registrableDomain(of host: String) -> String? {
        let bytes = host.utf8
        // Where labels begin, the last one first.
        var starts: [String.Index] = []
        var index = bytes.endIndex
        while index > bytes.startIndex {
            bytes.formIndex(before: &index)
            if bytes[index] == UInt8(ascii: ".") { starts.append(bytes.index(after: index)) }
        }
        starts.append(bytes.startIndex)
        var suffixLabels = 1
        for (count, start) in starts.enumerated() {
            guard let rule = rules[String(host[start...])] else { continue }
            if rule.contains(.exception) {
                suffixLabels = count
                break
            }
            if rule.contains(.suffix) { suffixLabels = max(suffixLabels, count + 1) }
            if rule.contains(.wildcard), count + 1 < starts.count { suffixLabels = max(suffixLabels, count + 2) }
        }
        guard suffixLabels < starts.count else { return nil }
        let domain = host[starts[suffixLabels]...]
        return domain.utf8.first == UInt8(ascii: ".") || domain.isEmpty ? nil : String(domain)
    }
}

/// International names in the form of DNS (RFC 3492).
enum Punycode {
    /// The domain in lower case, with non-ASCII labels as `xn--`.
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

/// The list of public suffixes of a store, read at the first use.
final class CookieSuffixes: Sendable {
    private let file: URL?
    private let loaded = Locked<(list: PublicSuffixes?, problem: String?)?>(nil)

    init(file: URL?) {
        self.file = file
    }

    var list: PublicSuffixes? { load().list }
    /// Why the named file gave no list.
    var problem: String? { load().problem }

    private func load() -> (list: PublicSuffixes?, problem: String?) {
        loaded.withLock { loaded in
            if let loaded { return loaded }
            let result: (PublicSuffixes?, String?)
            if let file {
                do {
                    result = (try PublicSuffixes(contentsOf: file), nil)
                } catch {
                    result = (nil, "The file \(file.path) cannot be read.")
                }
            } else {
                result = (PublicSuffixes.system, nil)
            }
            loaded = result
            return result
        }
    }
}
