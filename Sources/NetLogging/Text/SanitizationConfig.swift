import NetCore
package import NetSystem

/// The secrets to leave out of logs, curl commands, HAR files and waterfalls.
///
/// Values are hidden by default. Visible are method, host and path, all names, and the values of header fields, query items and
/// body fields that are *known* to be harmless: `Content-Type`, `status`, `page`. Values that look like secrets are hidden there
/// too: JSON web tokens, card numbers, keys of well-known services, long random words, `Bearer …`, user information in URLs, and
/// the rest of a text behind `password=`. Bodies other than JSON and forms are hidden.
///
/// ```swift
/// LoggingInterceptor(level: .verbose)                                                  // the default
/// LoggingInterceptor(level: .verbose, sanitization: .strict)
/// LoggingInterceptor(level: .verbose, sanitization: SanitizationConfig(sensitiveBodyFields: ["nickname"]))
/// LoggingInterceptor(level: .verbose, sanitization: SanitizationConfig(allowedBodyFields: ["message"]))
/// LoggingInterceptor(level: .verbose, sanitization: .none)                             // debugging only
/// ```
///
/// Names are compared without regard to case. Names of body fields also ignore `_` and `-`: `apiKey` equals `api_key`.
public struct SanitizationConfig: Sendable {
    /// Hides everything that is not known to be harmless.
    public static let `default` = SanitizationConfig()

    /// Also hides personal data: all strings and numbers in bodies and queries, e-mail addresses, identifiers in paths,
    /// `User-Agent`. For data under rules such as those of the card industry (PCI DSS).
    public static let strict = SanitizationConfig(redactor: Redactor(rules: RedactionRules(isStrict: true)))

    /// Hides nothing. For debugging only: logs and files then contain credentials.
    public static let none = SanitizationConfig(redactor: .none)

    package let redactor: Redactor

    /// Creates a variant of the default.
    ///
    /// - Parameters:
    ///   - sensitiveHeaders: header fields to hide even if they are known to be harmless.
    ///   - sensitiveQueryParams: query items to hide even if they are known to be harmless.
    ///   - sensitiveBodyFields: fields of JSON and forms to hide, with everything inside them.
    ///   - allowedHeaders: header fields to show besides those known to be harmless.
    ///   - allowedQueryParams: query items to show besides those known to be harmless (`page`, `limit`, `sort` …).
    ///   - allowedBodyFields: fields of JSON and forms to show besides those known to be harmless. Inside a field whose name
    ///     indicates a secret they stay hidden.
    public init(
        sensitiveHeaders: [String] = [], sensitiveQueryParams: [String] = [], sensitiveBodyFields: [String] = [],
        allowedHeaders: [String] = [], allowedQueryParams: [String] = [], allowedBodyFields: [String] = []
    ) {
        redactor = Redactor(
            rules: RedactionRules(
                sensitiveHeaders: sensitiveHeaders, sensitiveQueryItems: sensitiveQueryParams,
                sensitiveFields: sensitiveBodyFields, allowedHeaders: allowedHeaders,
                allowedQueryItems: allowedQueryParams, allowedFields: allowedBodyFields))
    }

    private init(redactor: Redactor) { self.redactor = redactor }
}
