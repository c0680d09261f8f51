import NetCore
package import NetSystem

/// What is left out of logs, cURL lines, HAR files and waterfalls (seed 003).
///
/// It denies by default. Shown are method, host and path, the names of things, and the values of header fields, query items and
/// fields of bodies that are *known* to be harmless: `Content-Type`, `status`, `page`. What looks like a secret is left out there
/// too: JSON web tokens, card numbers, keys of well-known services, long random words, `Bearer …`, `password=…`, user information in
/// URLs. Bodies that are no JSON and no form are not shown.
///
/// ```swift
/// LoggingInterceptor(level: .verbose)                                                  // the default
/// LoggingInterceptor(level: .verbose, sanitization: .strict)
/// LoggingInterceptor(level: .verbose, sanitization: SanitizationConfig(sensitiveBodyFields: ["nickname"]))
/// LoggingInterceptor(level: .verbose, sanitization: SanitizationConfig(allowedBodyFields: ["message"]))
/// LoggingInterceptor(level: .verbose, sanitization: .none)                             // debugging only
/// ```
///
/// Names are compared whatever their case; those of fields also without `_` and `-`: `apiKey` is `api_key`.
public struct SanitizationConfig: Sendable {
    /// Everything that is not known to be harmless is left out.
    public static let `default` = SanitizationConfig()

    /// Also what names people and things: all strings and numbers in bodies and queries, e-mail addresses, identifiers in paths, `User-Agent`.
    /// For what falls under rules like those of the card industry (PCI DSS).
    public static let strict = SanitizationConfig(strictness: .strict)

    /// Nothing is left out. For debugging only: logs and files then hold credentials.
    public static let none = SanitizationConfig(redactor: .none)

    package let redactor: Redactor

    /// The default, changed.
    ///
    /// - Parameters:
    ///   - sensitiveHeaders: header fields never shown, besides all that are not known to be harmless.
    ///   - sensitiveQueryParams: query items never shown, besides all that are not known to be harmless.
    ///   - sensitiveBodyFields: fields of JSON and forms never shown, nor anything in them.
    ///   - allowedHeaders: header fields shown besides those known to be harmless.
    ///   - allowedQueryParams: query items shown besides those known to be harmless (`page`, `limit`, `sort` …).
    ///   - allowedBodyFields: fields of JSON and forms shown besides those known to be harmless. What is in a field whose name says that it
    ///     is secret stays hidden.
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

    private init(strictness: RedactionRules.Strictness) {
        redactor = Redactor(rules: RedactionRules(strictness: strictness))
    }

    private init(redactor: Redactor) {
        self.redactor = redactor
    }
}
