extension URL {
    /// The URL that `Location` means: relative to this one, whose fragment it takes over if it has none of its own (RFC 9110,
    /// section 10.2.2). Nil if it is no URL. User information in it is left out: a server does not choose the client's credentials.
    func following(location: String) -> URL? {
        let text = String(location.trimmingHTTPWhitespace)
        guard !text.isEmpty, let target = URL(reference: text, relativeTo: self, keepsUserInformation: false) else {
            return nil
        }
        let current = absoluteString
        guard !text.contains("#"), let hash = current.firstIndex(of: "#") else { return target }
        return URL(string: target.absoluteString + current[hash...])
    }
}
