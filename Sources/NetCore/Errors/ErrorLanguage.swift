/// The languages of the error texts.
enum ErrorLanguage: String, CaseIterable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case italian = "it"
    case dutch = "nl"
    case polish = "pl"
    case brazilianPortuguese = "pt-BR"
    case europeanPortuguese = "pt-PT"

    /// Creates the first of the user's languages that has texts, or English.
    ///
    /// - Parameter preferred: BCP 47 tags (`pt-PT`, `de-AT`) or POSIX locales (`pl_PL.UTF-8`), the preferred one first.
    init(preferred: [String]) {
        self = preferred.lazy.compactMap(Self.init(tag:)).first ?? .english
    }

    /// The language of this process's user.
    static var current: ErrorLanguage { ErrorLanguage(preferred: SystemLanguages.preferred) }

    var texts: any ErrorTexts {
        switch self {
        case .english: EnglishErrorTexts()
        case .german: GermanErrorTexts()
        case .spanish: SpanishErrorTexts()
        case .french: FrenchErrorTexts()
        case .italian: ItalianErrorTexts()
        case .dutch: DutchErrorTexts()
        case .polish: PolishErrorTexts()
        case .brazilianPortuguese: BrazilianPortugueseErrorTexts()
        case .europeanPortuguese: EuropeanPortugueseErrorTexts()
        }
    }

    private init?(tag: String) {
        // A character set or a modifier may follow: "de_DE.UTF-8@euro".
        let name = tag.prefix { $0 != "." && $0 != "@" }
        let subtags = name.split { $0 == "-" || $0 == "_" }.map { String($0).asciiLowercased }
        guard subtags.first == "pt" else {
            self.init(rawValue: subtags.first ?? "")
            return
        }
        self =
            subtags.dropFirst().contains(where: Self.europeanRegions.contains)
            ? .europeanPortuguese : .brazilianPortuguese
    }

    /// The regions that use European Portuguese: the children of `pt-PT` in Unicode's CLDR.
    private static let europeanRegions: Set<String> = [
        "pt", "ao", "ch", "cv", "fr", "gq", "gw", "lu", "mo", "mz", "st", "tl",
    ]
}

/// The preferred languages of the process's user.
enum SystemLanguages {
    /// BCP 47 tags or POSIX locales, the preferred one first.
    static var preferred: [String] {
        #if canImport(Darwin)
            // Read each time, because the user can change an app's language while it runs.
            Locale.preferredLanguages
        #else
            // Foundation always returns "en-001" here.
            ofEnvironment
        #endif
    }

    /// Read once: the environment of a process does not change, and reading it takes 20 µs.
    private static let ofEnvironment = languages(in: ProcessInfo.processInfo.environment)

    /// Reads the variables like gettext: `LC_ALL`, `LC_MESSAGES` or `LANG` sets the locale, in this order, and `LANGUAGE` lists languages
    /// preferred to it. In the C locale everything is English.
    static func languages(in environment: [String: String]) -> [String] {
        let variables = ["LC_ALL", "LC_MESSAGES", "LANG"]
        guard let locale = variables.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else {
            return []
        }
        let name = locale.prefix { $0 != "." && $0 != "@" }
        guard name != "C", name != "POSIX" else { return [] }
        return (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
    }
}
