import NetCore

extension Cookie {
    /// A cookie from a line of a Netscape cookie file, as curl and earlier versions of this SDK wrote: domain, whether subdomains
    /// get it, path, whether it is secure, end in seconds since 1970 (0 for a session cookie), name and value, with tabs between
    /// them. Nil for a comment, and for what is not such a line.
    init?(netscape line: Data) {
        var line = line[...]
        let mark = Data("#HttpOnly_".utf8)
        let isHTTPOnly = line.starts(with: mark)
        if isHTTPOnly { line = line.dropFirst(mark.count) }
        guard line.first != UInt8(ascii: "#") else { return nil }
        let fields = line.split(separator: UInt8(ascii: "\t"), maxSplits: 6, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count >= 6, let seconds = Int64(fields[4]), !fields[0].isEmpty else { return nil }
        self.init(
            name: fields[5], value: fields.count > 6 ? fields[6] : "", domain: fields[0], path: fields[2],
            expires: seconds > 0 ? Date(timeIntervalSince1970: TimeInterval(seconds)) : nil,
            isSecure: fields[3].equalsIgnoringASCIICase("TRUE"), isHTTPOnly: isHTTPOnly,
            isHostOnly: !fields[1].equalsIgnoringASCIICase("TRUE"))
    }
}

extension Data {
    /// Whether this line of a Netscape cookie file holds no cookie.
    var isNetscapeComment: Bool {
        first == UInt8(ascii: "#") && !starts(with: Data("#HttpOnly_".utf8)) || allSatisfy(\.isHTTPWhitespace)
    }
}
