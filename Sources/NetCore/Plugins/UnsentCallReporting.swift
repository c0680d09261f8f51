/// Hears of calls that were put together and released without having been sent: most likely a forgotten `send()`.
///
/// A client asks the first of its interceptors that conforms.
package protocol UnsentCallReporting: Sendable {
    /// Reports a call, once.
    ///
    /// - Parameters:
    ///   - call: method and URL, without secrets.
    ///   - advice: what sends it.
    func reportUnsent(_ call: String, advice: String)
}

/// The text of such a report.
package func unsentCallText(_ call: String, advice: String) -> String {
    "\(call) was released without having been sent. \(advice)"
}
