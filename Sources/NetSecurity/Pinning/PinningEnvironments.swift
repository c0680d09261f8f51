public import NetCore

/// The pins of several environments, in one JSON file: what a build is for decides which of them count.
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
/// `certificates` names files beside the JSON file, `expires` is a day (from its beginning in UTC), `backup` is `required` or `waived`,
/// `enforcement` is `enforced` or `reportOnly`. What is not known is refused: a misspelt key would be a hole that nobody sees.
public struct PinningEnvironments: Sendable {
    private let environments: [String: [String: Entry]]
    private let file: URL

    /// The names of the environments, in their order.
    public var names: [String] { environments.keys.sorted() }

    /// Reads a file.
    ///
    /// - Parameter file: a file URL.
    /// - Throws: ``PinningError/missingFile(_:)`` or ``PinningError/unreadableFile(_:_:)``.
    public init(contentsOf file: URL) throws(PinningError) {
        guard let data = try? Data(contentsOf: file) else { throw .missingFile(file.path) }
        do {
            environments = try JSONDecoder().decode([String: [String: Entry]].self, from: data)
        } catch {
            throw .unreadableFile(file.path, Self.reason(error))
        }
        self.file = file
    }

    /// The policy of an environment.
    ///
    /// - Parameters:
    ///   - environment: its name in the file.
    ///   - clock: for what expires.
    ///   - report: see ``PinningPolicy/init(_:clock:report:)``.
    /// - Throws: ``PinningError``, for an unknown name too: a misspelt environment is not one without pins.
    public func policy(
        for environment: String, clock: any NetworkClock = .system, report: PinningPolicy.ReportHandler? = nil
    ) throws(PinningError) -> PinningPolicy {
        guard let entries = environments[environment] else {
            throw .unknownEnvironment(environment, known: names)
        }
        var hosts: [PinnedHost] = []
        for (host, entry) in entries.sorted(by: { $0.key < $1.key }) {
            hosts.append(try entry.pinnedHost(host, folder: file.deletingLastPathComponent()))
        }
        return try PinningPolicy(hosts, clock: clock, report: report)
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
        var enforcement = PinnedHost.Enforcement.enforced
        var backup = PinnedHost.Backup.required

        private struct Key: CodingKey {
            let stringValue: String
            let intValue: Int? = nil

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys {
                func corrupted(_ reason: String) -> DecodingError {
                    .dataCorruptedError(forKey: key, in: container, debugDescription: reason)
                }
                func choice<Value>(_ values: [String: Value]) throws -> Value {
                    let text = try container.decode(String.self, forKey: key)
                    guard let value = values[text] else {
                        throw corrupted("\"\(text)\" is none of \(values.keys.sorted().joined(separator: ", "))")
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
                        throw corrupted("\"\(text)\" is no day like 2027-06-30")
                    }
                    expires = date
                default: throw corrupted("there is no such key")
                }
            }
        }

        func pinnedHost(_ host: String, folder: URL) throws(PinningError) -> PinnedHost {
            var all = try CertificatePin.certificates(named: certificates, in: folder)
            for pin in pins { all.append(try CertificatePin.publicKey(pin)) }
            return try PinnedHost(
                host, pins: all, includesSubdomains: includesSubdomains, expires: expires, enforcement: enforcement,
                backup: backup)
        }
    }
}
