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
