import NetCore

/// The domains under which anybody can register names (`com`, `co.uk`, `github.io`): no cookie is for all hosts below one.
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

    /// The system's, read once for the process: libpsl, else the file of the `publicsuffix` package; nil if there is neither.
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

    /// Whether the domain itself is a public suffix. One that is in no list is, if it is a single label.
    ///
    /// - Parameter domain: In lower case, international names as `xn--`.
    func contains(_ domain: String) -> Bool {
        registrableDomain(of: domain) == nil
    }

    /// Returns the suffix and one label more, which is what can be registered: `example.co.uk` of `www.example.co.uk`. Nil if
    /// the host is a public suffix itself, or longer than any name.
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
