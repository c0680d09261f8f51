import NetCore

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

    /// The algorithm of publicsuffix.org: of the rules that match, an exception prevails, else the longest; without one, the
    /// last label is the suffix.
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
