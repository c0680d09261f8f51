import Configuration
import Foundation

/// Reads single values and checks them. Each returns nil if no provider has the key.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
struct SettingReader {
    let config: ConfigReader

    func string(
        _ key: String, _ allowed: String, isSecret: Bool = false, where isAllowed: (String) -> Bool = { !$0.isEmpty }
    ) async throws(ConfigurationError) -> String? {
        let value: String?
        do {
            value = try await config.fetchString(forKey: ConfigKey(key), isSecret: isSecret)
        } catch {
            throw ConfigurationError(key, allowed, underlyingError: error)
        }
        if let value, !isAllowed(value) { throw ConfigurationError(key, allowed) }
        return value
    }

    func strings(_ key: String, _ allowed: String) async throws(ConfigurationError) -> [String]? {
        do {
            return try await config.fetchStringArray(forKey: ConfigKey(key))
        } catch {
            throw ConfigurationError(key, allowed, underlyingError: error)
        }
    }

    /// A number of seconds above 0, with or without a fraction.
    func seconds(_ key: String) async throws(ConfigurationError) -> TimeInterval? {
        let allowed = "a number of seconds above 0"
        let value: TimeInterval?
        do {
            value = try await double(key)
        } catch {
            throw ConfigurationError(key, allowed, underlyingError: error)
        }
        if let value, !(value > 0 && value.isFinite) { throw ConfigurationError(key, allowed) }
        return value
    }

    /// Some providers have whole numbers apart from fractions, and refuse to convert them.
    private func double(_ key: String) async throws -> Double? {
        do {
            return try await config.fetchDouble(forKey: ConfigKey(key))
        } catch let error {
            guard let whole = try? await config.fetchInt(forKey: ConfigKey(key)) else { throw error }
            return Double(whole)
        }
    }

    func int(_ key: String, in range: ClosedRange<Int>) async throws(ConfigurationError) -> Int? {
        let allowed = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        let value: Int?
        do {
            value = try await config.fetchInt(forKey: ConfigKey(key))
        } catch {
            throw ConfigurationError(key, allowed, underlyingError: error)
        }
        if let value, !range.contains(value) { throw ConfigurationError(key, allowed) }
        return value
    }

    func bool(_ key: String) async throws(ConfigurationError) -> Bool? {
        do {
            return try await config.fetchBool(forKey: ConfigKey(key))
        } catch {
            throw ConfigurationError(key, "true or false", underlyingError: error)
        }
    }

    /// One of some names.
    func choice<Value>(_ key: String, _ values: KeyValuePairs<String, Value>) async throws(ConfigurationError) -> Value?
    {
        let allowed = "one of " + values.map(\.key).joined(separator: ", ")
        let name = try await string(key, allowed) { name in values.contains { $0.key == name } }
        return values.first { $0.key == name }?.value
    }

    /// The content of a PEM file with a block of that kind.
    func pem(_ key: String, _ kind: String) async throws(ConfigurationError) -> Data? {
        let allowed = "the path of a readable PEM file with a \(kind.lowercased())"
        guard let path = try await string(key, allowed) else { return nil }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ConfigurationError(key, allowed, underlyingError: error)
        }
        // "BEGIN RSA PRIVATE KEY" is a private key too.
        let text = String(decoding: data, as: UTF8.self)
        guard text.contains("-----BEGIN "), text.contains("\(kind)-----") else {
            throw ConfigurationError(key, allowed)
        }
        return data
    }
}
