extension Data {
    /// Base64 for URLs, without padding (RFC 4648, section 5).
    package var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// Decodes base64 for URLs; nil if the text is not base64.
    package init?(base64URL text: some StringProtocol) {
        let text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = (4 - text.utf8.count % 4) % 4
        self.init(base64Encoded: text + String(repeating: "=", count: padding))
    }
}
