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
