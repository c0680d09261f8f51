/// The languages in which errors have texts.
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

    /// The first that fits one of the user's languages, the preferred one first; English if none does.
    ///
    /// - Parameter preferred: tags of BCP 47 (`pt-PT`, `de-AT`), or names of POSIX locales (`pl_PL.UTF-8`).
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
        // What stands behind is a character set or a modifier: "de_DE.UTF-8@euro".
        let name = tag.prefix { $0 != "." && $0 != "@" }
        let subtags = name.split { $0 == "-" || $0 == "_" }.map { String($0).asciiLowercased }
        switch subtags.first {
        case "en": self = .english
        case "de": self = .german
        case "es": self = .spanish
        case "fr": self = .french
        case "it": self = .italian
        case "nl": self = .dutch
        case "pl": self = .polish
        case "pt":
            self =
                subtags.dropFirst().contains(where: Self.europeanRegions.contains)
                ? .europeanPortuguese : .brazilianPortuguese
        default: return nil
        }
    }

    /// Where people write as in Portugal: the children of `pt-PT` in Unicode's CLDR.
    private static let europeanRegions: Set<String> = [
        "pt", "ao", "ch", "cv", "fr", "gq", "gw", "lu", "mo", "mz", "st", "tl",
    ]
}

/// Which languages the user of this process prefers.
enum SystemLanguages {
    /// Tags of BCP 47 or names of POSIX locales, the preferred one first.
    static var preferred: [String] {
        #if canImport(Darwin)
            // Asked each time: an app may be told another language while it runs.
            Locale.preferredLanguages
        #else
            // Foundation says "en-001" here, whatever the environment says.
            ofEnvironment
        #endif
    }

    /// Read once: the environment of a process does not change, and reading all of it takes 20 µs.
    private static let ofEnvironment = languages(in: ProcessInfo.processInfo.environment)

    /// What gettext makes of the variables: `LC_ALL` before `LC_MESSAGES` before `LANG` names the locale, and `LANGUAGE` is a list of
    /// languages to prefer to it, but for the locale of plain C, in which everything is English.
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
