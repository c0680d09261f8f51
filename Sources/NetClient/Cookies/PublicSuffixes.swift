/// The domains under which names are registered (`com`, `co.uk`, `github.io`). A cookie must not be for all hosts below one.
struct PublicSuffixes: Sendable {
    private let lookUp: @Sendable (String) -> String?

    /// - Parameter lookUp: ``registrableDomain(of:)`` for a host in lower case, at most 255 bytes, without a dot at the end.
    init(_ lookUp: @escaping @Sendable (String) -> String?) { self.lookUp = lookUp }

    init(contentsOf file: URL) throws { self.init(SuffixList(try Data(contentsOf: file)).registrableDomain) }

    /// The system's list, read once: libpsl, else the file of the `publicsuffix` package; nil if both are missing.
    static let system: PublicSuffixes? = {
        #if os(Linux)
            if let library = ofLibrary() { return library }
        #endif
        return try? PublicSuffixes(contentsOf: URL(fileURLWithPath: systemFile))
    }()

    static let systemFile = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// Whether the domain (in lower case, international names as `xn--`) is a public suffix. An unlisted domain is one if it is a single label.
    func contains(_ domain: String) -> Bool { registrableDomain(of: domain) == nil }

    /// Returns the suffix and one more label: `example.co.uk` for `www.example.co.uk`. Nil if the host is a public suffix, or longer than 255 bytes.
    func registrableDomain(of host: String) -> String? {
        let host = host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
        return host.utf8.count <= 255 ? lookUp(host) : nil
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
    /// Whether all names are known in the form of DNS. Otherwise each international host counts as a suffix.
    private var isComplete = true

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
        if let name = Self.asciiName(name) { rules[name, default: []].insert(kind) } else { isComplete = false }
    }

    /// The name in lower case and in the form of DNS (`xn--`); nil if the system cannot convert it, as before iOS 17 and macOS 14.
    static func asciiName(_ name: Substring) -> String? {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return String(name).asciiLowercased }
        let host = URL(string: "http://\(name)/")?.hostField
        return host?.utf8.allSatisfy { $0 < 0x80 } == true ? host : nil
    }

    /// The algorithm of publicsuffix.org: an exception wins over all matching rules, else the longest rule. Without a rule, the last label is the
    /// suffix. The host is in lower case, with at most 255 bytes and without a dot at the end.
    func registrableDomain(of host: String) -> String? {
        if !isComplete, host.hasPrefix("xn--") || host.contains(".xn--") { return nil }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        var suffixLabels = 1
        for count in 1...labels.count {
            guard let rule = rules[labels.suffix(count).joined(separator: ".")] else { continue }
            if rule.contains(.exception) {
                suffixLabels = count - 1
                break
            }
            if rule.contains(.suffix) { suffixLabels = max(suffixLabels, count) }
            if rule.contains(.wildcard), count < labels.count { suffixLabels = max(suffixLabels, count + 1) }
        }
        let domain = labels.suffix(suffixLabels + 1)
        return domain.count > suffixLabels && domain.first?.isEmpty == false ? domain.joined(separator: ".") : nil
    }
}
