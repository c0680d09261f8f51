import Testing

@testable import NetCore

@Suite struct ErrorLanguageTests {
    @Test(arguments: [
        (["en"], ErrorLanguage.english), (["en-GB", "de"], .english), (["de"], .german), (["de-AT"], .german),
        (["de_CH.UTF-8"], .german), (["de_DE@euro"], .german), (["DE-Latn-DE"], .german), (["es-419"], .spanish),
        (["fr-CA"], .french), (["it"], .italian), (["nl-BE"], .dutch), (["pl_PL"], .polish),
        (["pt"], .brazilianPortuguese), (["pt-BR"], .brazilianPortuguese), (["pt-Latn-BR"], .brazilianPortuguese),
        (["pt-US"], .brazilianPortuguese), (["pt-PT"], .europeanPortuguese), (["pt_PT.UTF-8"], .europeanPortuguese),
        (["pt-AO"], .europeanPortuguese), (["pt-Latn-MZ"], .europeanPortuguese),
        // The user's next language comes before English.
        (["ja-JP", "nl", "de"], .dutch), (["ja", "zh-Hans"], .english), ([], .english),
        // Languages that only begin alike.
        (["den"], .english), (["est"], .english), (["ptx-PT"], .english),
        ([""], .english), (["-"], .english), (["_DE"], .german), (["."], .english), (["\u{0}💥"], .english),
    ]) func preferredLanguageIsMatched(_ preferred: [String], language: ErrorLanguage) {
        #expect(ErrorLanguage(preferred: preferred) == language)
    }

    /// As gettext.
    @Test(arguments: [
        ([:], []), (["LANG": "de_DE.UTF-8"], ["de_DE.UTF-8"]), (["LANG": "de_DE", "LC_MESSAGES": "fr_FR"], ["fr_FR"]),
        (["LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "pl_PL"], ["pl_PL"]),
        (["LANG": "de_DE", "LC_ALL": ""], ["de_DE"]), (["LANG": ""], []),
        (["LANG": "de_DE", "LANGUAGE": "nl:fr"], ["nl", "fr", "de_DE"]),
        (["LANG": "de_DE", "LANGUAGE": ":"], ["de_DE"]),
        (["LANGUAGE": "nl"], []), (["LANG": "C", "LANGUAGE": "nl"], []), (["LANG": "POSIX", "LANGUAGE": "nl"], []),
        (["LANG": "C.UTF-8", "LANGUAGE": "nl"], []), (["LANG": "de_DE", "LC_ALL": "C"], []),
    ]) func languagesOfTheEnvironment(_ variables: [String: String], languages: [String]) {
        #expect(SystemLanguages.languages(in: variables) == languages)
    }

    @Test func eachLanguageMatchesItself() {
        for language in ErrorLanguage.allCases { #expect(ErrorLanguage(preferred: [language.rawValue]) == language) }
    }
}
