public import NetCore

// The pins of several environments, in one JSON file.
extension PinningPolicy {
    /// Creates the policy of one environment in a JSON file, such as the one that a build is for.
    ///
    /// ```json
    /// {
    ///   "production": {
    ///     "api.example.com": {
    ///       "pins": ["sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=", "sha256/YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg="],
    ///       "includesSubdomains": true,
    ///       "expires": "2027-06-30"
    ///     }
    ///   },
    ///   "staging": {
    ///     "staging.api.example.com": { "certificates": ["staging"], "backup": "waived", "enforcement": "reportOnly" }
    ///   }
    /// }
    /// ```
    ///
    /// `certificates` names files beside the JSON file, `expires` is a day (from its beginning in UTC), `backup` is `required` or
    /// `waived`, `enforcement` is `enforced` or `reportOnly`. Unknown keys are refused: a misspelt key would disable pins unnoticed.
    ///
    /// - Parameters:
    ///   - environment: its name in the file.
    ///   - file: a file URL.
    ///   - clock: for pins that expire.
    ///   - report: see ``init(_:clock:report:)``.
    /// - Throws: ``PinningError``, also for an unknown environment and for one without hosts.
    public init(
        environment: String, in file: URL, clock: any NetworkClock = .system, report: ReportHandler? = nil
    ) throws(PinningError) {
        let environments = try Self.read(file)
        guard let entries = environments[environment] else {
            throw .unknownEnvironment(environment, known: environments.keys.sorted())
        }
        let folder = file.deletingLastPathComponent()
        let hosts = try entries.sorted { $0.key < $1.key }.map { entry throws(PinningError) in
            try entry.value.pinnedHost(entry.key, folder: folder)
        }
        try self.init(hosts, clock: clock, report: report)
    }

    /// Returns the names of the environments in a file, in alphabetical order.
    ///
    /// - Throws: ``PinningError/missingFile(_:)`` or ``PinningError/unreadableFile(_:_:)``.
    public static func environments(in file: URL) throws(PinningError) -> [String] { try read(file).keys.sorted() }

    private static func read(_ file: URL) throws(PinningError) -> [String: [String: Entry]] {
        guard let data = try? Data(contentsOf: file) else { throw .missingFile(file.path) }
        do { return try JSONDecoder().decode([String: [String: Entry]].self, from: data) } catch {
            throw .unreadableFile(file.path, reason(error))
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard case .dataCorrupted(let context)? = error as? DecodingError else { return String(describing: error) }
        return (context.codingPath.map(\.stringValue) + [context.debugDescription]).joined(separator: ": ")
    }

    private struct Entry: Decodable, Sendable {
        var pins: [String] = []
        var certificates: [String] = []
        var includesSubdomains = false
        var expires: Date?
        var enforcement = PinningPolicy.Host.Enforcement.enforced
        var backup = PinningPolicy.Host.Backup.required

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            for key in container.allKeys {
                func corrupted(_ reason: String) -> DecodingError {
                    .dataCorruptedError(forKey: key, in: container, debugDescription: reason)
                }
                func choice<Value>(_ values: [String: Value]) throws -> Value {
                    let text = try container.decode(String.self, forKey: key)
                    guard let value = values[text] else {
                        throw corrupted("\"\(text)\" is not one of \(values.keys.sorted().joined(separator: ", "))")
                    }
                    return value
                }
                switch key.stringValue {
                case "pins": pins = try container.decode([String].self, forKey: key)
                case "certificates": certificates = try container.decode([String].self, forKey: key)
                case "includesSubdomains": includesSubdomains = try container.decode(Bool.self, forKey: key)
                case "enforcement": enforcement = try choice(["enforced": .enforced, "reportOnly": .reportOnly])
                case "backup": backup = try choice(["required": .required, "waived": .waived])
                case "expires":
                    let text = try container.decode(String.self, forKey: key)
                    let style = Date.ISO8601FormatStyle().year().month().day()
                    guard text.utf8.count == 10, let date = try? style.parse(text) else {
                        throw corrupted("\"\(text)\" is not a day like 2027-06-30")
                    }
                    expires = date
                default: throw corrupted("unknown key")
                }
            }
        }

        func pinnedHost(_ host: String, folder: URL) throws(PinningError) -> PinningPolicy.Host {
            var all = try PinningPolicy.Pin.certificates(named: certificates, in: folder)
            for pin in pins { all.append(try PinningPolicy.Pin.publicKey(pin)) }
            return try PinningPolicy.Host(
                host, pins: all, includesSubdomains: includesSubdomains, expires: expires, enforcement: enforcement,
                backup: backup)
        }
    }
}
