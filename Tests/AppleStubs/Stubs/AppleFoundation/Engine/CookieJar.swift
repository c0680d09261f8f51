/// Cookies of a session, in Foundation's own store.
enum CookieJar {
    static func header(for request: URLRequest, _ settings: URLSessionConfiguration) -> String? {
        guard request.httpShouldHandleCookies, settings.httpShouldSetCookies, let url = request.url,
            let cookies = settings.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
        else { return nil }
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }

    /// - Parameter values: of each `Set-Cookie`.
    static func keep(_ values: [String], of request: URLRequest, _ settings: URLSessionConfiguration) {
        guard request.httpShouldHandleCookies, let url = request.url, let store = settings.httpCookieStorage,
            settings.httpCookieAcceptPolicy != .never
        else { return }
        let cookies = values.flatMap {
            HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": dated($0)], for: url)
        }
        if !cookies.isEmpty { store.setCookies(cookies, for: url, mainDocumentURL: nil) }
    }

    /// Foundation on Linux reads no `Max-Age`, which goes before `Expires` (RFC 6265, section 5.3).
    private static func dated(_ value: String) -> String {
        let parts = value.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        guard let age = parts.first(where: { $0.lowercased().hasPrefix("max-age=") }),
            let seconds = Int64(age.dropFirst("max-age=".count))
        else { return value }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date =
            seconds > 0 ? Date().addingTimeInterval(Double(min(seconds, 1 << 31))) : Date(timeIntervalSince1970: 0)
        let rest = parts.filter { !$0.lowercased().hasPrefix("max-age=") && !$0.lowercased().hasPrefix("expires=") }
        return (rest + ["Expires=" + formatter.string(from: date)]).joined(separator: "; ")
    }
}
